import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { Field, Resource } from '../platform/list/conditions.ts'
import { readTenantPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'

export interface ResultRow {
  organization_id: string
  id: string
  command_id: string | null
  workflow_instance_id: string
  system_id: string
  system_name: string
  name: string
  command: string
  run_as: string
  sudo: boolean
  files: string[]
  request_time: string
  response_time: string
  exit_code: number | null
  output: string
  error: string
}

const string = (column: Sql): Field => ({ column, kind: 'string' })
const exitCode: Field = { column: sql`exit_code`, kind: 'number' }

export const resultResource: Resource = {
  fields: {
    _id: string(sql`id`),
    id: string(sql`id`),
    command: string(sql`command`),
    exitCode,
    'response.data.exitCode': exitCode,
    'response.data.output': string(sql`output`),
    'response.error': string(sql`error`),
    name: string(sql`name`),
    organization: string(sql`organization_id`),
    requestTime: { column: sql`request_time`, kind: 'date' },
    responseTime: { column: sql`response_time`, kind: 'date' },
    sudo: { column: sql`sudo`, kind: 'boolean' },
    system: string(sql`system_name`),
    systemId: string(sql`system_id`),
    user: string(sql`run_as`),
    workflowId: string(sql`command_id`),
    workflowInstanceId: string(sql`workflow_instance_id`),
  },
  defaultSort: 'responseTime',
  tieBreak: sql`id`,
  searchFields: ['name', 'system', 'command'],
  maxLimit: 1000,
}

export const listResults = (db: Queryable, organizationId: string, list: ListQuery) =>
  readTenantPage<ResultRow>(db, sql`command_results`, organizationId, sql`true`, list)

export const resultsOfCommand = (
  db: Queryable,
  organizationId: string,
  commandId: string,
  limit: number,
  skip: number,
) =>
  db.many<ResultRow & { total: number }>(sql`
    select *, count(*) over () as total from command_results
     where organization_id = ${organizationId} and command_id = ${commandId}
     order by id desc limit ${limit} offset ${skip}`)

export const findResult = (db: Queryable, organizationId: string, id: string) =>
  db.find<ResultRow>(
    sql`select * from command_results where organization_id = ${organizationId} and id = ${id}`,
  )

export const takeResult = (db: Queryable, organizationId: string, id: string) =>
  db.one<ResultRow>(
    sql`delete from command_results where organization_id = ${organizationId} and id = ${id} returning *`,
  )

export const insertResult = (db: Queryable, row: Omit<ResultRow, 'response_time'>, at?: string) =>
  db.run(sql`
    insert into command_results (organization_id, id, command_id, workflow_instance_id, system_id, system_name, name,
                                 command, run_as, sudo, files, request_time, response_time, exit_code, output, error)
    values (${row.organization_id}, ${row.id}, ${row.command_id}, ${row.workflow_instance_id}, ${row.system_id},
            ${row.system_name}, ${row.name}, ${row.command}, ${row.run_as}, ${row.sudo}, ${JSON.stringify(row.files)},
            ${row.request_time}, coalesce(${at ?? null}::timestamptz, clock_timestamp()), ${row.exit_code},
            ${row.output}, ${row.error})
    on conflict do nothing`)
