import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

export interface LogoRow {
  id: string
  content_type: string
  content: Buffer
}

/** Without a tenant: logos are public, and requested by id only. */
export const findLogo = (db: Queryable, id: string) =>
  db.one<LogoRow>(sql`select id, content_type, content from logos where id = ${id}`)

export const insertLogo = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  row: LogoRow,
) =>
  db.run(sql`
    insert into logos (id, tenant, application_id, content_type, content)
    values (${row.id}, ${organizationId}, ${applicationId}, ${row.content_type}, ${row.content})`)

export const deleteLogos = (db: Queryable, organizationId: string, applicationId: string) =>
  db.run(
    sql`delete from logos where tenant = ${organizationId} and application_id = ${applicationId}`,
  )
