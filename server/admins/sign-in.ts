import { recordEvent } from '../insights/index.ts'
import { findOrganization, settingsOf } from '../organizations/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import type { Queryable } from '../platform/db.ts'
import { clearFailures } from '../platform/failures.ts'
import { accountSubject, actorOf, fail, returnAttempt, takeAttempt } from './attempts.ts'
import { type AdminContext, change } from './context.ts'
import { checkPassword } from './passwords.ts'
import { resourceOf } from './records.ts'
import { checkSecondFactor, spend } from './second-factor.ts'
import { deleteSession, deleteSessionsOf, type SessionRow } from './session-store.ts'
import { openSession, type SignedIn } from './sessions.ts'
import { type AdministratorRow, findAdministratorByEmail, lockAdministratorById } from './store.ts'

/** Owed by the administrator's own switch or by the organization's rule. */
async function owedFactor(db: Queryable, row: AdministratorRow): Promise<SessionRow['mfa_owed']> {
  if (row.totp_secret !== null) return 'totp'
  if (row.enable_multi_factor) return 'enrollment'
  const organization =
    row.organization === null ? undefined : await findOrganization(db, row.organization)
  return organization && settingsOf(organization).requireAdminMFA === true ? 'enrollment' : null
}

export async function signIn(
  context: AdminContext,
  client: Client,
  email: string,
  password: string,
): Promise<SignedIn> {
  const attempt = await takeAttempt(context, client, email)
  const row = await findAdministratorByEmail(context.db, email.trim())
  const matches = await checkPassword(row?.password_hash ?? null, password)
  if (!row || !matches) return fail(context, attempt, row, 'invalid credentials')
  if (row.suspended) return fail(context, attempt, row, 'administrator is suspended')
  const owed = await owedFactor(context.db, row)
  const actor = actorOf(row, client)
  return context.db.tx(actor.organizationId, async (tx) => {
    await returnAttempt(tx, attempt)
    // With a code still to come it is not over: neither told nor earlier failures forgiven yet.
    if (owed !== 'totp') {
      await clearFailures(tx, [accountSubject(email)])
      await recordEvent(tx, actor, {
        event_type: 'admin_login_attempt',
        resource: resourceOf(row),
        success: true,
      })
    }
    return openSession(tx, row, client, owed, false)
  })
}

/** The second step: a code of the device or a recovery code. The half-open session is replaced by a new one. */
export async function giveSecondFactor(
  context: AdminContext,
  caller: Caller,
  code: string,
): Promise<SignedIn> {
  const { email } = caller.initiator
  const attempt = await takeAttempt(context, caller.client, email!)
  const result = await change(context, caller.homeId, async (tx) => {
    // Locked, so that one code cannot be used by two requests at once.
    const row = await lockAdministratorById(tx, caller.id)
    const used = row && (await checkSecondFactor(context, row, code))
    if (!row || !used) return { row }
    await spend(tx, row, used)
    await deleteSession(tx, caller.sessionHash!)
    await returnAttempt(tx, attempt)
    await clearFailures(tx, [accountSubject(row.email)])
    const actor = actorOf(row, caller.client, true)
    await recordEvent(tx, actor, {
      event_type: 'admin_login_attempt',
      resource: resourceOf(row),
      success: true,
    })
    return { session: await openSession(tx, row, caller.client, null, true) }
  })
  return result.session ?? fail(context, attempt, result.row, 'invalid second factor')
}

export const signOut = (context: AdminContext, caller: Caller): Promise<number> =>
  deleteSession(context.db, caller.sessionHash!)

export const signOutEverywhere = (context: AdminContext, caller: Caller): Promise<number> =>
  deleteSessionsOf(context.db, caller.id)
