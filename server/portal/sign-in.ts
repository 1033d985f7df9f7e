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
  refused,
  takeOfAccount,
  tellAttempt,
} from './attempts.ts'
import type { Visit } from './authenticate.ts'
import type { Method, PortalContext } from './context.ts'
import { isBeyondRecovery, refusalOf } from './next-step.ts'
import type { SignInRequest } from './schema.ts'
import { continueSession, openSession, type SignedIn } from './sessions.ts'
import { type PortalSettings, portalSettings } from './settings.ts'
import { signOut } from './sign-out.ts'
import { findLogins } from './store.ts'

/** So many organizations may know one name; whoever is beyond says which one is meant. */
const MAX_TENANTS = 8

export function checkOrganization(organization: string | undefined): void {
  if (organization !== undefined && !isId(organization))
    throw invalid('organization_malformed', 'organization: must be 24 hexadecimal characters')
}

/** Everybody who could be meant. The password, and nothing else, tells who is. */
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
 * Each candidate whose password it is and who may sign in. With none it is told. A single candidate is whoever is meant,
 * so the attempt is one on the account as well.
 */
async function prove(
  context: PortalContext,
  client: Client,
  candidates: UserRow[],
  { password, continue: continueTo }: SignInRequest,
  counters: Counter[],
): Promise<Proven[]> {
  const alone = candidates.length === 1
  // As much work where there is nobody as where there is one.
  if (candidates.length === 0) await checkPassword(null, password)
  const proven: Proven[] = []
  const failures: (() => Promise<void>)[] = []
  await Promise.all(
    candidates.map(async (user) => {
      const settings = await portalSettings(context.db, user.organization_id)
      const refusal = alone
        ? await takeOfAccount(context, user, counters)
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
          : tellAttempt(context, client, user, message, kept),
      )
    }),
  )
  // Before the attempt is no longer in flight, so that no other one slips in between.
  if (proven.length === 0) for (const note of failures) await note()
  return proven
}

type SignInResult =
  | { user: UserRow; signedIn: SignedIn }
  | { organizations: { id: string; name: string }[] }

/**
 * The first step. Whoever is signed in already and does it again keeps the session under its id, with a new time of
 * proof; somebody else takes its place.
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
  // With a code still to come nothing is forgiven: codes are counted under the same subject.
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
    // Looked at once more under the lock: an administrator may have been at it meanwhile.
    if (!row || row.password_hash !== user.password_hash) throw refused()
    if (refusalOf(row, settings.passwordPolicy, new Date()) !== null) throw refused()
    const step = { user: row, client, methods: ['pwd'] as Method[], settings }
    const signedIn =
      (same && (await continueSession(tx, step, present.session, new Date()))) ||
      (await openSession(tx, step))
    // With a code still to come the attempt is not over: neither told nor forgiven yet.
    if (signedIn.session.owed === 'totp') return signedIn
    await forgiveBadLogins(context.users, tx, userActor(row, client), row)
    await recordAttempt(tx, row, client, ['pwd'])
    return signedIn
  })
}
