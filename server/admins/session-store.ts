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
