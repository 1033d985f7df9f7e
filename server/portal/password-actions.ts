import { checkPassword } from '../admins/index.ts'
import type { Client } from '../platform/caller.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { countFailure, type Limit } from '../platform/failures.ts'
import { fromJobClient, toJobClient } from '../platform/jobs/client.ts'
import { takeResetTurn } from '../platform/sign-in-rules.ts'
import {
  acceptPassword,
  changeUser,
  isRestricted,
  mailActivation,
  mailPasswordReset,
  ownerOfLink,
  type PasswordLink,
  rulesOf,
  type UserRow,
  userActor,
  userSettings,
  withPassword,
} from '../users/index.ts'
import { nameSubject, reauthenticate, userSubject, wrongPassword } from './attempts.ts'
import type { Visit } from './authenticate.ts'
import type { PortalContext } from './context.ts'
import { type MailReset, mailResetJob } from './job-definitions.ts'
import { changeAllowedAt, isBeyondRecovery, type SignInPolicy } from './next-step.ts'
import type { LinkAnswer, PasswordRules, ResetRequest } from './schema.ts'
import { mustContinue, type SignedIn } from './sessions.ts'
import { portalSettings } from './settings.ts'
import { checkOrganization, findCandidates } from './sign-in.ts'

/** Rate limit of reset mails per user, so that this service cannot be used to flood a mailbox. */
const MAILS: Limit = { failures: 5, windowMinutes: 60, blockMinutes: 60 }

/** Whether a mailed link alone may reset the password. */
function mayReset(user: UserRow, policy: SignInPolicy, now: Date): boolean {
  if (user.state !== 'ACTIVATED' || isRestricted(user, 'password')) return false
  if (isBeyondRecovery(user, policy, now)) return false
  const unenrolled = user.profile.enable_user_portal_multifactor && user.totp_secret === null
  return !unenrolled || policy.allowUnenrolledMFAPasswordReset !== false
}

/** The job looks the user up, so that response times do not reveal whether an account exists. */
export async function requestReset(
  { db, send, rules }: PortalContext,
  client: Client,
  { identifier, organization }: ResetRequest,
): Promise<void> {
  checkOrganization(organization)
  await takeResetTurn(db, rules, client)
  const asked = await countFailure(db, `reset ${nameSubject(identifier, organization)}`, MAILS)
  if (asked && asked.failures > MAILS.failures) return
  const payload = { identifier, organization: organization ?? null, ...toJobClient(client) }
  await db.tx(null, (tx) => send(tx, mailResetJob, payload))
}

/** The limit is per user too, since one user can be found under several names. */
export async function mailReset(
  context: PortalContext,
  { identifier, organization, ...asking }: MailReset,
): Promise<void> {
  const { db } = context
  const client = fromJobClient(asking)
  for (const user of await findCandidates(context, identifier, organization ?? undefined)) {
    const { passwordPolicy } = await portalSettings(db, user.organization_id)
    if (!mayReset(user, passwordPolicy, new Date())) continue
    const mailed = await countFailure(db, `reset ${userSubject(user)}`, MAILS)
    if (mailed && mailed.failures > MAILS.failures) continue
    const mail = user.password_hash === null ? mailActivation : mailPasswordReset
    await db.tx(user.organization_id, (tx) =>
      mail(context.users, tx, userActor(user, client), user),
    )
  }
}

/** The content of the page behind a password link. */
export async function describeLink(
  context: PortalContext,
  link: PasswordLink,
): Promise<LinkAnswer> {
  const user = await ownerOfLink(context, link)
  const [{ organizationName }, rules] = await Promise.all([
    portalSettings(context.db, user.organization_id),
    passwordRules(context, user.organization_id),
  ])
  return {
    purpose: user.password_hash === null ? 'activation' : 'reset',
    username: user.username,
    firstname: user.firstname,
    organizationName,
    ...rules,
  }
}

export async function passwordRules(
  { db }: PortalContext,
  organizationId: string,
): Promise<PasswordRules> {
  const { passwordPolicy } = await userSettings(db, organizationId)
  return { rules: rulesOf(passwordPolicy) }
}

/** Saves the new password and ends all other sessions. The current session continues with a new token. */
async function replacePassword(
  context: PortalContext,
  client: Client,
  { user, session }: Visit,
  password: string,
): Promise<SignedIn> {
  const { db } = context
  const organizationId = user.organization_id
  const [settings, { passwordPolicy }] = await Promise.all([
    portalSettings(db, organizationId),
    userSettings(db, organizationId),
  ])
  const hash = await acceptPassword(db.tenant(organizationId), passwordPolicy, user, password)
  const actor = { ...userActor(user, client), sessionId: session.id }
  let opened: SignedIn | undefined
  await changeUser(context.users, actor, user.id, async (row, tx) => {
    if (row.password_hash !== user.password_hash)
      throw conflict(
        'password_changed',
        'The password has been changed in the meantime; sign in again',
      )
    const after = withPassword(row, hash, passwordPolicy, new Date())
    opened = await mustContinue(
      tx,
      { user: after, client, methods: session.methods, settings },
      session,
    )
    return after
  })
  return opened!
}

/** A step of sign-in: the old password was verified, but has expired. */
export async function replaceExpired(
  context: PortalContext,
  client: Client,
  visit: Visit,
  password: string,
): Promise<SignedIn> {
  if (visit.session.owed !== 'password')
    throw conflict('password_not_expired', 'The password has not expired')
  // Otherwise expiry could be bypassed by setting the same password.
  if (await checkPassword(visit.user.password_hash, password))
    throw invalid('password_same', 'password: must differ from the expired password')
  return replacePassword(context, client, visit, password)
}

export async function changePassword(
  context: PortalContext,
  client: Client,
  visit: Visit,
  current: string,
  password: string,
): Promise<SignedIn> {
  const { db } = context
  const { user } = visit
  await reauthenticate<void>(context, client, user, 'name or the password', async () => {
    if (await checkPassword(user.password_hash, current)) return { right: undefined, done: true }
    const error = invalid('current_password', 'currentPassword: is not correct')
    return wrongPassword(context, client, user, error)
  })
  const { passwordPolicy } = await portalSettings(db, user.organization_id)
  const at = changeAllowedAt(user, passwordPolicy, new Date())
  if (at)
    throw invalid(
      'password_too_soon',
      `password: was changed recently; it can be changed again from ${at.toISOString()}`,
    )
  return replacePassword(context, client, visit, password)
}
