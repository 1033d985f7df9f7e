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
  /** As far as it is known. */
  user?: { id: string; username: string } | undefined
  mfa?: boolean
  /** `message` is for the administrator. */
  refusal?: { reason: string; message: string } | undefined
  request?: string | undefined
  /** Written only if it is kept. */
  response?: (() => string) | undefined
}

/** Now and then is enough for a table that may hold a few more than are shown. */
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

/** The event for the watch book; a logout is not one of sign-in. */
function tell(tx: Tx, { application, user, ...attempt }: Attempt): Promise<unknown> {
  const { organizationId, id, name, displayLabel, ssoUrl } = application
  return recordSsoEvent(tx, organizationId, attempt.client, {
    initiated_by: { type: 'user', ...(user && { id: user.id, username: user.username }) },
    application: { id, name, display_label: displayLabel, sso_url: ssoUrl },
    idp_initiated: attempt.idpInitiated,
    mfa: attempt.mfa ?? false,
    error_message: attempt.refusal && `${attempt.refusal.reason}: ${attempt.refusal.message}`,
  })
}

/** Of the many that go well some are enough for the debug view: only the last fifty are ever shown. */
const successes = new TokenBucket({ atOnce: 100, aSecond: 10 })

/**
 * Anybody can send what is refused, as often as they like. Of what comes from nobody we know, so much is written down for
 * each application and address, and for each application from everywhere; the rest is answered all the same, and counted
 * by the metrics like every answer.
 */
const refusalsFrom = new TokenBucket({ atOnce: 200, aSecond: 1 / 3 })
const refusalsOf = new TokenBucket({ atOnce: 1000, aSecond: 1 })

interface Recordable extends Pick<Attempt, 'refusal' | 'user'> {
  application: Pick<SsoApplication, 'id'>
  client: Pick<Client, 'ip'>
}

/** False: leave no trace of it in the database. */
export function mayRecord(
  { refusal, user, application: { id }, client }: Recordable,
  now = Date.now(),
): boolean {
  if (!refusal || user) return true
  return refusalsFrom.take(`${id} ${addressKey(client.ip)}`, now) && refusalsOf.take(id, now)
}

/**
 * One statement each, all sent before the first answer: `Db.together` takes no second round, and in a plain transaction
 * the rollback of a failure comes after them.
 */
export async function recordAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  const { organizationId, id } = attempt.application
  const kept = attempt.refusal !== undefined || successes.take(id, Date.now())
  await Promise.all([
    attempt.kind === 'sign-in' && tell(tx, attempt),
    kept && keep(tx, attempt),
    kept && Math.random() * TRIM_ONE_IN < 1 && trimAttempts(tx, organizationId, id),
  ])
}
