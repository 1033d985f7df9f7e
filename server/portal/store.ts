import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { Method } from './context.ts'
import type { SignInStep } from './next-step.ts'

export interface SessionRow {
  organization_id: string
  id: string
  user_id: string
  hash: Buffer
  owed: SignInStep | null
  methods: Method[]
  client_ip: string | null
  useragent: string | null
  created: string
  authenticated_at: string
  seen_at: string
  idle_minutes: number
  expires_at: string
}

/** Takes no tenant: the login identifies it. Row-level security applies to everything after. */
export const findLogins = (db: Queryable, login: string, limit: number) =>
  db.many<{ tenant: string; user_id: string }>(
    sql`select tenant, user_id from find_logins(${login}, ${limit}::int) where not is_deleted(tenant)`,
  )

const alive = sql`expires_at > now() and seen_at > now() - make_interval(mins => idle_minutes)`

/** The condition is inlined so that the statement is prepared: this runs with every request. */
export const findSession = (db: Queryable, organizationId: string, hash: Buffer) =>
  db.find<SessionRow>(sql`
    select * from user_sessions
     where organization_id = ${organizationId} and hash = ${hash} and not is_deleted(organization_id)
       and expires_at > now() and seen_at > now() - make_interval(mins => idle_minutes)`)

/** The user of the session, read in parallel with it. The row belongs to the users slice. */
export const findUserOfSession = <UserRow>(db: Queryable, organizationId: string, hash: Buffer) =>
  db.find<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and deleted_at is null
       and id = (select user_id from user_sessions where organization_id = ${organizationId} and hash = ${hash})`)

export const findSessionById = (db: Queryable, organizationId: string, id: string) =>
  db.find<SessionRow>(sql`
    select * from user_sessions
     where organization_id = ${organizationId} and id = ${id} and not is_deleted(organization_id)
       and expires_at > now() and seen_at > now() - make_interval(mins => idle_minutes)`)

export const listSessions = (db: Queryable, organizationId: string, userId: string) =>
  db.many<SessionRow>(sql`
    select * from user_sessions
     where organization_id = ${organizationId} and user_id = ${userId} and owed is null and ${alive}
     order by seen_at desc, id`)

export const insertSession = (tx: Queryable, row: Omit<SessionRow, 'created' | 'seen_at'>) =>
  tx.one<SessionRow>(sql`
    insert into user_sessions (organization_id, id, user_id, hash, owed, methods, client_ip, useragent,
                               authenticated_at, idle_minutes, expires_at)
    values (${row.organization_id}, ${row.id}, ${row.user_id}, ${row.hash}, ${row.owed}, ${row.methods}::text[],
            ${row.client_ip}, ${row.useragent}, ${row.authenticated_at}, ${row.idle_minutes}, ${row.expires_at})
    returning *`)

type NextState = Omit<SessionRow, 'organization_id' | 'id' | 'user_id' | 'created' | 'seen_at'>

/**
 * Keeps the id, since applications refer to it. Returns nothing when the session ended or got another token in the
 * meantime: an ended session must not be revived.
 */
export const advanceSession = (
  tx: Queryable,
  { organization_id, id, hash }: SessionRow,
  next: NextState,
) =>
  tx.one<SessionRow>(sql`
    update user_sessions
       set hash = ${next.hash}, owed = ${next.owed}, methods = ${next.methods}::text[], client_ip = ${next.client_ip},
           useragent = ${next.useragent}, authenticated_at = ${next.authenticated_at}, seen_at = now(),
           idle_minutes = ${next.idle_minutes}, expires_at = ${next.expires_at}
     where organization_id = ${organization_id} and id = ${id} and hash = ${hash}
    returning *`)

export const touchSession = (db: Queryable, organizationId: string, id: string) =>
  db.run(
    sql`update user_sessions set seen_at = now() where organization_id = ${organizationId} and id = ${id}`,
  )

export const lockSession = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  id: string,
): Promise<SessionRow[]> =>
  tx.many(sql`
    select * from user_sessions
     where organization_id = ${organizationId} and user_id = ${userId} and id = ${id} for update`)

export const lockSessionsOf = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  except: string | null = null,
): Promise<SessionRow[]> =>
  tx.many(sql`
    select * from user_sessions
     where organization_id = ${organizationId} and user_id = ${userId}
       and (${except}::text is null or id <> ${except})
     order by id for update`)

export const deleteSession = (tx: Queryable, { organization_id, id }: SessionRow) =>
  tx.run(sql`delete from user_sessions where organization_id = ${organization_id} and id = ${id}`)

export const deleteExpiredSessions = (db: Queryable, organizationId: string) =>
  db.run(
    sql`delete from user_sessions where organization_id = ${organizationId} and not (${alive})`,
  )

// Pending enrolments -----------------------------------------------------------------------------------------

export const saveEnrollment = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  secret: string,
) =>
  tx.run(sql`
    insert into user_totp_enrollments (organization_id, user_id, secret)
    values (${organizationId}, ${userId}, ${secret})
    on conflict (organization_id, user_id) do update set secret = excluded.secret, created = now()`)

/** An abandoned enrolment expires. */
export const findEnrollment = (tx: Queryable, organizationId: string, userId: string) =>
  tx.one<{ secret: string }>(sql`
    select secret from user_totp_enrollments
     where organization_id = ${organizationId} and user_id = ${userId} and created > now() - interval '1 hour'
       for update`)

export const deleteEnrollment = (tx: Queryable, organizationId: string, userId: string) =>
  tx.run(
    sql`delete from user_totp_enrollments where organization_id = ${organizationId} and user_id = ${userId}`,
  )
