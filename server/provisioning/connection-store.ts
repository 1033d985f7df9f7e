import type { KeptRights } from '../platform/caller.ts'
import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { Field } from '../platform/list/conditions.ts'
import type { ScimQuirks } from './schema.ts'
import type { Settings } from './settings.ts'

export interface ConnectionRow {
  organization_id: string
  application_id: string
  idm_client_id: string
  status: 'inactive' | 'active' | 'stopped'
  status_reason: string | null
  /** For machines. */
  status_code: string | null
  settings: Settings
  /** Sealed. */
  secret: string
  quirks: ScimQuirks
  /** Of the one who saved the settings or activated it last. */
  rights: KeptRights | null
  held_removals: number | null
  held_at: string | null
  reconciliation: Record<string, unknown> | null
  created: string
  updated: string
}

export const findConnection = (db: Queryable, organizationId: string, applicationId: string) =>
  db.one<ConnectionRow>(sql`
    select * from provisioning_connections
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const lockConnection = (tx: Queryable, organizationId: string, applicationId: string) =>
  tx.one<ConnectionRow>(sql`
    select * from provisioning_connections
     where organization_id = ${organizationId} and application_id = ${applicationId} for update`)

/** The applications of an organization that have a connection, whatever its status. */
export const listConnected = (db: Queryable, organizationId: string) =>
  db.many<{ id: string; readsGroups: boolean }>(sql`
    select application_id::text as id, (settings -> 'mapping')::text ~ '"groups?":' as "readsGroups"
      from provisioning_connections where organization_id = ${organizationId} order by application_id`)

/**
 * Of applications, for their lists: whether the connection is stopped, holds removals back or has failing accounts. Home
 * counts by the same conditions (overview/store.ts). Row-level security shows those of the organization only.
 */
export const failingProvisioning: Field = {
  column: sql`(id in (select application_id from provisioning_connections
                       where status = 'stopped' or held_removals is not null
                      union all
                      select application_id from provisioning_users where failing_since is not null))`,
  kind: 'boolean',
}

export async function insertConnection(
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  row: Pick<ConnectionRow, 'idm_client_id' | 'settings' | 'secret' | 'rights'>,
): Promise<void> {
  await tx.run(sql`
    insert into provisioning_connections (organization_id, application_id, idm_client_id, status, settings, secret,
                                          rights)
    values (${organizationId}, ${applicationId}, ${row.idm_client_id}, 'inactive', ${JSON.stringify(row.settings)},
            ${row.secret}, ${row.rights && JSON.stringify(row.rights)})`)
  await tx.run(sql`
    insert into provisioning_runs (application_id, tenant, active)
    values (${applicationId}, ${organizationId}, false)`)
}

export const saveSettings = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  row: Pick<ConnectionRow, 'settings' | 'secret' | 'quirks' | 'rights'>,
) =>
  tx.run(sql`
    update provisioning_connections
       set settings = ${JSON.stringify(row.settings)}, secret = ${row.secret}, quirks = ${JSON.stringify(row.quirks)},
           rights = ${row.rights && JSON.stringify(row.rights)}, updated = now()
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export async function saveStatus(
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  status: ConnectionRow['status'],
  reason: string | null,
  code: string | null = null,
): Promise<void> {
  await tx.run(sql`
    update provisioning_connections
       set status = ${status}, status_reason = ${reason}, status_code = ${code}, updated = now()
     where organization_id = ${organizationId} and application_id = ${applicationId}`)
  await tx.run(sql`
    update provisioning_runs set active = ${status === 'active'}, paused_until = null, failures = 0
     where application_id = ${applicationId} and tenant = ${organizationId}`)
}

export const saveRights = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  rights: KeptRights | null,
) =>
  tx.run(sql`
    update provisioning_connections set rights = ${rights && JSON.stringify(rights)}
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const saveQuirks = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  quirks: ScimQuirks,
) =>
  db.run(sql`
    update provisioning_connections set quirks = ${JSON.stringify(quirks)}
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const saveHeld = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  removals: number | null,
) =>
  tx.run(sql`
    update provisioning_connections
       set held_removals = ${removals}, held_at = case when ${removals}::int is null then null else coalesce(held_at, now()) end
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const saveReconciliation = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  report: object,
) =>
  tx.run(sql`
    update provisioning_connections set reconciliation = ${JSON.stringify(report)}
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const deleteConnection = (tx: Queryable, organizationId: string, applicationId: string) =>
  tx.run(sql`
    delete from provisioning_connections
     where organization_id = ${organizationId} and application_id = ${applicationId}`)
