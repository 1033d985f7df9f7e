import { recordEvent } from '../insights/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import { unauthenticated } from '../platform/errors.ts'
import { addressCounters, inTurn, judge } from '../platform/sign-in-rules.ts'
import type { AdminContext } from './context.ts'
import { resourceOf } from './records.ts'
import type { AdministratorRow } from './store.ts'

// Authentication attempts: failures are counted, recorded as events, and blocked when there are too many.

/** The key under which failures of an account are counted. */
export const accountSubject = (email: string) => `account ${email.trim().toLowerCase()}`

/** Before there is a session, events still name the administrator as the actor. */
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

/**
 * The outcome of an attempt. `done`: no further factor is needed, so earlier failures are cleared. `guessed` is false for
 * a failure that was not a guess.
 */
type Judged<T> = { proven: T; done: boolean } | { failed: string; guessed: boolean }

/** One authentication attempt. `find` returns the account; an unknown one is checked all the same. */
export function attempt<T>(
  context: AdminContext,
  client: Client,
  email: string,
  find: () => Promise<AdministratorRow | undefined>,
  prove: (row: AdministratorRow | undefined) => Promise<Judged<T>>,
): Promise<T> {
  const { db, rules } = context
  const subject = accountSubject(email)
  return inTurn(rules, subject, async () => {
    const row = await find()
    const address = await addressCounters(rules, client, row ? [row.id] : [])
    return judge(db, [{ subject, limit: rules.own }, ...address], async () => {
      const judged = await prove(row)
      if ('proven' in judged) return { right: judged.proven, done: judged.done }
      const reject = (blocked: boolean) => fail(context, client, row, judged.failed, blocked)
      return judged.guessed ? { wrong: reject } : { neither: () => reject(false) }
    })
  })
}

/** Records the failure, and the lockout if it was one too many. */
async function fail(
  context: AdminContext,
  client: Client,
  row: AdministratorRow | undefined,
  message: string,
  blocked: boolean,
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
      if (blocked)
        await recordEvent(tx, actor, { event_type: 'admin_lockout', resource, success: false })
    })
  }
  throw unauthenticated('sign_in_refused', 'The e-mail address, password or code is incorrect')
}
