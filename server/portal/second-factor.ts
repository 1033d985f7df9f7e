import { recordEvent } from '../insights/index.ts'
import type { Client } from '../platform/caller.ts'
import { conflict, forbidden, invalid } from '../platform/errors.ts'
import { newTotpSecret, totpAddress, verifyTotp } from '../platform/totp.ts'
import {
  changeUser,
  forgiveBadLogins,
  lockUser,
  resourceOf,
  saveTotpCounter,
  spendTotp,
  totpContext,
  type UserRow,
  userActor,
} from '../users/index.ts'
import { reauthenticate, recordAttempt, refused, wrongCode } from './attempts.ts'
import type { Visit } from './authenticate.ts'
import type { Method, PortalContext } from './context.ts'
import { mustEnroll, refusalOf } from './next-step.ts'
import { type Factor, replaceRecoveryCodes, spendFactor } from './recovery-codes.ts'
import type { TotpEnrollment } from './schema.ts'
import { mustContinue, type SignedIn } from './sessions.ts'
import { portalSettings } from './settings.ts'
import { deleteEnrollment, findEnrollment, saveEnrollment } from './store.ts'

/** The second step of a sign-in: a code of the device, or a recovery code. */
export async function giveCode(
  context: PortalContext,
  client: Client,
  { user, session }: Visit,
  code: string,
): Promise<SignedIn> {
  const { db } = context
  const organizationId = user.organization_id
  if (session.owed !== 'totp') throw conflict('totp_not_owed', 'No code is expected')
  const settings = await portalSettings(db, organizationId)
  return reauthenticate(context, client, user, 'code', async () => {
    const signedIn = await db.tx(organizationId, async (tx) => {
      const row = await lockUser(tx, organizationId, user.id)
      // The password verified in the first step must still be current.
      if (!row || row.password_hash !== user.password_hash) throw refused('code')
      if (refusalOf(row, settings.passwordPolicy, new Date()) !== null) throw refused('code')
      const factor = await spendFactor(context, tx, client, row, code)
      if (factor === null) return null
      await forgiveBadLogins(context.users, tx, userActor(row, client), row)
      await recordAttempt(tx, row, client, ['pwd', 'otp'], { factor })
      const step = { user: row, client, methods: ['pwd', 'otp'] as Method[], settings }
      return mustContinue(tx, step, session, new Date())
    })
    if (!signedIn) return wrongCode(context, client, user, code, refused('code'))
    return { right: signedIn, done: true }
  })
}

export async function startEnrollment(
  { db, sealer }: PortalContext,
  client: Client,
  { user }: Visit,
): Promise<TotpEnrollment> {
  const secret = newTotpSecret()
  const organizationId = user.organization_id
  await db.tx(organizationId, async (tx) => {
    const row = await lockUser(tx, organizationId, user.id)
    if (row?.totp_secret !== null)
      throw conflict('totp_enrolled', 'A second factor is already enrolled; remove it first')
    await saveEnrollment(tx, organizationId, user.id, sealer.seal(secret, totpContext(user.id)))
    await recordEvent(tx, userActor(row, client), {
      event_type: 'totp_start_enrollment',
      resource: resourceOf(row),
    })
  })
  const { organizationName } = await portalSettings(db, organizationId)
  return { secret, otpauthUrl: totpAddress(secret, user.email, organizationName) }
}

interface Enrolled {
  signedIn: SignedIn
  recoveryCodes: string[]
}

/** The code proves that the device has the seed, so the session also counts it as a method. */
export async function finishEnrollment(
  context: PortalContext,
  client: Client,
  { user, session }: Visit,
  code: string,
): Promise<Enrolled> {
  const { db, sealer } = context
  const settings = await portalSettings(db, user.organization_id)
  const actor = { ...userActor(user, client), mfa: true, sessionId: session.id }
  let enrolled: Enrolled | undefined
  await changeUser(context.users, actor, user.id, async (row, tx) => {
    const pending = await findEnrollment(tx, row.organization_id, row.id)
    if (!pending || row.totp_secret !== null)
      throw conflict('totp_not_started', 'The enrolment was not started, or has expired')
    const secret = await sealer.unseal(pending.secret, totpContext(row.id))
    const counter = verifyTotp(secret, code, null)
    if (counter === null)
      throw invalid('totp_code', 'code: does not match; check the clock of the device')
    await deleteEnrollment(tx, row.organization_id, row.id)
    await saveTotpCounter(tx, row.organization_id, row.id, counter)
    const after = {
      ...row,
      totp_secret: pending.secret,
      totp_enrolled_at: new Date().toISOString(),
    }
    const step = { user: after, client, methods: ['pwd', 'otp'] as Method[], settings }
    enrolled = {
      signedIn: await mustContinue(tx, step, session),
      recoveryCodes: await replaceRecoveryCodes(tx, row),
    }
    return after
  })
  return enrolled!
}

const notEnrolled = () => conflict('totp_not_enrolled', 'No second factor is enrolled')

/** Changing the second factor requires a code, which counts as an attempt. `change` returns null for a wrong code. */
async function withCode<T>(
  context: PortalContext,
  client: Client,
  user: UserRow,
  code: string,
  change: () => Promise<T | null>,
): Promise<T> {
  if (user.totp_secret === null) throw notEnrolled()
  return reauthenticate(context, client, user, 'code', async () => {
    const changed = await change()
    if (changed !== null) return { right: changed, done: true }
    const error = invalid('totp_code', 'code: does not match')
    return wrongCode(context, client, user, code, error)
  })
}

/** Also accepts a recovery code, because the device may be lost. */
export async function removeTotp(
  context: PortalContext,
  client: Client,
  { user, session }: Visit,
  code: string,
): Promise<void> {
  if (mustEnroll({ ...user, totp_secret: null }, new Date()))
    throw forbidden('totp_required', 'Your organization requires a second factor')
  const actor = { ...userActor(user, client), mfa: true, sessionId: session.id }
  await withCode(context, client, user, code, async () => {
    let factor: Factor | null = null
    await changeUser(context.users, actor, user.id, async (row, tx) => {
      if (row.totp_secret === null) throw notEnrolled()
      factor = await spendFactor(context, tx, client, row, code)
      if (factor === null) return row
      return { ...row, bad_login_attempts: 0, totp_secret: null, totp_enrolled_at: null }
    })
    return factor
  })
}

/** Replaces all remaining codes. Requires the device itself: a recovery code cannot create new ones. */
export const renewRecoveryCodes = (
  context: PortalContext,
  client: Client,
  { user, session }: Visit,
  code: string,
): Promise<string[]> =>
  withCode(context, client, user, code, () =>
    context.db.tx(user.organization_id, async (tx) => {
      const row = await lockUser(tx, user.organization_id, user.id)
      if (!row || row.totp_secret === null) throw notEnrolled()
      if (!(await spendTotp(context, tx, row, code))) return null
      const actor = { ...userActor(row, client), mfa: true, sessionId: session.id }
      await forgiveBadLogins(context.users, tx, actor, row)
      await recordEvent(tx, actor, {
        event_type: 'totp_recovery_codes_create',
        resource: resourceOf(row),
      })
      return replaceRecoveryCodes(tx, row)
    }),
  )
