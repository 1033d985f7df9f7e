import type { Queryable } from '../../platform/db/index.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { Field, Resource } from '../../platform/list/conditions.ts'
import { readTenantPage } from '../../platform/list/page.ts'
import type { ListQuery } from '../../platform/list/query.ts'

export interface WorkdayRow {
  id: string
  name: string
  report_url: string
  /** Sealed; null when not authorized. */
  secret: string | null
  auth_valid: boolean
  auth_message: string
  last_import: string | null
}

const string = (column: Sql): Field => ({ column, kind: 'string' })

export const workdayResource: Resource = {
  fields: {
    id: string(sql`id`),
    name: string(sql`name`),
    reportUrl: string(sql`report_url`),
    lastImport: { column: sql`last_import`, kind: 'date' },
  },
  defaultSort: 'name',
  tieBreak: sql`id`,
  searchFields: ['name', 'reportUrl'],
}

export const readWorkdays = (db: Queryable, organizationId: string, list: ListQuery) =>
  readTenantPage<WorkdayRow>(db, sql`workdays`, organizationId, sql`true`, list)

const read = (lock: Sql) => (db: Queryable, organizationId: string, id: string) =>
  db.one<WorkdayRow>(
    sql`select * from workdays where organization_id = ${organizationId} and id = ${id} ${lock}`,
  )

export const findWorkday = read(empty)
export const lockWorkday = read(sql`for update`)

export const insertWorkday = (
  tx: Queryable,
  organizationId: string,
  row: Pick<WorkdayRow, 'id' | 'name' | 'report_url' | 'secret'>,
) =>
  tx.run(sql`
    insert into workdays (organization_id, id, name, report_url, secret)
    values (${organizationId}, ${row.id}, ${row.name}, ${row.report_url}, ${row.secret})`)

export const saveWorkday = (tx: Queryable, organizationId: string, row: WorkdayRow) =>
  tx.run(sql`
    update workdays
       set report_url = ${row.report_url}, secret = ${row.secret}, auth_valid = ${row.auth_valid},
           auth_message = ${row.auth_message}, last_import = ${row.last_import}, updated = now()
     where organization_id = ${organizationId} and id = ${row.id}`)

/** The outcome of a try, unless the report or the credentials have changed since it began. */
export const saveOutcome = (
  tx: Queryable,
  organizationId: string,
  { id, report_url, secret }: WorkdayRow,
  valid: boolean,
  message: string,
) =>
  tx.run(sql`
    update workdays set auth_valid = ${valid}, auth_message = ${message}
     where organization_id = ${organizationId} and id = ${id} and report_url = ${report_url} and secret = ${secret}`)

export const deleteWorkday = (tx: Queryable, organizationId: string, id: string) =>
  tx.run(sql`delete from workdays where organization_id = ${organizationId} and id = ${id}`)
