import { isNullViolation, type Queryable } from '../platform/db/index.ts'
import { prepared, type Sql, sql } from '../platform/db/sql.ts'
import {
  attributesIn,
  type Field,
  type FieldKind,
  type Resource,
} from '../platform/list/conditions.ts'
import { readTenantPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'
import { totalOf } from '../platform/list/total.ts'
import { FLAGS, type Profile, TEXTS } from './fields.ts'
import type { SshKey, UserState } from './schema.ts'
import { searchCandidates } from './search-store.ts'

export interface UserRow {
  organization_id: string
  id: string
  username: string
  email: string
  firstname: string
  lastname: string
  employee_identifier: string | null
  manager: string | null
  state: UserState
  unix_uid: number
  unix_guid: number
  profile: Profile
  ssh_keys: SshKey[]
  creation_source: string
  account_locked: boolean
  account_locked_date: string | null
  bad_login_attempts: number
  password_hash: string | null
  password_date: string | null
  password_expiration_date: string | null
  password_expired: boolean
  totp_secret: string | null
  totp_enrolled_at: string | null
  created: string
  updated: string
  deleted_at: string | null
}

const string = (column: Sql): Field => ({ column, kind: 'string' })
const flag = (column: Sql): Field => ({ column, kind: 'boolean' })
const member = (name: string) => sql`profile ->> ${name}::text`

const profileFields: Record<string, Field> = {
  ...Object.fromEntries(TEXTS.map((name) => [name, string(sql`coalesce(${member(name)}, '')`)])),
  ...Object.fromEntries(
    Object.entries(FLAGS).map(([name, byDefault]) => [
      name,
      flag(sql`coalesce((${member(name)})::boolean, ${byDefault}::boolean)`),
    ]),
  ),
}

/** Indexed fields use the collation of their index. */
const fields: [string, Sql, FieldKind][] = [
  ['_id', sql`id`, 'string'],
  ['id', sql`id`, 'string'],
  ['firstname', sql`firstname`, 'string'],
  ['lastname', sql`(lastname collate "C")`, 'string'],
  ['employeeIdentifier', sql`employee_identifier`, 'string'],
  ['manager', sql`manager`, 'string'],
  ['state', sql`state`, 'string'],
  ['suspended', sql`(state = 'SUSPENDED')`, 'boolean'],
  ['activated', sql`(password_hash is not null)`, 'boolean'],
  ['account_locked', sql`account_locked`, 'boolean'],
  ['account_locked_date', sql`account_locked_date`, 'date'],
  ['badLoginAttempts', sql`bad_login_attempts`, 'number'],
  ['creationSource', sql`creation_source`, 'string'],
  ['created', sql`created`, 'date'],
  ['unix_uid', sql`unix_uid`, 'number'],
  ['unix_guid', sql`unix_guid`, 'number'],
  ['password_date', sql`password_date`, 'date'],
  ['password_expiration_date', sql`password_expiration_date`, 'date'],
  [
    'password_expired',
    sql`(password_expired or coalesce(password_expiration_date <= now(), false))`,
    'boolean',
  ],
  ['totp_enabled', sql`(totp_secret is not null)`, 'boolean'],
  ['mfa.configured', sql`(totp_secret is not null)`, 'boolean'],
  ['mfa.exclusion', sql`coalesce((profile -> 'mfa' ->> 'exclusion')::boolean, false)`, 'boolean'],
  ['mfa.exclusionUntil', sql`(profile -> 'mfa' ->> 'exclusionUntil')::timestamptz`, 'date'],
  ['recoveryEmail.address', sql`(profile -> 'recoveryEmail' ->> 'address')`, 'string'],
]

export const userResource: Resource = {
  fields: {
    ...Object.fromEntries(fields.map(([name, column, kind]) => [name, { column, kind }])),
    username: { column: sql`(username collate "C")`, kind: 'string', folded: sql`username_key` },
    email: { column: sql`(email collate "C")`, kind: 'string', folded: sql`email_key` },
    ...profileFields,
  },
  more: attributesIn(sql`profile -> 'attributes'`),
  defaultSort: '_id',
  tieBreak: sql`id`,
  searchFields: ['username', 'email', 'firstname', 'lastname', 'displayname'],
  maxLimit: 1000,
}

export const listUsers = (db: Queryable, organizationId: string, list: ListQuery) =>
  readTenantPage<UserRow>(db, sql`users`, organizationId, sql`deleted_at is null`, list, {
    size: totalOf(organizationId, 'user'),
    candidates: searchCandidates,
  })

export const findUser = (db: Queryable, organizationId: string, id: string) =>
  db.find<UserRow>(
    sql`select * from users where organization_id = ${organizationId} and id = ${id} and deleted_at is null`,
  )

export const findUsers = (db: Queryable, organizationId: string, ids: readonly string[]) =>
  db.many<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and id = any(${ids}::text[]) and deleted_at is null`)

/** Includes deleted users that can be restored. */
export const findPastUser = (db: Queryable, organizationId: string, id: string) =>
  db.one<Pick<UserRow, 'state' | 'created'>>(
    sql`select state, created from users where organization_id = ${organizationId} and id = ${id}`,
  )

/** By username or e-mail address, as typed at sign-in. */
export const findUserByLogin = (db: Queryable, organizationId: string, login: string) =>
  db.one<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and deleted_at is null
       and (username_key = fold(${login}) or email_key = lower(${login}))
     order by username_key = fold(${login}) desc limit 1`)

