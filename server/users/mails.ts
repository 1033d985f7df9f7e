import { recordEvent } from '../insights/index.ts'
import type { Db, Tx } from '../platform/db/index.ts'
import type { MailLink, RenewLink } from '../platform/mail.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { UserActor, UserContext } from './context.ts'
import { newestLink, replacePasswordLink } from './passwords/store.ts'
import { resourceOf } from './records.ts'
import { lockUser, type UserRow } from './store.ts'

const DAY = 86_400_000

type MailContext = Pick<UserContext, 'postMail' | 'publicUrl'>

/** A one-time link to choose a password. */
async function passwordLink(
  { publicUrl }: MailContext,
  tx: Tx,
  row: UserRow,
  days: number,
): Promise<{ url: string; expiresAt: string; link: MailLink }> {
  const token = randomToken()
  const expiresAt = new Date(Date.now() + days * DAY).toISOString()
  await replacePasswordLink(tx, row.organization_id, row.id, sha256(token), expiresAt)
  const { organization_id: tenant, id } = row
  return {
    url: `${publicUrl}/password?organization=${tenant}&token=${token}`,
    expiresAt,
    link: { for: 'user', tenant, id, expiresAt, hours: days * 24 },
  }
}

/** For a mail that waited; see `RenewLink`. */
export const renewPasswordLink = (
  db: Db,
  { tenant, id }: MailLink,
  { hash, until, written }: Parameters<RenewLink>[1],
): Promise<boolean> =>
  db.tx(tenant, async (tx) => {
    const row = await lockUser(tx, tenant, id)
    if (row?.state !== 'ACTIVATED') return false
    // A later link has taken its place, or the user has chosen a password meanwhile.
    const newest = await newestLink(tx, tenant, id)
    if (newest && !newest.hash.equals(hash)) return false
    if (row.password_date !== null && row.password_date > written) return false
    await replacePasswordLink(tx, tenant, id, hash, until)
    return true
  })

/**
 * A user with a password gets a welcome mail at the primary address. A user without one gets a link to choose it, at
 * the alternate address if there is one: the primary mailbox may require the very password that is missing.
 */
export async function mailActivation(
  context: MailContext,
  tx: Tx,
  actor: UserActor,
  row: UserRow,
  override?: string,
  heldFor?: string,
): Promise<void> {
  const welcome = row.password_hash !== null
  const recipient = override ?? ((!welcome && row.profile.alternateEmail) || row.email)
  const hello = `Hello ${row.firstname || row.username},\n\n`
  if (welcome) {
    await context.postMail(tx, {
      recipient,
      subject: 'Your account is active',
      body: `${hello}your account ${row.username} is active. Sign in here:\n${context.publicUrl}/\n`,
    })
  } else {
    const { url, expiresAt, link } = await passwordLink(context, tx, row, 7)
    await context.postMail(tx, {
      recipient,
      subject: 'Activate your account',
      body: `${hello}an account ${row.username} was created for you. Choose your password here:\n${url}\n\nThe link works once, until ${expiresAt}.\nIf you did not expect this mail, do nothing.\n`,
      link,
      heldFor,
    })
  }
  await recordEvent(tx, actor, {
    event_type: 'user_activation_email',
    resource: {
      ...resourceOf(row),
      recipient_email: recipient,
      email_type: welcome ? 'welcome' : 'activation',
    },
  })
}

export async function mailPasswordWarning(
  context: MailContext,
  tx: Tx,
  actor: UserActor,
  row: UserRow,
): Promise<void> {
  await context.postMail(tx, {
    recipient: row.email,
    subject: 'Your password expires soon',
    body: `Hello ${row.firstname || row.username},\n\nthe password of your account ${row.username} expires at ${row.password_expiration_date}. Sign in and choose a new one before then:\n${context.publicUrl}/\n`,
  })
  await recordEvent(tx, actor, {
    event_type: 'user_password_warning_email',
    resource: { ...resourceOf(row), recipient_email: row.email, email_type: 'password_warning' },
  })
}

export async function mailPasswordReset(
  context: MailContext,
  tx: Tx,
  actor: UserActor,
  row: UserRow,
): Promise<void> {
  const opening =
    actor.initiator.type === 'user'
      ? 'someone, probably you, requested a new password. Choose it here:'
      : 'an administrator asks you to choose a new password:'
  const { url, expiresAt, link } = await passwordLink(context, tx, row, 1)
  await context.postMail(tx, {
    recipient: row.email,
    subject: 'Choose a new password',
    body: `Hello ${row.firstname || row.username},\n\n${opening}\n${url}\n\nThe link works once, until ${expiresAt}.\n`,
    link,
  })
  await recordEvent(tx, actor, {
    event_type: 'user_password_reset_request',
    resource: { ...resourceOf(row), recipient_email: row.email, email_type: 'password_reset' },
  })
}
