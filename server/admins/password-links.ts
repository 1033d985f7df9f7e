import type { Db, Tx } from '../platform/db/index.ts'
import type { MailLink, RenewLink } from '../platform/mail.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { AdminContext } from './context.ts'
import { deletePasswordResetsOf, hasOtherReset, insertPasswordReset } from './session-store.ts'
import { findAdministratorById } from './store.ts'

const HOUR = 3_600_000

/** Mails the administrator a one-time link to set a password. Only the newest link works. */
export async function mailPasswordLink(
  { postMail, publicUrl }: AdminContext,
  tx: Tx,
  administrator: { id: string; email: string; firstname: string },
  reason: 'welcome' | 'reset',
): Promise<void> {
  const token = randomToken()
  const hours = reason === 'welcome' ? 72 : 1
  const expiresAt = new Date(Date.now() + hours * HOUR).toISOString()
  await deletePasswordResetsOf(tx, administrator.id)
  await insertPasswordReset(tx, sha256(token), administrator, expiresAt)
  const link = `${publicUrl}/console/password?token=${token}`
  const opening =
    reason === 'welcome'
      ? 'An administrator account has been created for you. Set your password here:'
      : 'A password reset was requested for your account. Set a new password here:'
  await postMail(tx, {
    recipient: administrator.email,
    subject: reason === 'welcome' ? 'Welcome to Gatehouse' : 'Reset your Gatehouse password',
    body: `Hello ${administrator.firstname || administrator.email},\n\n${opening}\n${link}\n\nThe link works once, until ${expiresAt}.\nIf you did not expect this e-mail, ignore it.\n`,
    link: { for: 'administrator', tenant: '', id: administrator.id, expiresAt, hours },
  })
}

/** For a mail that waited; see `RenewLink`. */
export const renewAdministratorLink = (
  db: Db,
  { id }: MailLink,
  { hash, until, written }: Parameters<RenewLink>[1],
): Promise<boolean> =>
  db.tx(null, async (tx) => {
    const row = await findAdministratorById(tx, id)
    // A later link has taken its place, or the administrator has chosen a password meanwhile.
    if (!row || row.suspended || (await hasOtherReset(tx, id, hash))) return false
    if (row.password_updated_at !== null && row.password_updated_at > written) return false
    await deletePasswordResetsOf(tx, id)
    await insertPasswordReset(tx, hash, row, until)
    return true
  })

/** Notifies the old address and revokes the links sent to it. */
export async function leaveAddress(
  { postMail }: AdminContext,
  tx: Tx,
  before: { id: string; email: string; firstname: string },
  after: { email: string },
): Promise<void> {
  await deletePasswordResetsOf(tx, before.id)
  await postMail(tx, {
    recipient: before.email,
    subject: 'The e-mail address of your Gatehouse account was changed',
    body: `Hello ${before.firstname || before.email},\n\nThe e-mail address of your administrator account is now ${after.email}. E-mails and links go there from now on.\nIf you did not expect this change, contact another administrator at once.\n`,
  })
}
