import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { AccountState } from './schema.ts'

/** A row of provisioning_users. */
export interface AccountRow {
  user_id: string
  username: string
  bound: boolean
  state: AccountState
  since: string
  remote_id: string | null
  written: Record<string, unknown> | null
  revision: number
  next_at: string | null
  urgent: boolean
  attempts: number
  failing_since: string | null
  error_kind: string | null
  error: string | null
  parked: boolean
  removal_since: string | null
  removal_confirmed: boolean
  removed_at: string | null
  delete_at: string | null
}

const iso = (time: number): string => new Date(time).toISOString()

/** The columns of a row that has a new reason to be compared; failures are forgotten, since something has changed. */
export const touched = sql`revision = p.revision + 1, next_at = now(), attempts = 0, failing_since = null, parked = false`

export const ofApplication = (organizationId: string, applicationId: string): Sql =>
  sql`organization_id = ${organizationId} and application_id = ${applicationId}`

/** Compares these users of these applications soon; accounts that may end go first. */
export const touchAccounts = async (
  tx: Queryable,
  organizationId: string,
  applicationIds: readonly string[],
  userIds: readonly string[],
  urgent: boolean,
): Promise<number> =>
  tx.run(sql`
    insert into provisioning_users as p (organization_id, application_id, user_id, next_at, urgent, removal_since)
    select ${organizationId}, a, u, now(), ${urgent}, case when ${urgent}::boolean then now() end
      from unnest(${applicationIds}::text[]) a, unnest(${userIds}::text[]) u order by a, u
    on conflict (organization_id, application_id, user_id) do update
       set ${touched}, urgent = p.urgent or excluded.urgent,
           removal_since = coalesce(p.removal_since, excluded.removal_since)`)

/**
 * Locks rows in the order that all writers keep, so that they wait for each other, but never in a circle. A writer of
 * several rows locks all of them first.
 */
const locked = (organizationId: string, which: Sql): Sql => sql`
  select application_id, user_id from provisioning_users
   where organization_id = ${organizationId} and (${which}) order by application_id, user_id for update`

const ofUsers = (userIds: readonly string[]): Sql => sql`user_id = any(${userIds}::text[])`

/** Locks the accounts of the first users at the application, and all accounts of the others. */
export const lockAccounts = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
  otherIds: readonly string[],
) =>
  tx.run(
    locked(
      organizationId,
      sql`application_id = ${applicationId} and ${ofUsers(userIds)} or ${ofUsers(otherIds)}`,
    ),
  )

/** Whether any of these users has, or had, an account. */
export const haveAccounts = async (
  tx: Queryable,
  organizationId: string,
  userIds: readonly string[],
): Promise<boolean> =>
  (await tx.one(sql`
    select 1 as one from provisioning_users
     where organization_id = ${organizationId} and ${ofUsers(userIds)} limit 1`)) !== undefined

/** Compares the accounts that these users have, first those that may end; returns their applications. */
export const touchAccountsOf = async (
  tx: Queryable,
  organizationId: string,
  userIds: readonly string[],
  endingIds: readonly string[] = [],
): Promise<string[]> => {
  const rows = await tx.many<{ id: string }>(sql`
    with locked as (${locked(organizationId, ofUsers(userIds))})
    update provisioning_users p
       set ${touched}, urgent = p.urgent or p.user_id = any(${endingIds}::text[]),
           removal_since = case when p.user_id = any(${endingIds}::text[])
             then coalesce(p.removal_since, now()) else p.removal_since end
      from locked l
     where p.organization_id = ${organizationId} and p.application_id = l.application_id and p.user_id = l.user_id
    returning p.application_id::text as id`)
  return [...new Set(rows.map(({ id }) => id))]
}

/**
 * Makes the rows follow the bindings: new users get one, and each whose binding has changed is compared. `all` compares
 * everyone's attributes too.
 */
export async function sweepAccounts(
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  boundIds: readonly string[],
  since: string,
  all: boolean,
): Promise<void> {
  await tx.run(sql`
    insert into provisioning_users as p (organization_id, application_id, user_id, next_at)
    select ${organizationId}, ${applicationId}, u, now() from unnest(${boundIds}::text[]) u order by u
    on conflict (organization_id, application_id, user_id) do update set ${touched}
     where not p.bound or p.removal_since is not null or ${all}`)
  await tx.run(sql`
    update provisioning_users p
       set ${touched}, urgent = true, removal_since = coalesce(p.removal_since, ${since})
     where organization_id = ${organizationId} and application_id = ${applicationId}
       and (bound or next_at is not null or ${all}) and state <> 'none'
       and user_id <> all(${boundIds}::text[])`)
}

export const readDueAccounts = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  now: number,
  limit: number,
) =>
  db.many<AccountRow>(sql`
    select * from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and next_at <= ${iso(now)}
     order by urgent desc, next_at limit ${limit}`)

/** The result of one comparison, as it is saved. */
export interface AccountResult {
  user_id: string
  /** As read; a later reason to compare remains. */
  revision: number
  username: string
  bound: boolean
  state: AccountState
  remote_id: string | null
  written: Record<string, unknown> | null
  next_at: string | null
  attempts: number
  failing_since: string | null
  error_kind: string | null
  error: string | null
  parked: boolean
  removal_since: string | null
  removal_confirmed: boolean
  removed_at: string | null
  removal_ms: number | null
  delete_at: string | null
}

