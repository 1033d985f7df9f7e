import type { KeptRights } from '../platform/caller.ts'
import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { SourceKey } from './link-store.ts'
import type { Settings } from './settings.ts'

export interface SourceRow {
  organization_id: string
  application_id: string
  idm_client_id: string
  settings: Settings
  /** Sealed. */
  secret: string | null
  /** ScimQuirks. */
  quirks: object
  /** Of the one who saved the settings: scheduled runs have them. */
  rights: KeptRights | null
  next_run_at: string | null
  created: string
  updated: string
}

const read = (db: Queryable, { organizationId, applicationId }: SourceKey) =>
  db.one<SourceRow>(sql`
    select * from import_sources
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const findSource = (db: Queryable, organizationId: string, applicationId: string) =>
  read(db, { organizationId, applicationId })

export const lockSource = (tx: Queryable, { organizationId, applicationId }: SourceKey) =>
  tx.one<SourceRow>(sql`
    select * from import_sources
     where organization_id = ${organizationId} and application_id = ${applicationId} for update`)

export const saveSource = (
  tx: Queryable,
  { organizationId, applicationId }: SourceKey,
  row: Pick<
    SourceRow,
    'idm_client_id' | 'settings' | 'secret' | 'quirks' | 'rights' | 'next_run_at'
  >,
) =>
  tx.run(sql`
    insert into import_sources (organization_id, application_id, idm_client_id, settings, secret, quirks, rights,
                                next_run_at)
    values (${organizationId}, ${applicationId}, ${row.idm_client_id}, ${JSON.stringify(row.settings)}, ${row.secret},
            ${JSON.stringify(row.quirks)}, ${row.rights && JSON.stringify(row.rights)}, ${row.next_run_at})
    on conflict (organization_id, application_id) do update
       set settings = excluded.settings, secret = excluded.secret, quirks = excluded.quirks,
           rights = excluded.rights, next_run_at = excluded.next_run_at, updated = now()`)

export const saveQuirks = (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
  quirks: object,
) =>
  db.run(sql`
    update import_sources set quirks = ${JSON.stringify(quirks)}
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const saveNextRun = (
  tx: Queryable,
  { organizationId, applicationId }: SourceKey,
  next: Date | null,
) =>
  tx.run(sql`
    update import_sources set next_run_at = ${next}
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

/** Scheduled sources that have no job, such as those of a restored archive. */
export const overdueSources = (db: Queryable, organizationId: string, before: Date) =>
  db.many<SourceRow>(sql`
    select * from import_sources
     where organization_id = ${organizationId} and settings ->> 'schedule' is not null
       and (next_run_at is null or next_run_at < ${before})`)

export const deleteSource = (tx: Queryable, { organizationId, applicationId }: SourceKey) =>
  tx.run(sql`
    delete from import_sources
     where organization_id = ${organizationId} and application_id = ${applicationId}`)
