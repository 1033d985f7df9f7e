import type { SsoApplication } from '../applications/index.ts'
import { recordSsoEvent } from '../insights/index.ts'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db.ts'
import { uuidv7 } from '../platform/ids.ts'
import { type AttemptRow, insertAttempt, trimAttempts } from './attempt-store.ts'
import type { Refusal } from './refusal.ts'

export interface Attempt {
  kind: AttemptRow['kind']
  application: SsoApplication
  client: Client
  idpInitiated: boolean
  /** As far as it is known. */
  user?: { id: string; username: string } | undefined
  mfa?: boolean
  refusal?: Refusal | undefined
  request?: string | undefined
  response?: string | undefined
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
    explanation: (attempt.refusal?.message ?? '')
      .slice(0, 4096)
      .toWellFormed()
      .replaceAll('\0', ''),
    user_id: attempt.user?.id ?? null,
    username: attempt.user?.username ?? null,
    client_ip: attempt.client.ip,
    request: attempt.request ?? null,
    response: attempt.response ?? null,
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

/**
 * Of the many that go well some are enough: only the last fifty are ever shown. So many at once, and so many a second
 * after that, for each application and process.
 */
const AT_ONCE = 100
const A_SECOND = 10
const budgets = new Map<string, { left: number; at: number }>()
const MOST_BUDGETS = 1000

function isKept({ refusal, application: { id } }: Attempt, now: number): boolean {
  if (refusal) return true
  const { left, at } = budgets.get(id) ?? { left: AT_ONCE, at: now }
  const saved = Math.min(AT_ONCE, left + ((now - at) / 1000) * A_SECOND)
  const kept = saved >= 1
  budgets.set(id, { left: kept ? saved - 1 : saved, at: now })
  if (budgets.size > MOST_BUDGETS) budgets.delete(budgets.keys().next().value!)
  return kept
}

/** Statements that do not wait for one another: the transaction takes one round trip. */
export async function recordAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  const { organizationId, id } = attempt.application
  const kept = isKept(attempt, Date.now())
  await Promise.all([
    attempt.kind === 'sign-in' && tell(tx, attempt),
    kept && keep(tx, attempt),
    kept && Math.random() * TRIM_ONE_IN < 1 && trimAttempts(tx, organizationId, id),
  ])
}
