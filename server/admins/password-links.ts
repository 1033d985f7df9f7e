import type { Tx } from '../platform/db/index.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { AdminContext } from './context.ts'
import { deletePasswordResetsOf, insertPasswordReset } from './session-store.ts'

const HOUR = 3_600_000

/** Mails a one-time link with which the administrator chooses a password. Only the newest link works. */
export async function mailPasswordLink(
  { postMail, publicUrl }: AdminContext,
  tx: Tx,
  administrator: { id: string; email: string; firstname: string },
  reason: 'welcome' | 'reset',
): Promise<void> {
  const token = randomToken()
  const expiresAt = new Date(Date.now() + (reason === 'welcome' ? 72 : 1) * HOUR).toISOString()
  await deletePasswordResetsOf(tx, administrator.id)
  await insertPasswordReset(tx, sha256(token), administrator, expiresAt)
  const link = `${publicUrl}/console/password?token=${token}`
  const opening =
    reason === 'welcome'
      ? 'You have been made an administrator. Choose your password here:'
      : 'Somebody, probably you, asked for a new password. Choose it here:'
  await postMail(tx, {
    recipient: administrator.email,
    subject: reason === 'welcome' ? 'Welcome to Gatehouse' : 'Your new Gatehouse password',
    body: `Hello ${administrator.firstname || administrator.email},\n\n${opening}\n${link}\n\nThe link works once, until ${expiresAt}.\nIf you did not expect this mail, do nothing.\n`,
  })
}

/** The former address is told, and what was sent there no longer opens the account. */
export async function leaveAddress(
  { postMail }: AdminContext,
  tx: Tx,
  before: { id: string; email: string; firstname: string },
  after: { email: string },
): Promise<void> {
  await deletePasswordResetsOf(tx, before.id)
  await postMail(tx, {
    recipient: before.email,
    subject: 'The address of your Gatehouse account was changed',
    body: `Hello ${before.firstname || before.email},\n\nYour administrator account now has the address ${after.email}. Mails and links go there from now on.\nIf you do not know of this, tell another administrator at once.\n`,
  })
}
