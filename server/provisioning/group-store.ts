import type { Queryable } from '../platform/db/index.ts'
import { empty, sql } from '../platform/db/sql.ts'
import { ofApplication } from './account-store.ts'
import type { GroupState } from './schema.ts'

/** A row of provisioning_groups. */
export interface GroupAccountRow {
  group_id: string
  name: string
  state: GroupState
  since: string
  remote_id: string | null
  written_name: string | null
  revision: number
  next_at: string | null
  attempts: number
  error_kind: string | null
  error: string | null
  parked: boolean
}

/** Of a row `p`: it is looked at again now. */
const touched = sql`revision = p.revision + 1, next_at = now(), attempts = 0, parked = false`

export const touchGroups = (
  tx: Queryable,
  organizationId: string,
  applicationIds: readonly string[],
  groupIds: readonly string[],
) =>
  tx.run(sql`
    insert into provisioning_groups as p (organization_id, application_id, group_id, next_at)
    select ${organizationId}, a, g, now()
      from unnest(${applicationIds}::text[]) a, unnest(${groupIds}::text[]) g order by a, g
    on conflict (organization_id, application_id, group_id) do update
       set ${touched}`)

/** After a sweep, or when accounts have come or gone: all groups of the application, cheap to compare. */
export const touchAllGroups = (tx: Queryable, organizationId: string, applicationId: string) =>
  tx.run(sql`
    update provisioning_groups p set ${touched}
     where ${ofApplication(organizationId, applicationId)} and state <> 'deleted'`)

export const readDueGroups = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  now: number,
  limit: number,
) =>
  db.many<GroupAccountRow>(sql`
    select * from provisioning_groups
     where ${ofApplication(organizationId, applicationId)} and next_at <= ${new Date(now).toISOString()}
     order by next_at limit ${limit}`)

export const countGroups = async (db: Queryable, organizationId: string, applicationId: string) =>
  (await db.one<{ provisioned: number; waiting: number; parked: number }>(sql`
    select count(*) filter (where state = 'provisioned') as provisioned,
           count(*) filter (where next_at is not null) as waiting, count(*) filter (where parked) as parked
      from provisioning_groups where ${ofApplication(organizationId, applicationId)}`))!

/** As the API shows them. */
export async function listGroupAccounts(
  db: Queryable,
  organizationId: string,
  applicationId: string,
  { parked }: { parked?: boolean | undefined },
  limit: number,
  skip: number,
): Promise<{ rows: GroupAccountRow[]; total: number }> {
  const where = sql`${ofApplication(organizationId, applicationId)}
    ${parked === undefined ? empty : sql`and parked = ${parked}`}`
  const rows = await db.many<GroupAccountRow>(sql`
    select * from provisioning_groups where ${where}
     order by parked desc, (error is not null) desc, name, group_id limit ${limit} offset ${skip}`)
  const count = await db.one<{ total: number }>(
    sql`select count(*) as total from provisioning_groups where ${where}`,
  )
  return { rows, total: count!.total }
}

export const retryGroupAccount = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  groupId: string,
) =>
  tx.run(sql`
    update provisioning_groups p set ${touched}
     where ${ofApplication(organizationId, applicationId)} and group_id = ${groupId}`)

/** Accounts of these users that can be members: they exist at the provider and are active. */
export const accountsOfMembers = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
) =>
  db.many<{ user_id: string; remote_id: string }>(sql`
    select user_id::text as user_id, remote_id from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and user_id = any(${userIds}::text[])
       and state = 'provisioned' and remote_id is not null`)

export const writtenMembers = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  groupId: string,
) =>
  db.many<{ user_id: string; remote_id: string }>(sql`
    select user_id::text as user_id, remote_id from provisioning_members
     where ${ofApplication(organizationId, applicationId)} and group_id = ${groupId}`)

export async function saveMembers(
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  groupId: string,
  added: readonly { user_id: string; remote_id: string }[],
  removed: readonly { user_id: string }[],
): Promise<void> {
  if (removed.length > 0)
    await tx.run(sql`
      delete from provisioning_members
       where ${ofApplication(organizationId, applicationId)} and group_id = ${groupId}
         and user_id = any(${removed.map(({ user_id }) => user_id)}::text[])`)
  if (added.length > 0)
    await tx.run(sql`
      insert into provisioning_members (organization_id, application_id, group_id, user_id, remote_id)
      select ${organizationId}, ${applicationId}, ${groupId}, m.user_id, m.remote_id
        from jsonb_to_recordset(${JSON.stringify(added)}::jsonb) as m (user_id text, remote_id text)
      on conflict (organization_id, application_id, group_id, user_id) do update set remote_id = excluded.remote_id`)
}

export const forgetMembers = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  groupId: string,
) =>
  tx.run(sql`
    delete from provisioning_members
     where ${ofApplication(organizationId, applicationId)} and group_id = ${groupId}`)

export interface GroupResult {
  group_id: string
  revision: number
  name: string
  state: GroupAccountRow['state']
  remote_id: string | null
  written_name: string | null
  next_at: string | null
  attempts: number
  error_kind: string | null
  error: string | null
  parked: boolean
}

/** While the lease is held, as for accounts. */
export const saveGroup = (
  tx: Queryable,
  organizationId: string,
  { applicationId, token }: { applicationId: string; token: string },
  r: GroupResult,
) =>
  tx.run(sql`
    update provisioning_groups
       set name = ${r.name}, state = ${r.state}, since = case when state = ${r.state} then since else now() end,
           remote_id = ${r.remote_id}, written_name = ${r.written_name},
           next_at = case when revision = ${r.revision} then ${r.next_at}::timestamptz else next_at end,
           attempts = ${r.attempts}, error_kind = ${r.error_kind}, error = ${r.error},
           parked = ${r.parked} and revision = ${r.revision}
     where ${ofApplication(organizationId, applicationId)} and group_id = ${r.group_id}
       and exists (select from provisioning_runs l where l.application_id = ${applicationId} and l.lease = ${token})`)

export const forgetRemoteGroups = async (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
) => {
  await tx.run(
    sql`delete from provisioning_members where ${ofApplication(organizationId, applicationId)}`,
  )
  await tx.run(sql`
    update provisioning_groups
       set remote_id = null, written_name = null, state = 'pending', revision = revision + 1, next_at = now()
     where ${ofApplication(organizationId, applicationId)}`)
}
