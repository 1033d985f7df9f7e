import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { type AccountRow, ofApplication, touched } from './account-store.ts'

/** Differences that a comparison with the provider found. Each is written again by the next run. */
export const repairAccounts = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  found: { missing: readonly string[]; changed: readonly string[]; revived: readonly string[] },
) => {
  const { missing, changed, revived } = found
  return tx.run(sql`
    update provisioning_users p
       set ${touched}, written = null,
           remote_id = case when user_id = any(${missing}::text[]) then null else remote_id end,
           state = case when user_id = any(${missing}::text[]) then case when state = 'deactivated' then 'deleted' else 'pending' end
                        when user_id = any(${revived}::text[]) then 'provisioned' else state end,
           urgent = urgent or user_id = any(${revived}::text[])
     where ${ofApplication(organizationId, applicationId)}
       and user_id = any(${[...missing, ...changed, ...revived]}::text[])`)
}

/** Accounts that pass from deleted users to others. */
export const releaseAccounts = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  remoteIds: readonly string[],
) =>
  tx.run(sql`
    update provisioning_users
       set remote_id = null, written = null, state = 'deleted', since = now(), delete_at = null, next_at = null,
           revision = revision + 1
     where ${ofApplication(organizationId, applicationId)} and remote_id = any(${remoteIds}::text[])`)

/** Takes over accounts that the provider has already. */
export const linkAccounts = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  links: readonly { user_id: string; remote_id: string }[],
) =>
  tx.run(sql`
    update provisioning_users p set ${touched}, remote_id = l.remote_id, written = null
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as l (user_id text, remote_id text)
     where p.organization_id = ${organizationId} and p.application_id = ${applicationId} and p.user_id = l.user_id
       and p.remote_id is null`)

/** Bound users whose account waits because the provider has one with its name. */
export const parkedAsExisting = (db: Queryable, organizationId: string, applicationId: string) =>
  db.many<AccountRow>(sql`
    select * from provisioning_users
     where ${ofApplication(organizationId, applicationId)}
       and parked and bound and remote_id is null and error_kind = 'exists'`)

/** Accounts that are not linked yet, by user id or by user name. */
export const unlinkedAccounts = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
  userNames: readonly string[],
) =>
  db.many<AccountRow>(sql`
    select p.* from provisioning_users p left join users u on u.organization_id = p.organization_id and u.id = p.user_id
     where p.organization_id = ${organizationId} and p.application_id = ${applicationId} and p.remote_id is null
       and (p.user_id = any(${userIds}::text[]) or lower(u.username) = any(${userNames.map((name) => name.toLowerCase())}::text[]))`)