/** Locks against other changes. Others can still set the user as their manager: see `holdUser`. */
export const lockUser = (tx: Queryable, organizationId: string, id: string) =>
  tx.one<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and id = ${id} and deleted_at is null for no key update`)

export const lockUserToDelete = (tx: Queryable, organizationId: string, id: string) =>
  tx.one<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and id = ${id} and deleted_at is null for update`)

/**
 * Serializes deletions per organization until the end of the transaction: each locks the user, the direct reports and
 * the new manager, so two could deadlock.
 */
export const lockDeletions = (tx: Queryable, organizationId: string) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`delete user ${organizationId}`}, 0))`)

export const lockDeletedUser = (tx: Queryable, organizationId: string, id: string) =>
  tx.one<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and id = ${id} and deleted_at is not null for update`)

/** In the order of their ids, so that two callers do not deadlock. */
export const lockUsers = (tx: Queryable, organizationId: string, ids: readonly string[]) =>
  tx.many<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and id = any(${ids}::text[]) and deleted_at is null
     order by id for no key update`)

/** Key-share locks: the users cannot be deleted until the transaction ends. */
export const holdUsers = (tx: Queryable, organizationId: string, ids: readonly string[]) =>
  tx.many<{ id: string }>(sql`
    select id from users
     where organization_id = ${organizationId} and id = any(${ids}::text[]) and deleted_at is null
     order by id for key share`)

export const holdUser = async (tx: Queryable, organizationId: string, id: string) =>
  (await holdUsers(tx, organizationId, [id]))[0]

export const lockReports = (tx: Queryable, organizationId: string, managerId: string) =>
  tx.many<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and manager = ${managerId} and deleted_at is null
     order by id for no key update`)

export const countUsers = async (db: Queryable, organizationId: string): Promise<number> =>
  (await db.one<{ total: number }>(totalOf(organizationId, 'user')))!.total

/**
 * Takes a block of uids, without those set explicitly; the first user of an organization gets 5001. Commits
 * asynchronously: the later commit of the user flushes this one too.
 */
export const takeUnixUids = async (
  db: Queryable,
  organizationId: string,
  count: number,
): Promise<number[]> =>
  (await db.one<{ uids: number[] }>(sql`
    with quick as materialized (select set_config('synchronous_commit', 'off', true)),
    taken as (
      insert into user_counters as c (organization_id, name, next)
      select ${organizationId}, 'unix_uid', 5001 + ${count}::int from quick
      on conflict (organization_id, name) do update set next = c.next + ${count}::int
      returning next - ${count}::int as first, next - 1 as last)
    select coalesce(json_agg(n order by n), '[]') as uids
      from taken, generate_series(first, last) as n
     where not exists (select from unix_ids_by_hand h where h.organization_id = ${organizationId} and h.id = n)`))!
    .uids

/** Excludes these ids from assignment; waits for transactions that are assigning one of them. */
export const claimUnixIds = (tx: Queryable, organizationId: string, ids: readonly number[]) =>
  tx.run(sql`
    with locked as materialized (
      select id, pg_advisory_xact_lock(unix_id_lock(${organizationId}, id)) from unnest(${[...ids].sort((a, b) => a - b)}::bigint[]) as i (id))
    insert into unix_ids_by_hand (organization_id, id)
    select ${organizationId}, id from locked on conflict do nothing`)

/** The next uid, in the transaction of its user. */
export const takeUnixUid = async (tx: Queryable, organizationId: string): Promise<number> =>
  (await tx.one<{ uid: number }>(sql`
    insert into user_counters as c (organization_id, name, next) values (${organizationId}, 'unix_uid', 5002)
    on conflict (organization_id, name) do update set next = c.next + 1
    returning next - 1 as uid`))!.uid