/**
 * Saves results while the lease is held: a worker that lost it must not overwrite its successor's. The rows are there; as
 * an upsert each is found by its key, even while the statistics do not know the application. Locks them in order.
 */
export const saveResults = (
  tx: Queryable,
  organizationId: string,
  { applicationId, token }: { applicationId: string; token: string },
  results: readonly AccountResult[],
) =>
  tx.run(sql`
    insert into provisioning_users as p (organization_id, application_id, user_id, revision, username, bound, state,
           remote_id, written, next_at, attempts, failing_since, error_kind, error, parked, removal_since,
           removal_confirmed, removed_at, removal_ms, delete_at)
    select ${organizationId}, ${applicationId}, user_id, revision, username, bound, state, remote_id, written, next_at,
           attempts, failing_since, error_kind, error, parked, removal_since, removal_confirmed, removed_at, removal_ms,
           delete_at
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as (
           user_id text, revision bigint, username text, bound boolean, state text, remote_id text, written jsonb,
           next_at timestamptz, attempts int, failing_since timestamptz, error_kind text, error text, parked boolean,
           removal_since timestamptz, removal_confirmed boolean, removed_at timestamptz, removal_ms bigint,
           delete_at timestamptz)
     where exists (select from provisioning_runs l where l.application_id = ${applicationId} and l.lease = ${token})
     order by user_id
    on conflict (organization_id, application_id, user_id) do update
       set username = excluded.username, bound = excluded.bound, state = excluded.state,
           since = case when p.state = excluded.state then p.since else now() end,
           remote_id = excluded.remote_id, written = excluded.written,
           next_at = case when p.revision = excluded.revision then excluded.next_at else p.next_at end,
           urgent = p.revision <> excluded.revision and p.urgent,
           attempts = excluded.attempts, failing_since = excluded.failing_since, error_kind = excluded.error_kind,
           error = excluded.error, parked = excluded.parked and p.revision = excluded.revision,
           removal_since = case when p.revision = excluded.revision or excluded.removal_since is not null
             then excluded.removal_since else p.removal_since end,
           removal_confirmed = excluded.removal_confirmed,
           removal_late = p.removal_late and excluded.removal_since is not null,
           removed_at = coalesce(excluded.removed_at, p.removed_at),
           removal_ms = coalesce(excluded.removal_ms, p.removal_ms), delete_at = excluded.delete_at`)

/** Before requests are sent: what the provider may hold from now on. */
export const saveUnderWay = (
  tx: Queryable,
  organizationId: string,
  { applicationId, token }: { applicationId: string; token: string },
  writes: readonly Pick<AccountRow, 'user_id' | 'written'>[],
) =>
  tx.run(sql`
    with locked as (${locked(
      organizationId,
      sql`application_id = ${applicationId} and ${ofUsers(writes.map(({ user_id }) => user_id))}`,
    )})
    update provisioning_users p set written = w.written
      from locked l, jsonb_to_recordset(${JSON.stringify(writes)}::jsonb) as w (user_id text, written jsonb)
     where p.organization_id = ${organizationId} and p.application_id = l.application_id and p.user_id = l.user_id
       and w.user_id = l.user_id
       and exists (select from provisioning_runs l where l.application_id = ${applicationId} and l.lease = ${token})`)

/** When the next account is due; null if none is. */
export const nextDue = async (
  db: Queryable,
  organizationId: string,
  applicationId: string,
): Promise<number | null> => {
  const row = await db.one<{ at: string | null }>(sql`
    select min(at) as at from (
      select min(next_at) as at from provisioning_users where ${ofApplication(organizationId, applicationId)}
      union all
      select min(next_at) from provisioning_groups where ${ofApplication(organizationId, applicationId)}) due`)
  return row?.at == null ? null : Date.parse(row.at)
}

/** Due accounts that the provider does not have yet, as far as we know. */
export const countNew = async (
  db: Queryable,
  organizationId: string,
  applicationId: string,
): Promise<number> =>
  (await db.one<{ total: number }>(sql`
    select count(*) as total from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and next_at is not null and remote_id is null`))!
    .total

export const findAccount = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userId: string,
) =>
  db.one<AccountRow>(sql`
    select * from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and user_id = ${userId}`)

export const accountsAfter = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  after: string,
  limit: number,
) =>
  db.many<AccountRow>(sql`
    select * from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and user_id > ${after}
     order by user_id limit ${limit}`)

export const accountsByUser = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
) =>
  db.many<AccountRow>(sql`
    select * from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and user_id = any(${userIds}::text[])`)

export const accountsByRemote = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  remoteIds: readonly string[],
) =>
  db.many<AccountRow>(sql`
    select * from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and remote_id = any(${remoteIds}::text[])`)

export const retryAccount = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  userId: string,
) =>
  tx.run(sql`
    update provisioning_users p set ${touched}
     where ${ofApplication(organizationId, applicationId)} and user_id = ${userId}`)

/** For a new provider: each account is looked up again. */
export const forgetRemoteAccounts = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
) =>
  tx.run(sql`
    update provisioning_users p set ${touched}, remote_id = null, written = null, state = 'pending', delete_at = null
     where ${ofApplication(organizationId, applicationId)}`)
