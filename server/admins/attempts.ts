import { recordEvent } from '../insights/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import type { Queryable } from '../platform/db.ts'
import { unauthenticated } from '../platform/errors.ts'
import {
  type Limit,
  refuseBlocked,
  takeAttempt as take,
  uncountFailure,
} from '../platform/failures.ts'
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

/** One try at proving who one is. */
export interface Attempt {
  email: string
  client: Client
  /** The last one that the account has. */
  last: boolean
}

/** Mails asked for from one address; never given back, for nothing tells whether one was right. */
export async function takeResetTurn({ db }: AdminContext, client: Client): Promise<void> {
  const address = addressSubject(client)
  await refuseBlocked(db, [address])
  await take(db, `reset ${address}`, ADDRESS)
}

/** Counted before it is judged: asking in parallel brings no more attempts than asking one after the other. */
export async function takeAttempt(
  { db }: AdminContext,
  client: Client,
  email: string,
): Promise<Attempt> {
  const [address, account] = [addressSubject(client), accountSubject(email)]
  await refuseBlocked(db, [address, account])
  await take(db, address, ADDRESS)
  const failures = await take(db, account, ACCOUNT)
  return { email, client, last: failures === ACCOUNT.failures }
}

/** It was no failure. */
export async function returnAttempt(db: Queryable, { email, client }: Attempt): Promise<void> {
  await uncountFailure(db, addressSubject(client), ADDRESS)
  await uncountFailure(db, accountSubject(email), ACCOUNT)
}

/** Tells the failure, and that it was one too many. */
export async function fail(
  context: AdminContext,
  { client, last }: Attempt,
  row: AdministratorRow | undefined,
  message: string,
): Promise<never> {
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
      if (last)
        await recordEvent(tx, actor, { event_type: 'admin_lockout', resource, success: false })
    })
  }
  throw unauthenticated('sign_in_refused', 'The e-mail address, the password or the code is wrong')
}
