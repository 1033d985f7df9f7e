import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

/** The last import of an application. */
interface ImportRow {
  /** Names of the settings that it set. */
  settings: string[]
  entity_id: string
  /** Null: an import that is not repeated. */
  url: string | null
  imported_at: string
  /** The last attempt to read the URL again. */
  checked_at: string | null
  /** Empty: it succeeded. */
  error: string
}

export const findImport = (db: Queryable, organizationId: string, applicationId: string) =>
  db.find<ImportRow>(sql`
    select settings, entity_id, url, imported_at, checked_at, error from application_sp_metadata
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const saveImport = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  row: Pick<ImportRow, 'settings' | 'entity_id' | 'url'>,
) =>
  db.run(sql`
    insert into application_sp_metadata (organization_id, application_id, settings, entity_id, url)
    values (${organizationId}, ${applicationId}, ${row.settings}, ${row.entity_id}, ${row.url})
    on conflict (organization_id, application_id) do update
       set settings = excluded.settings, entity_id = excluded.entity_id, url = excluded.url,
           imported_at = now(), checked_at = null, error = ''`)

export const stopFollowing = (db: Queryable, organizationId: string, applicationId: string) =>
  db.run(sql`
    update application_sp_metadata set url = null, checked_at = null, error = ''
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

interface FollowedRow {
  application_id: string
  url: string
  entity_id: string
  error: string
}

/** Followed documents that were last read that long ago; after an error, all of them. */
export const dueImports = (db: Queryable, organizationId: string, hours: number) =>
  db.many<FollowedRow>(sql`
    select m.application_id, m.url, m.entity_id, m.error
      from application_sp_metadata m
      join applications a on a.organization_id = ${organizationId} and a.id = m.application_id and a.deleted_at is null
     where m.organization_id = ${organizationId} and m.url is not null
       and (m.error <> '' or coalesce(m.checked_at, m.imported_at) <= now() - make_interval(hours => ${hours}))
     order by m.application_id`)

export const noteChecked = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  error: string,
) =>
  db.run(sql`
    update application_sp_metadata set checked_at = now(), error = ${error}
     where organization_id = ${organizationId} and application_id = ${applicationId} and url is not null`)
