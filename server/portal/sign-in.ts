import { checkPassword } from '../admins/index.ts'
import type { Client } from '../platform/caller.ts'
import { forbidden, invalid } from '../platform/errors.ts'
import type { Counter } from '../platform/failures.ts'
import { isId } from '../platform/ids.ts'
import { addressCounters, inTurn, judge, type Verdict } from '../platform/sign-in-rules.ts'
import {
  findUser,
  findUserByLogin,
  forgiveBadLogins,
  lockUser,
  type UserRow,
  userActor,
} from '../users/index.ts'
import {
  failAttempt,
  nameSubject,
  recordAttempt,
  recordRefusal,
  refused,
  reserveAttempt,
} from './attempts.ts'
import type { Visit } from './authenticate.ts'
import type { Method, PortalContext } from './context.ts'
import { isBeyondRecovery, refusalOf } from './next-step.ts'
import type { SignInRequest } from './schema.ts'
import { continueSession, openSession, type SignedIn } from './sessions.ts'
import { type PortalSettings, portalSettings } from './settings.ts'
import { signOut } from './sign-out.ts'
import { findLogins } from './store.ts'

/** With more matching organizations than this, the user must name one. */
const MAX_TENANTS = 8

export function checkOrganization(organization: string | undefined): void {
  if (organization !== undefined && !isId(organization))
    throw invalid('organization_malformed', 'organization: must be 24 hexadecimal characters')
}

/** All users with this login. Only the password decides between them. */
export async function findCandidates(
  { db }: Pick<PortalContext, 'db'>,
  identifier: string,
  organization: string | undefined,
): Promise<UserRow[]> {
  const login = identifier.trim()
  const rows = organization
    ? [await findUserByLogin(db.tenant(organization), organization, login)]
    : await Promise.all(
        (await findLogins(db, login, MAX_TENANTS)).map(({ tenant, user_id }) =>
          findUser(db.tenant(tenant), tenant, user_id),
        ),
      )
  return rows.filter((row) => row !== undefined)
}

interface Proven {
  user: UserRow
  settings: PortalSettings
}

/**
 * The candidates whose password matches and who may sign in; if none, the failure is audited. With a single candidate
 * the attempt also counts against the account.
 */
async function prove(
  context: PortalContext,
  client: Client,
  candidates: UserRow[],
  { password, continue: continueTo }: SignInRequest,
  counters: Counter[],
): Promise<Proven[]> {
  const alone = candidates.length === 1
  // Constant work, so that timing does not reveal whether the name exists.
  if (candidates.length === 0) await checkPassword(null, password)
  const proven: Proven[] = []
  const failures: (() => Promise<void>)[] = []
  await Promise.all(
    candidates.map(async (user) => {
      const settings = await portalSettings(context.db, user.organization_id)
      const refusal = alone
        ? await reserveAttempt(context, user, counters)
        : refusalOf(user, settings.passwordPolicy, new Date())
      const matches = await checkPassword(user.password_hash, password)
      if (refusal === null && matches) {
        proven.push({ user, settings })
        return
      }
      const message = refusal ?? 'password does not match'
      const why = refusalOf(user, settings.passwordPolicy, new Date())
      const kept = continueTo !== undefined && why !== null ? { user, continueTo, why } : undefined
      failures.push(() =>
        alone && refusal === null
          ? failAttempt(context, client, user, ['pwd'], message)
          : recordRefusal(context, client, user, message, kept),
      )
    }),
  )
  // While the attempt is still in flight, so that a concurrent one cannot slip in.
  if (proven.length === 0) for (const note of failures) await note()
  return proven
}

type SignInResult =
  | { user: UserRow; signedIn: SignedIn }
  | { organizations: { id: string; name: string }[] }

/**
 * The first step. A user who is already signed in keeps the session id, with a new authentication time; another user
 * replaces the session.
 */
export async function signIn(
  context: PortalContext,
  client: Client,
  request: SignInRequest,
  present?: Visit,
): Promise<SignInResult> {
  const { db, rules } = context
  const { identifier, organization } = request
  checkOrganization(organization)
  const subject = nameSubject(identifier, organization)
  return inTurn(rules, subject, async () => {
    const candidates = await findCandidates(context, identifier, organization)
    const ids = candidates.map(({ id }) => id)
    const address = await addressCounters(rules, client, ids)
    const counters: Counter[] = [{ subject, limit: rules.own }, ...address]
    return judge<SignInResult>(db, counters, async () => {
      const proven = await prove(context, client, candidates, request, counters)
      if (proven.length === 0) return { wrong: () => Promise.reject(refused()) }
      return conclude(context, client, proven, candidates.length === 1, present)
    })
  })
}

async function conclude(
  context: PortalContext,
  client: Client,
  proven: Proven[],
  alone: boolean,
  present: Visit | undefined,
): Promise<Verdict<SignInResult>> {
  if (proven.length > 1) {
    const organizations = proven.map(({ user, settings }) => ({
      id: user.organization_id,
      name: settings.organizationName,
    }))
    return { right: { organizations }, done: false }
  }
  const { user, settings } = proven[0]!
  if (isBeyondRecovery(user, settings.passwordPolicy, new Date()))
    throw forbidden(
      'password_expired_long_ago',
      'Your password expired too long ago; ask your administrator for a new one',
    )
  const signedIn = await begin(context, client, proven[0]!, present)
  // Do not reset the counter while a code is pending: codes count under the same subject.
  return { right: { user, signedIn }, done: alone && signedIn.session.owed !== 'totp' }
}

async function begin(
  context: PortalContext,
  client: Client,
  { user, settings }: Proven,
  present: Visit | undefined,
): Promise<SignedIn> {
  const same = present?.user.id === user.id
  if (present && !same) await signOut(context, client, present)
  return context.db.tx(user.organization_id, async (tx) => {
    const row = await lockUser(tx, user.organization_id, user.id)
    // Check again under the lock: the user may have changed in the meantime.
    if (!row || row.password_hash !== user.password_hash) throw refused()
    if (refusalOf(row, settings.passwordPolicy, new Date()) !== null) throw refused()
    const step = { user: row, client, methods: ['pwd'] as Method[], settings }
    const signedIn =
      (same && (await continueSession(tx, step, present.session, new Date()))) ||
      (await openSession(tx, step))
    // While a code is pending the attempt is not over: neither audit it nor reset the counter.
    if (signedIn.session.owed === 'totp') return signedIn
    await forgiveBadLogins(context.users, tx, userActor(row, client), row)
    await recordAttempt(tx, row, client, ['pwd'])
    return signedIn
  })
}
