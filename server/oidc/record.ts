import type { OidcApplication } from '../applications/index.ts'
import type { Client } from '../platform/caller.ts'
import { type Attempt, mayRecord, recordAttempt } from '../signon/index.ts'
import type { OidcContext } from './context.ts'
import type { OidcRefusal } from './refusal.ts'

export const attemptOf = (
  application: OidcApplication,
  client: Client,
  more: Pick<Attempt, 'user' | 'mfa' | 'refusal'>,
): Attempt => ({ kind: 'sign-in', application, client, idpInitiated: false, ...more })

/** Records the event of a refused sign-in, within the rate limit for unauthenticated requests. */
export async function recordRefusal(
  { db }: OidcContext,
  application: OidcApplication,
  client: Client,
  refusal: OidcRefusal,
): Promise<void> {
  const attempt = attemptOf(application, client, { refusal, user: refusal.user })
  if (mayRecord(attempt))
    await db.tx(application.organizationId, (tx) => recordAttempt(tx, attempt))
}
