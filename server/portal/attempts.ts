import { recordEvent } from '../insights/index.ts'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { unauthenticated } from '../platform/errors.ts'
import { type Counter, refuseBlocked, reserve } from '../platform/failures.ts'
import { busy } from '../platform/keyed-mutex.ts'
import { sha256 } from '../platform/secrets.ts'
import { addressCounters, inTurn, judge, type Verdict } from '../platform/sign-in-rules.ts'
import {
  attemptsLeft,
  failLogin,
  isUsedTotp,
  lockUser,
  resourceOf,
  type UserRow,
  userActor,
} from '../users/index.ts'
import type { DeniedSignIn, Method, PortalContext } from './context.ts'
import { attemptsAllowed, refusalOf } from './next-step.ts'
import type { Factor } from './recovery-codes.ts'
import { portalSettings } from './settings.ts'

// Authentication attempts: audited, counted, and blocked after too many failures.

// The subjects that attempts are counted under. Typed names are hashed, so that no input can collide with another
// subject, and a password typed into the wrong field is not stored.

/** A known user, per organization: attempts on the same name elsewhere do not count. */
export const userSubject = ({ organization_id, id }: UserRow) => `user ${organization_id} ${id}`
/** A typed name that matches no user or several; nothing is counted against those accounts. */
export const nameSubject = (name: string, organization?: string) =>
  `name ${organization ?? '-'} ${sha256(name.trim().toLowerCase()).toString('hex')}`

/** The same answer for every refusal, so that accounts cannot be probed. */
export const refused = (given: 'name or the password' | 'code' = 'name or the password') =>
  unauthenticated(
    'sign_in_refused',
    `The ${given} is wrong, or this account cannot sign in at the moment`,
  )

/** With `error` the attempt failed, and the last method is the one that failed. */
export const recordAttempt = (
  tx: Tx,
  user: UserRow,
  client: Client,
  methods: readonly Method[],
  { error: error_message, factor = 'totp' }: { error?: string; factor?: Factor } = {},
) =>
  recordEvent(tx, userActor(user, client), {
    event_type: 'user_login_attempt',
    resource: resourceOf(user),
    success: error_message === undefined,
    ...(error_message !== undefined && { error_message }),
    mfa: methods.includes('otp'),
    ...(methods.includes('otp') && { mfa_meta: { type: factor } }),
    auth_context: {
      auth_methods: Object.fromEntries(
        methods.map((method, at) => [
          method === 'pwd' ? 'password' : factor,
          { success: error_message === undefined || at < methods.length - 1 },
        ]),
      ),
    },
    target_resource: { type: 'user_portal' },
  })

/**
 * Audits an attempt that does not count against the account: it cannot sign in, or is one of several candidates. Fires
 * `signInDenied` when the user was on the way to an application.
 */
export const recordRefusal = (
  { db, signInDenied }: Pick<PortalContext, 'db' | 'signInDenied'>,
  client: Client,
  user: UserRow,
  message: string,
  denied?: DeniedSignIn,
): Promise<void> =>
  db.tx(user.organization_id, async (tx) => {
    await recordAttempt(tx, user, client, ['pwd'], { error: message })
    if (denied) await signInDenied.fire(tx, userActor(user, client), denied)
  })

/**
 * Reserves an attempt on the account, under the organization's limit, if any, and the per-user limit. Its counter is
 * added to `counters`. Returns the refusal for the audit event only: shown to the client, it would reveal that two
 * names belong to one user.
 */
export async function reserveAttempt(
  { db, rules }: PortalContext,
  user: UserRow,
  counters: Counter[],
): Promise<string | null> {
  const { organization_id, id } = user
  const { passwordPolicy } = await portalSettings(db, organization_id)
  return db.tx(organization_id, async (tx) => {
    const row = await lockUser(tx, organization_id, id)
    if (!row) return 'user is deleted'
    const refusal = refusalOf(row, passwordPolicy, new Date())
    if (refusal !== null) return refusal
    const room = attemptsLeft(row, attemptsAllowed(passwordPolicy))
    const counter: Counter = {
      subject: userSubject(user),
      limit: rules.own,
      ...(room !== null && { room }),
    }
    const result = await reserve(tx, counter)
    if (result === 'busy') throw busy()
    if (result === 'blocked') return 'too many failed attempts'
    counters.push(counter)
    return null
  })
}

/** Audits the failure and counts it against the account, which is locked when it reaches the organization's limit. */
export async function failAttempt(
  context: PortalContext,
  client: Client,
  user: UserRow,
  methods: readonly Method[],
  message: string,
): Promise<void> {
  const { organization_id, id } = user
  const { passwordPolicy } = await portalSettings(context.db, organization_id)
  await context.db.tx(organization_id, async (tx) => {
    await recordAttempt(tx, user, client, methods, { error: message })
    const row = await lockUser(tx, organization_id, id)
    // Locked in the meantime: a further failure must not extend the lock.
    if (!row || refusalOf(row, passwordPolicy, new Date()) !== null) return
    await failLogin(
      context.users,
      tx,
      userActor(user, client),
      row,
      attemptsAllowed(passwordPolicy),
    )
  })
}

/** Re-authentication of a known user. */
export function reauthenticate<T>(
  context: PortalContext,
  client: Client,
  user: UserRow,
  given: 'name or the password' | 'code',
  work: () => Promise<Verdict<T>>,
): Promise<T> {
  const { db, rules } = context
  return inTurn(rules, userSubject(user), async () => {
    await refuseBlocked(db, [userSubject(user)])
    const counters = await addressCounters(rules, client, [user.id])
    return judge(db, counters, async () => {
      if ((await reserveAttempt(context, user, counters)) !== null) throw refused(given)
      return work()
    })
  })
}

/** Counts and audits while the attempt is still in flight, so that a concurrent one cannot slip in. */
export async function wrongPassword<T>(
  context: PortalContext,
  client: Client,
  user: UserRow,
  error: Error,
): Promise<Verdict<T>> {
  await failAttempt(context, client, user, ['pwd'], 'password does not match')
  return { wrong: () => Promise.reject(error) }
}

/** The same for a code. A replayed code is audited but not counted: it is not a guess. */
export async function wrongCode<T>(
  context: PortalContext,
  client: Client,
  user: UserRow,
  code: string,
  error: Error,
): Promise<Verdict<T>> {
  const methods: Method[] = ['pwd', 'otp']
  if (await isUsedTotp(context, user, code)) {
    await context.db.tx(user.organization_id, (tx) =>
      recordAttempt(tx, user, client, methods, { error: 'code was used already' }),
    )
    return { neither: () => Promise.reject(error) }
  }
  await failAttempt(context, client, user, methods, 'code does not match')
  return { wrong: () => Promise.reject(error) }
}
