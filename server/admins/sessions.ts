import type { Client } from '../platform/caller.ts'
import type { Queryable } from '../platform/db/index.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import { insertSession, type SessionRow } from './session-store.ts'
import type { AdministratorRow } from './store.ts'

const MINUTE = 60_000
const SESSION_MINUTES = 12 * 60
/** A session with only the password checked lasts minutes, not a working day. */
const HALF_OPEN_MINUTES = 10

/** CSRF token: only pages that can read our responses know it. From the session, so that a reloaded page can ask for it. */
export const csrfOf = (token: string): string => sha256(`csrf ${token}`).toString('base64url')

export interface SignedIn {
  administratorId: string
  /** Goes into the cookie; only its hash is stored. */
  token: string
  csrfToken: string
  /** The step still required before the session can be used. */
  owed: SessionRow['mfa_owed']
  expiresAt: string
}

export async function openSession(
  tx: Queryable,
  row: AdministratorRow,
  client: Client,
  owed: SessionRow['mfa_owed'],
  mfa: boolean,
): Promise<SignedIn> {
  const token = randomToken()
  const csrfToken = csrfOf(token)
  const minutes = owed === null ? SESSION_MINUTES : HALF_OPEN_MINUTES
  const expiresAt = new Date(Date.now() + minutes * MINUTE).toISOString()
  await insertSession(tx, {
    hash: sha256(token),
    administrator_id: row.id,
    csrf_hash: sha256(csrfToken),
    mfa_owed: owed,
    mfa,
    client_ip: client.ip,
    useragent: client.userAgent ?? null,
    expires_at: expiresAt,
  })
  return { administratorId: row.id, token, csrfToken, owed, expiresAt }
}
