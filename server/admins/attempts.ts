import { recordEvent } from '../insights/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import { unauthenticated } from '../platform/errors.ts'
import { countFailure, type Limit, refuseBlocked } from '../platform/failures.ts'
import type { AdminContext } from './context.ts'
import { resourceOf } from './records.ts'
import type { AdministratorRow } from './store.ts'

// Failed attempts to prove who one is: counted, told as events, and stopped when they become too many.

/** An account is locked after this many failures; an address, which may be shared, after more. */
const ACCOUNT: Limit = { failures: 5, windowMinutes: 15, blockMinutes: 15 }
const ADDRESS: Limit = { failures: 50, windowMinutes: 15, blockMinutes: 15 }

/** Under which failures of an account are counted. */
export const accountSubject = (email: string) => `account ${email.trim().toLowerCase()}`
const addressSubject = (client: Client) => `address ${client.ip}`

/** Before there is a session, events are still told as the administrator's own. */
export function actorOf(row: AdministratorRow, client: Client, mfa = false): Caller {
  const homeId = (row.provider ?? row.organization)!
  return {
    initiator: { type: 'admin', id: row.id, email: row.email },
    id: row.id,
    authMethod: 'session',
    scopes: new Set(),
    roleNames: [],
    providerId: row.provider,
    homeId,
    organizationIds: new Set(),
    mfa,
    expiresAt: null,
    organizationId: homeId,
    tenantIds: [homeId],
    client,
  }
}

/** Counts the failure, tells it, and locks the account when it was one too many. */
export async function fail(
  context: AdminContext,
  row: AdministratorRow | undefined,
  email: string,
  client: Client,
  message: string,
): Promise<never> {
  await countFailure(context.db, addressSubject(client), ADDRESS)
  const counted = await countFailure(context.db, accountSubject(email), ACCOUNT)
  if (row) {
    const actor = actorOf(row, client)
    const resource = resourceOf(row)
    await context.db.tx(actor.organizationId, async (tx) => {
      await recordEvent(tx, actor, {
        event_type: 'admin_login_attempt',
        resource,
        success: false,
        error_message: message,
      })
      if (counted?.blocked_until && counted.failures === ACCOUNT.failures) {
        await recordEvent(tx, actor, { event_type: 'admin_lockout', resource, success: false })
      }
    })
  }
  throw unauthenticated('sign_in_refused', 'The e-mail address, the password or the code is wrong')
}

/** Of the address, and of the account where one is named. */
export const checkThrottle = (context: AdminContext, client: Client, email?: string) =>
  refuseBlocked(context.db, [
    addressSubject(client),
    ...(email === undefined ? [] : [accountSubject(email)]),
  ])
