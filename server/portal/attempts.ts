import { recordEvent } from '../insights/index.ts'
import type { Client } from '../platform/caller.ts'
import type { Queryable, Tx } from '../platform/db.ts'
import { unauthenticated } from '../platform/errors.ts'
import {
  clearFailures,
  type Limit,
  takeAttempt,
  tryAttempt,
  uncountFailure,
} from '../platform/failures.ts'
import { sha256 } from '../platform/secrets.ts'
import {
  failLogin,
  lockUser,
  resourceOf,
  returnLogin,
  takeLogin,
  type UserRow,
  userActor,
} from '../users/index.ts'
import type { Method, PortalContext } from './context.ts'
import { attemptsAllowed, refusalOf } from './owed.ts'
import type { Factor } from './recovery-codes.ts'
import { portalSettings } from './settings.ts'

// Attempts to prove who one is: told as events, counted, and stopped when too many fail.

/** Beside the lock of the account, which an organization may have switched off, and for names that nobody has. */
const NAME: Limit = { failures: 30, windowMinutes: 15, blockMinutes: 15 }
/** An address may be that of a whole office. */
const ADDRESS: Limit = { failures: 200, windowMinutes: 15, blockMinutes: 15 }

// Under which attempts are counted. Nobody can type the subject of somebody else: what was typed is only there as a hash,
// which also keeps passwords out that were typed into the wrong field.

/** Of a known user: an organization's own, whatever happens under the same name elsewhere. */
export const userSubject = ({ organization_id, id }: UserRow) => `user ${organization_id} ${id}`
/** Of what was typed, whether nobody has the name or several: nothing is held against any of them. */
export const nameSubject = (name: string, organization?: string) =>
  `name ${organization ?? '-'} ${sha256(name.trim().toLowerCase()).toString('hex')}`
const addressSubject = (client: Client) => `user-address ${client.ip}`

/** Mails asked for from one address; never given back, for nothing tells whether one was right. */
export const takeResetTurn = (db: Queryable, client: Client) =>
  takeAttempt(db, `reset ${addressSubject(client)}`, ADDRESS)

/** Before anything is judged, so that as many as are let through can be wrong. */
export async function takeTurn(db: Queryable, client: Client, subject: string): Promise<void> {
  await takeAttempt(db, subject, NAME)
  await takeAttempt(db, addressSubject(client), ADDRESS)
}

/** It was right. What failed before may have been somebody else's: only this one is taken back. */
export async function returnTurn(
  db: Queryable,
  client: Client,
  ...subjects: string[]
): Promise<void> {
  await uncountFailure(db, addressSubject(client), ADDRESS)
  for (const subject of subjects) await uncountFailure(db, subject, NAME)
}

/** Whoever proved to be the user has nothing held against them any more, nor against a name that only they have. */
export async function forgiveTurn(
  db: Queryable,
  client: Client,
  ...subjects: string[]
): Promise<void> {
  await uncountFailure(db, addressSubject(client), ADDRESS)
  await clearFailures(db, subjects)
}

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

/** Of an account against which nothing is counted: it cannot sign in, or is one of several that may be meant. */
export const tellAttempt = async (
  { db }: PortalContext,
  client: Client,
  user: UserRow,
  message: string,
): Promise<void> => {
  await db.tx(user.organization_id, (tx) =>
    recordAttempt(tx, user, client, ['pwd'], { error: message }),
  )
}

/**
 * One of the attempts that the organization allows on the account, taken before the password or code is judged. Tells
 * why there is none.
 */
async function takeOfAccount(
  context: PortalContext,
  client: Client,
  { organization_id, id }: UserRow,
): Promise<string | null> {
  const { passwordPolicy } = await portalSettings(context.db, organization_id)
  return context.db.tx(organization_id, async (tx) => {
    const row = await lockUser(tx, organization_id, id)
    if (!row) return 'user is deleted'
    const refusal = refusalOf(row, passwordPolicy, new Date())
    if (refusal !== null) return refusal
    const limit = attemptsAllowed(passwordPolicy)
    const taken = await takeLogin(context, tx, userActor(row, client), row, limit)
    return taken ? null : 'account is locked'
  })
}

/**
 * The same for somebody whom a name stands for. That the user has no turn left is told to nobody but the organization:
 * under another name of theirs it would tell who they are.
 */
export async function takeOfNamed(
  context: PortalContext,
  client: Client,
  user: UserRow,
): Promise<string | null> {
  const { seconds } = await tryAttempt(context.db, userSubject(user), NAME)
  if (seconds > 0) return 'too many failed attempts'
  return takeOfAccount(context, client, user)
}

/** The attempt led nowhere, though nothing was wrong with it. */
export const returnToAccount = ({ db }: PortalContext, { organization_id, id }: UserRow) =>
  db.tx(organization_id, async (tx) => {
    const row = await lockUser(tx, organization_id, id)
    if (row) await returnLogin(tx, row)
  })

/** Told; the account, against which it was counted, is locked if the organization wants it after so many. */
export async function failAttempt(
  context: PortalContext,
  client: Client,
  user: UserRow,
  methods: readonly Method[],
  message: string,
): Promise<void> {
  const { passwordPolicy } = await portalSettings(context.db, user.organization_id)
  await context.db.tx(user.organization_id, async (tx) => {
    await recordAttempt(tx, user, client, methods, { error: message })
    const limit = attemptsAllowed(passwordPolicy)
    await failLogin(context, tx, userActor(user, client), user.id, limit)
  })
}

/** For whoever is known already and proves something once more: a turn, and an attempt on the account. */
export async function takeKnown(
  context: PortalContext,
  client: Client,
  user: UserRow,
  given: 'name or the password' | 'code',
): Promise<void> {
  await takeTurn(context.db, client, userSubject(user))
  if ((await takeOfAccount(context, client, user)) !== null) throw refused(given)
}
