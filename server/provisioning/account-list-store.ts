import type { Queryable } from '../platform/db/index.ts'
import { empty, sql } from '../platform/db/sql.ts'
import { type AccountRow, ofApplication } from './account-store.ts'

// Accounts as the API shows them.

interface AccountFilter {
  state?: string | undefined
  parked?: boolean | undefined
  waiting?: boolean | undefined
  search?: string | undefined
}

export async function listAccounts(
  db: Queryable,
  organizationId: string,
  applicationId: string,
  { state, parked, waiting, search }: AccountFilter,
  limit: number,
  skip: number,
): Promise<{ rows: AccountRow[]; total: number }> {
  const where = sql`${ofApplication(organizationId, applicationId)}
    ${state === undefined ? empty : sql`and state = ${state}`}
    ${parked === undefined ? empty : sql`and parked = ${parked}`}
    ${waiting === undefined ? empty : sql`and (next_at is not null) = ${waiting}`}
    ${search === undefined ? empty : sql`and position(lower(${search}) in lower(username)) > 0`}`
  const rows = await db.many<AccountRow>(sql`
    select * from provisioning_users where ${where}
     order by parked desc, (error is not null) desc, username, user_id limit ${limit} offset ${skip}`)
  const count = await db.one<{ total: number }>(
    sql`select count(*) as total from provisioning_users where ${where}`,
  )
  return { rows, total: count!.total }
}

/** The accounts of one person, in every application. */
export const accountsOfUser = (db: Queryable, organizationId: string, userId: string) =>
  db.many<AccountRow & { application_id: string; active: boolean }>(sql`
    select p.*, c.status = 'active' as active
      from provisioning_users p join provisioning_connections c using (organization_id, application_id)
     where p.organization_id = ${organizationId} and p.user_id = ${userId} order by p.application_id`)

/** A row that was never compared (pending) was made for one who is bound. */
export const countAccounts = async (db: Queryable, organizationId: string, applicationId: string) =>
  (await db.one<{
    bound: number
    provisioned: number
    staged: number
    none: number
    deactivated: number
    deleted: number
    waiting: number
    failing: number
    parked: number
    removals_waiting: number
    oldest_removal: string | null
  }>(sql`
    select count(*) filter (where bound or state = 'pending') as bound,
           count(*) filter (where state = 'provisioned') as provisioned,
           count(*) filter (where state = 'staged') as staged,
           count(*) filter (where bound and state = 'none') as none,
           count(*) filter (where state = 'deactivated') as deactivated,
           count(*) filter (where state = 'deleted') as deleted,
           count(*) filter (where next_at is not null and not (state = 'deactivated' and delete_at is not null and error is null)) as waiting,
           count(*) filter (where error is not null and not parked) as failing,
           count(*) filter (where parked) as parked,
           count(*) filter (where removal_since is not null and state = 'provisioned') as removals_waiting,
           min(removal_since) filter (where state = 'provisioned') as oldest_removal
      from provisioning_users where ${ofApplication(organizationId, applicationId)}`))!

/** The deprovision clock of the last 30 days. */
export const removalTimes = async (db: Queryable, organizationId: string, applicationId: string) =>
  (await db.one<{
    removals: number
    p50: number | null
    p95: number | null
    p99: number | null
  }>(sql`
    select count(*) as removals,
           round(percentile_cont(0.5) within group (order by removal_ms))::int8 as p50,
           round(percentile_cont(0.95) within group (order by removal_ms))::int8 as p95,
           round(percentile_cont(0.99) within group (order by removal_ms))::int8 as p99
      from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and removed_at > now() - interval '30 days'`))!

/** True unless the application asks for an account before sign-on and the user has none yet. */
export const isProvisioned = async (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userId: string,
): Promise<boolean> =>
  // Read at every sign-on, so over the shared connection.
  (await db.find(sql`
    select 1 from provisioning_connections c
     where c.organization_id = ${organizationId} and c.application_id = ${applicationId}
       and (c.settings ->> 'requireProvisioned')::boolean and c.status <> 'inactive'
       and not exists (select from provisioning_users p
                        where p.organization_id = c.organization_id and p.application_id = c.application_id
                          and p.user_id = ${userId} and p.state = 'provisioned')`)) === undefined
