import { recordEvent } from '../insights/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { UserActor, UserContext } from './context.ts'
import { replacePasswordLink } from './passwords/store.ts'
import { resourceOf } from './records.ts'
import type { UserRow } from './store.ts'

const DAY = 86_400_000

type MailContext = Pick<UserContext, 'postMail' | 'publicUrl'>

/** A one-time link to choose a password. */
async function passwordLink(
  { publicUrl }: MailContext,
  tx: Tx,
  row: UserRow,
  expiresAt: string,
): Promise<string> {
  const token = randomToken()
  await replacePasswordLink(tx, row.organization_id, row.id, sha256(token), expiresAt)
  return `${publicUrl}/password?organization=${row.organization_id}&token=${token}`
}

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
    const expiresAt = new Date(Date.now() + 7 * DAY).toISOString()
    const link = await passwordLink(context, tx, row, expiresAt)
    await context.postMail(tx, {
      recipient,
      subject: 'Activate your account',
      body: `${hello}an account ${row.username} was created for you. Choose your password here:\n${link}\n\nThe link works once, until ${expiresAt}.\nIf you did not expect this mail, do nothing.\n`,
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
  const expiresAt = new Date(Date.now() + DAY).toISOString()
  const link = await passwordLink(context, tx, row, expiresAt)
  await context.postMail(tx, {
    recipient: row.email,
    subject: 'Choose a new password',
    body: `Hello ${row.firstname || row.username},\n\n${opening}\n${link}\n\nThe link works once, until ${expiresAt}.\n`,
  })
  await recordEvent(tx, actor, {
    event_type: 'user_password_reset_request',
    resource: { ...resourceOf(row), recipient_email: row.email, email_type: 'password_reset' },
  })
}
