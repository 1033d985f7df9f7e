import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'

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

type NewSession = Pick<
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

/**
 * A session expires early after `idleMinutes` without a request. It is confirmed if the password was confirmed within
 * `confirmedMinutes`; one that waits for TOTP enrolment never lasts longer, so it counts as confirmed.
 */
export const findSession = (
  db: Queryable,
  hash: Buffer,
  idleMinutes: number,
  confirmedMinutes: number,
) =>
  db.find<SessionRow & { confirmed: boolean }>(sql`
    select *, coalesce(mfa_owed = 'enrollment', false) or
              coalesce(confirmed_at > now() - make_interval(mins => ${confirmedMinutes}::int), false) as confirmed
      from sessions
     where hash = ${hash} and expires_at > now() and seen_at > now() - make_interval(mins => ${idleMinutes}::int)`)

export const touchSession = (db: Queryable, hash: Buffer) =>
  db.run(sql`update sessions set seen_at = now() where hash = ${hash}`)

export const confirmSession = (db: Queryable, hash: Buffer) =>
  db.run(sql`update sessions set confirmed_at = now() where hash = ${hash}`)

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

// One-time links for a new password ------------------------------------------------------------------------

export const insertPasswordReset = (
  db: Queryable,
  hash: Buffer,
  administrator: { id: string; email: string },
  expiresAt: string,
) =>
  db.run(sql`
    insert into password_resets (hash, administrator_id, email, expires_at)
    values (${hash}, ${administrator.id}, ${administrator.email}, ${expiresAt})`)

/** Valid while the administrator has the address that it was sent to. */
const valid = (hash: Buffer): Sql => sql`r.hash = ${hash} and r.expires_at > now() and exists (
  select from administrators a where a.id = r.administrator_id and lower(a.email) = lower(r.email))`

export const findPasswordReset = (db: Queryable, hash: Buffer) =>
  db.one<{ administrator_id: string }>(
    sql`select r.administrator_id from password_resets r where ${valid(hash)}`,
  )

/** Consumes the link by deleting it, so that it works only once, even with concurrent requests. */
export const takePasswordReset = (db: Queryable, hash: Buffer) =>
  db.one<{ administrator_id: string }>(
    sql`delete from password_resets r where ${valid(hash)} returning r.administrator_id`,
  )

export const hasOtherReset = async (db: Queryable, administratorId: string, hash: Buffer) =>
  (await db.one(sql`
    select 1 as one from password_resets where administrator_id = ${administratorId} and hash <> ${hash} limit 1`)) !==
  undefined

export const deletePasswordResetsOf = (db: Queryable, administratorId: string) =>
  db.run(sql`delete from password_resets where administrator_id = ${administratorId}`)
