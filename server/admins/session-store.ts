import type { Queryable } from '../platform/db.ts'
import { sql } from '../platform/sql.ts'

// Global: a session is looked up before the administrator's tenant is known.

export interface SessionRow {
  hash: Buffer
  administrator_id: string
  csrf_hash: Buffer
  mfa_owed: 'totp' | 'enrollment' | null
  mfa: boolean
  client_ip: string | null
  useragent: string | null
  created: string
  seen_at: string
  expires_at: string
}

export type NewSession = Pick<
  SessionRow,
  | 'hash'
  | 'administrator_id'
  | 'csrf_hash'
  | 'mfa_owed'
  | 'mfa'
  | 'client_ip'
  | 'useragent'
  | 'expires_at'
>

export const insertSession = (db: Queryable, row: NewSession) =>
  db.run(sql`
    insert into sessions (hash, administrator_id, csrf_hash, mfa_owed, mfa, client_ip, useragent, expires_at)
    values (${row.hash}, ${row.administrator_id}, ${row.csrf_hash}, ${row.mfa_owed}, ${row.mfa}, ${row.client_ip}, ${row.useragent}, ${row.expires_at})`)

/** `idleMinutes` without a request end a session before its time. */
export const findSession = (db: Queryable, hash: Buffer, idleMinutes: number) =>
  db.find<SessionRow>(sql`
    select * from sessions
     where hash = ${hash} and expires_at > now() and seen_at > now() - make_interval(mins => ${idleMinutes}::int)`)

export const touchSession = (db: Queryable, hash: Buffer) =>
  db.run(sql`update sessions set seen_at = now() where hash = ${hash}`)

export const deleteSession = (db: Queryable, hash: Buffer) =>
  db.run(sql`delete from sessions where hash = ${hash}`)

export const deleteSessionsOf = (
  db: Queryable,
  administratorId: string,
  except: Buffer | null = null,
) =>
  db.run(
    sql`delete from sessions where administrator_id = ${administratorId} and (${except}::bytea is null or hash <> ${except})`,
  )

export const listSessionsOf = (db: Queryable, administratorId: string) =>
  db.many<SessionRow>(
    sql`select * from sessions where administrator_id = ${administratorId} and expires_at > now() order by seen_at desc`,
  )

// Failures of sign-in, per subject: `account <e-mail>` or `address <ip>` ----------------------------------

export interface FailureRow {
  failures: number
  blocked_until: string | null
}

/** How many seconds the subject is still blocked; 0 when it is not. */
export async function blockedSeconds(db: Queryable, subjects: string[]): Promise<number> {
  const row = await db.one<{ seconds: number }>(sql`
    select coalesce(max(extract(epoch from blocked_until - now())), 0)::float8 as seconds
      from sign_in_failures where subject = any(${subjects}::text[])`)
  return Math.max(0, row?.seconds ?? 0)
}

/** How many failures within the window block a subject, and for how long. */
export interface Limit {
  failures: number
  windowMinutes: number
  blockMinutes: number
}

/** Counts one more failure inside the window and blocks at the limit, in one statement: no two processes miscount. */
export const countFailure = (db: Queryable, subject: string, limit: Limit) =>
  db.one<FailureRow>(sql`
    with setting as (
      select now() - make_interval(mins => ${limit.windowMinutes}::int) as opened,
             now() + make_interval(mins => ${limit.blockMinutes}::int) as blocked_until
    )
    insert into sign_in_failures as f (subject, failures, first_at, blocked_until)
    select ${subject}, 1, now(), case when ${limit.failures}::int <= 1 then setting.blocked_until end
      from setting
    on conflict (subject) do update set
      failures = case when f.first_at < (select opened from setting) then 1 else f.failures + 1 end,
      first_at = case when f.first_at < (select opened from setting) then now() else f.first_at end,
      blocked_until = case
        when (case when f.first_at < (select opened from setting) then 1 else f.failures + 1 end) >= ${limit.failures}::int
        then (select blocked_until from setting) end
    returning failures, blocked_until`)

export const clearFailures = (db: Queryable, subjects: string[]) =>
  db.run(sql`delete from sign_in_failures where subject = any(${subjects}::text[])`)

// One-time links for a new password ------------------------------------------------------------------------

export const insertPasswordReset = (
  db: Queryable,
  hash: Buffer,
  administratorId: string,
  expiresAt: string,
) =>
  db.run(
    sql`insert into password_resets (hash, administrator_id, expires_at) values (${hash}, ${administratorId}, ${expiresAt})`,
  )

export const findPasswordReset = (db: Queryable, hash: Buffer) =>
  db.one<{ administrator_id: string }>(
    sql`select administrator_id from password_resets where hash = ${hash} and expires_at > now()`,
  )

/** Deleting is using: a link works once, even when clicked twice at the same moment. */
export const takePasswordReset = (db: Queryable, hash: Buffer) =>
  db.one<{ administrator_id: string }>(
    sql`delete from password_resets where hash = ${hash} and expires_at > now() returning administrator_id`,
  )

export const deletePasswordResetsOf = (db: Queryable, administratorId: string) =>
  db.run(sql`delete from password_resets where administrator_id = ${administratorId}`)