/** Serializes user creation in the organization, so that the count is exact. */
export const lockUserCount = (tx: Queryable, organizationId: string) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`count users ${organizationId}`}, 0))`)

const insertInto = sql`
    insert into users (organization_id, id, username, email, firstname, lastname, employee_identifier, manager, state,
                       unix_uid, unix_guid, profile, ssh_keys, creation_source, account_locked, account_locked_date,
                       password_hash, password_date, password_expiration_date, created, updated)`

/** `assigned`: see `isNumberTaken`. */
export const insertUser = (tx: Queryable, row: UserRow, assigned = false) => {
  const { organization_id, unix_uid } = row
  const uid = assigned
    ? sql`case when unix_id_is_free(${organization_id}, ${unix_uid}) then ${unix_uid}::bigint end`
    : sql`${unix_uid}`
  return tx.run(
    prepared(sql`${insertInto}
    values (${organization_id}, ${row.id}, ${row.username}, ${row.email}, ${row.firstname}, ${row.lastname},
            ${row.employee_identifier}, ${row.manager}, ${row.state}, ${uid}, ${row.unix_guid},
            ${JSON.stringify(row.profile)}, ${JSON.stringify(row.ssh_keys)}, ${row.creation_source},
            ${row.account_locked}, ${row.account_locked_date}, ${row.password_hash}, ${row.password_date},
            ${row.password_expiration_date}, ${row.created}, ${row.updated})`),
  )
}

/**
 * In the order given. Fails when a uid that was assigned has been set explicitly since: see `isNumberTaken`. An error,
 * not a row count, because it must abort the pipelined statements behind it.
 */
export const insertUsers = (
  tx: Queryable,
  users: readonly { row: UserRow; byHand: { uid: number | null } }[],
) => {
  const [{ row, byHand }] = users as [(typeof users)[0]]
  if (users.length === 1) return insertUser(tx, row, byHand.uid === null)
  const rows = users.map(({ row, byHand }) => ({ ...row, assigned: byHand.uid === null }))
  // One text for any number of users, so that it is prepared.
  return tx.run(
    prepared(sql`${insertInto}
    select organization_id, id, username, email, firstname, lastname, employee_identifier, manager, state,
           case when not assigned or unix_id_is_free(organization_id, unix_uid) then unix_uid end, unix_guid, profile,
           ssh_keys, creation_source, account_locked, account_locked_date, password_hash, password_date,
           password_expiration_date, created, updated
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
           organization_id text, id text, username text, email text, firstname text, lastname text,
           employee_identifier text, manager text, state text, unix_uid bigint, assigned boolean, unix_guid bigint,
           profile jsonb, ssh_keys jsonb, creation_source text, account_locked boolean,
           account_locked_date timestamptz, password_hash text, password_date timestamptz,
           password_expiration_date timestamptz, created timestamptz, updated timestamptz)`),
  )
}

export const isNumberTaken = (error: unknown): boolean =>
  isNullViolation(error, 'users', 'unix_uid')

export const saveUser = (tx: Queryable, row: UserRow) =>
  tx.run(sql`
    update users
       set username = ${row.username}, email = ${row.email}, firstname = ${row.firstname}, lastname = ${row.lastname},
           employee_identifier = ${row.employee_identifier}, manager = ${row.manager}, state = ${row.state},
           unix_uid = ${row.unix_uid}, unix_guid = ${row.unix_guid}, profile = ${JSON.stringify(row.profile)},
           ssh_keys = ${JSON.stringify(row.ssh_keys)}, account_locked = ${row.account_locked},
           account_locked_date = ${row.account_locked_date}, bad_login_attempts = ${row.bad_login_attempts},
           password_hash = ${row.password_hash}, password_date = ${row.password_date},
           password_expiration_date = ${row.password_expiration_date}, password_expired = ${row.password_expired},
           totp_secret = ${row.totp_secret}, totp_enrolled_at = ${row.totp_enrolled_at},
           deleted_at = ${row.deleted_at}, updated = now()
     where organization_id = ${row.organization_id} and id = ${row.id}`)

/** Deletes permanently; dependent rows cascade. */
export const purgeUsers = (tx: Queryable, organizationId: string, deletedBefore: Date) =>
  tx.run(
    sql`delete from users where organization_id = ${organizationId} and deleted_at < ${deletedBefore}`,
  )
