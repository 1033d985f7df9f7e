import type { SsoApplication } from '../applications/index.ts'
import { recordSsoEvent } from '../insights/index.ts'
import { addressKey } from '../platform/address-key.ts'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { uuidv7 } from '../platform/ids.ts'
import { type AttemptRow, insertAttempt, trimAttempts } from './attempt-store.ts'
import { TokenBucket } from './token-bucket.ts'

export interface Attempt {
  kind: AttemptRow['kind']
  application: Pick<SsoApplication, 'organizationId' | 'id' | 'name' | 'displayLabel' | 'ssoUrl'>
  client: Client
  idpInitiated: boolean
  /** Absent until the user is known. */
  user?: { id: string; username: string } | undefined
  mfa?: boolean
  /** `message` is for the administrator. */
  refusal?: { reason: string; message: string } | undefined
  request?: string | undefined
  /** Serialized only if the attempt is kept. */
  response?: (() => string) | undefined
}

/** Trimming occasionally is enough: the table may hold a few more rows than are shown. */
const TRIM_ONE_IN = 16

function keep(tx: Tx, attempt: Attempt): Promise<unknown> {
  const { organizationId, id } = attempt.application
  return insertAttempt(tx, organizationId, id, {
    id: uuidv7(),
    kind: attempt.kind,
    idp_initiated: attempt.idpInitiated,
    reason: attempt.refusal?.reason ?? null,
    explanation: attempt.refusal?.message ?? '',
    user_id: attempt.user?.id ?? null,
    username: attempt.user?.username ?? null,
    client_ip: attempt.client.ip,
    request: attempt.request ?? null,
    response: attempt.response?.() ?? null,
  })
}

/** The audit event of a sign-in; logouts have none of this type. */
function recordSignIn(tx: Tx, { application, user, ...attempt }: Attempt): Promise<unknown> {
  const { organizationId, id, name, displayLabel, ssoUrl } = application
  return recordSsoEvent(tx, organizationId, attempt.client, {
    initiated_by: { type: 'user', ...(user && { id: user.id, username: user.username }) },
    application: { id, name, display_label: displayLabel, sso_url: ssoUrl },
    idp_initiated: attempt.idpInitiated,
    mfa: attempt.mfa ?? false,
    error_message: attempt.refusal && `${attempt.refusal.reason}: ${attempt.refusal.message}`,
  })
}

/** A sample of the successes is enough for the debug view, which shows only the last fifty attempts. */
const successes = new TokenBucket({ capacity: 100, perSecond: 10 })

/**
 * Anyone can send requests that are refused, as often as they like. Recording those without a known user is rate-limited
 * per application and client address, and per application. Requests over the limit are still answered, and counted in
 * the metrics.
 */
const refusalsByAddress = new TokenBucket({ capacity: 200, perSecond: 1 / 3 })
const refusalsByApplication = new TokenBucket({ capacity: 1000, perSecond: 1 })

interface Recordable extends Pick<Attempt, 'refusal' | 'user'> {
  application: Pick<SsoApplication, 'id'>
  client: Pick<Client, 'ip'>
}

/** False: over the rate limit, so write nothing to the database. */
export function mayRecord(
  { refusal, user, application: { id }, client }: Recordable,
  now = Date.now(),
): boolean {
  if (!refusal || user) return true
  return (
    refusalsByAddress.take(`${id} ${addressKey(client.ip)}`, now) &&
    refusalsByApplication.take(id, now)
  )
}

/**
 * One statement each, all sent before the first result arrives: `Db.together` allows a single round trip, and in a plain
 * transaction a rollback then follows all of them.
 */
export async function recordAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  const { organizationId, id } = attempt.application
  const kept = attempt.refusal !== undefined || successes.take(id, Date.now())
  await Promise.all([
    attempt.kind === 'sign-in' && recordSignIn(tx, attempt),
    kept && keep(tx, attempt),
    kept && Math.random() * TRIM_ONE_IN < 1 && trimAttempts(tx, organizationId, id),
  ])
}
