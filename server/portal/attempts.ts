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

// Attempts to prove who one is: told as events, counted, and stopped when too many fail.

// Under which attempts are counted. Nobody can type the subject of somebody else: what was typed is only there as a hash,
// which also keeps passwords out that were typed into the wrong field.

/** Of a known user: an organization's own, whatever happens under the same name elsewhere. */
export const userSubject = ({ organization_id, id }: UserRow) => `user ${organization_id} ${id}`
/** Of what was typed, whether nobody has the name or several: nothing is held against any of them. */
export const nameSubject = (name: string, organization?: string) =>
  `name ${organization ?? '-'} ${sha256(name.trim().toLowerCase()).toString('hex')}`

/** The same for everybody who does not get past a step, whatever the reason. */
export const refused = (given: 'name or the password' | 'code' = 'name or the password') =>
  unauthenticated(
    'sign_in_refused',
    `The ${given} is wrong, or this account cannot sign in at the moment`,
  )

/** `error` is there when it failed; the last of the methods is then the one that did. */
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
 * Of an account against which nothing is counted: it cannot sign in, or is one of several that may be meant. Whoever was
 * kept out on the way somewhere is told to those above as well.
 */
export const tellAttempt = (
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
 * One of the attempts on the account, beside the limit of the organization, which may have none, by that of the user. Its
 * counter is added to the others. Tells why there is none; to nobody but the organization: under another name of theirs
 * it would tell who they are.
 */
export async function takeOfAccount(
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

/** Told, and counted against the account, which is locked if the organization wants it after so many. */
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
    // Locked by somebody meanwhile: a further failure makes it no longer.
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

/** Whoever is known already proves something once more. */
export function proveAgain<T>(
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
      if ((await takeOfAccount(context, user, counters)) !== null) throw refused(given)
      return work()
    })
  })
}

/** Counted and told before the attempt is no longer in flight, so that no other one slips in between. */
export async function wrongPassword<T>(
  context: PortalContext,
  client: Client,
  user: UserRow,
  error: Error,
): Promise<Verdict<T>> {
  await failAttempt(context, client, user, ['pwd'], 'password does not match')
  return { wrong: () => Promise.reject(error) }
}

/** The same of a code. One that was used is told as well, but counts for nothing: whoever has it need not guess. */
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
