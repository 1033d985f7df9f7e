import { recordEvent } from '../insights/index.ts'
import type { Client } from '../platform/caller.ts'
import type { Queryable, Tx } from '../platform/db.ts'
import { unauthenticated } from '../platform/errors.ts'
import { clearFailures, countFailure, type Limit, refuseBlocked } from '../platform/failures.ts'
import { countBadLogin, resourceOf, type UserRow, userActor } from '../users/index.ts'
import type { Method, PortalContext } from './context.ts'
import { attemptsAllowed } from './owed.ts'
import { portalSettings } from './settings.ts'

// Attempts to prove who one is: told as events, counted, and stopped when too many fail.

/** Beside the lock of the account, which an organization may have switched off, and for names that nobody has. */
const NAME: Limit = { failures: 30, windowMinutes: 15, blockMinutes: 15 }
/** An address may be that of a whole office. */
const ADDRESS: Limit = { failures: 200, windowMinutes: 15, blockMinutes: 15 }

/** Under which failures are counted: what was typed, or the user where one is known. */
export const nameSubject = (name: string) => `user ${name.trim().toLowerCase()}`
const addressSubject = (client: Client) => `user address ${client.ip}`

export const checkThrottle = (db: Queryable, client: Client, ...names: string[]) =>
  refuseBlocked(db, [addressSubject(client), ...names.map(nameSubject)])

export async function countAttempt(db: Queryable, client: Client, name: string): Promise<void> {
  await countFailure(db, addressSubject(client), ADDRESS)
  await countFailure(db, nameSubject(name), NAME)
}

export const forgiveAttempts = (db: Queryable, ...names: string[]) =>
  clearFailures(db, names.map(nameSubject))

/** The same for everybody who does not get past a step, whatever the reason. */
export const refused = (given: 'name or the password' | 'code' = 'name or the password') =>
  unauthenticated(
    'sign_in_refused',
    `The ${given} is wrong, or this account cannot sign in at the moment`,
  )

const WORDS: Record<Method, string> = { pwd: 'password', otp: 'totp' }

/** `error_message` is there when it failed; the last of the methods is then the one that did. */
export const recordAttempt = (
  tx: Tx,
  user: UserRow,
  client: Client,
  methods: readonly Method[],
  error_message?: string,
) =>
  recordEvent(tx, userActor(user, client), {
    event_type: 'user_login_attempt',
    resource: resourceOf(user),
    success: error_message === undefined,
    ...(error_message !== undefined && { error_message }),
    mfa: methods.includes('otp'),
    ...(methods.includes('otp') && { mfa_meta: { type: 'totp' } }),
    auth_context: {
      auth_methods: Object.fromEntries(
        methods.map((method, at) => [
          WORDS[method],
          { success: error_message === undefined || at < methods.length - 1 },
        ]),
      ),
    },
    target_resource: { type: 'user_portal' },
  })

/** Of somebody who cannot sign in, whatever is typed: told, and not counted. */
export const tellAttempt = async (
  { db }: PortalContext,
  client: Client,
  user: UserRow,
  message: string,
): Promise<void> => {
  await db.tx(user.organization_id, (tx) => recordAttempt(tx, user, client, ['pwd'], message))
}

/** Counted against the account, which the organization may have locked after so many, and told. */
export async function failAttempt(
  context: PortalContext,
  client: Client,
  user: UserRow,
  methods: readonly Method[],
  message: string,
): Promise<void> {
  const { passwordPolicy } = await portalSettings(context.db, user.organization_id)
  await context.db.tx(user.organization_id, async (tx) => {
    await recordAttempt(tx, user, client, methods, message)
    const limit = attemptsAllowed(passwordPolicy)
    await countBadLogin(context, tx, userActor(user, client), user.id, limit)
  })
}
