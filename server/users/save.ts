import { changesBetween, type EventInput, recordEvent } from '../insights/index.ts'
import { isUniqueViolation, type Tx } from '../platform/db/index.ts'
import { type AppError, conflict } from '../platform/errors.ts'
import type { UserActor, UserChangeContext } from './context.ts'
import { EVENT_OF, transitionBetween } from './lifecycle.ts'
import { mailActivation } from './mails.ts'
import { deletePasswordLinks, keepFormerPassword } from './passwords/store.ts'
import { auditFields, resourceOf } from './records.ts'
import { claimUnixIds, saveUser, type UserRow } from './store.ts'

export interface SaveOptions {
  /** When the user becomes active: false sends no mail, an address sends it there. */
  mail?: boolean | string
  correlation?: { id: string; type: string }
  /** The external authority that makes the change: it may change the fields it owns. */
  owner?: string
}

type ChangeEvent = Pick<EventInput, 'event_type' | 'changes'>

/** The events for the difference between two rows: state, lock, password and TOTP each have their own. */
function eventsBetween(before: UserRow, after: UserRow): ChangeEvent[] {
  const events: ChangeEvent[] = []
  const changes = changesBetween(auditFields(before), auditFields(after))
  if (changes.length > 0) events.push({ event_type: 'systemuser_update', changes })
  const transition = transitionBetween(before.state, after.state)
  if (transition)
    events.push({
      event_type: EVENT_OF[transition],
      changes: [{ field: 'state', from: before.state, to: after.state }],
    })
  if (before.account_locked !== after.account_locked)
    events.push({
      event_type: after.account_locked ? 'user_lockout' : 'user_unlocked',
      changes: [{ field: 'account_locked', from: before.account_locked, to: after.account_locked }],
    })
  if (before.password_hash !== after.password_hash)
    events.push({
      event_type: before.password_hash === null ? 'user_password_set' : 'user_password_change',
      changes: [{ field: 'password' }],
    })
  if (!before.password_expired && after.password_expired)
    events.push({
      event_type: 'user_password_expired',
      changes: [{ field: 'password_expired', from: false, to: true }],
    })
  if ((before.totp_secret === null) !== (after.totp_secret === null))
    events.push({
      event_type: after.totp_secret === null ? 'totp_delete_enrollment' : 'totp_finish_enrollment',
      changes: [{ field: 'totp' }],
    })
  return events
}

/** Where links to a password are mailed: one that lies in a former mailbox must not open the account. */
export const sameMailboxes = (before: UserRow, after: UserRow): boolean =>
  before.email === after.email && before.profile.alternateEmail === after.profile.alternateEmail

/** Saves a changed user with its events, fires `changed`, and mails. An unchanged row is not written. */
export async function saveChange(
  context: UserChangeContext,
  tx: Tx,
  actor: UserActor,
  before: UserRow,
  after: UserRow,
  { mail = true, correlation }: SaveOptions = {},
): Promise<void> {
  const events = eventsBetween(before, after)
  if (events.length === 0) return
  const numbers = [
    ...(before.unix_uid === after.unix_uid ? [] : [after.unix_uid]),
    ...(before.unix_guid === after.unix_guid ? [] : [after.unix_guid]),
  ]
  if (numbers.length > 0) await claimUnixIds(tx, after.organization_id, numbers)
  await saveUser(tx, after)
  const newPassword = before.password_hash !== after.password_hash
  if (newPassword || !sameMailboxes(before, after))
    await deletePasswordLinks(tx, after.organization_id, after.id)
  if (newPassword && before.password_hash !== null)
    await keepFormerPassword(tx, after.organization_id, after.id, before.password_hash)
  const resource = resourceOf(after)
  const ids: string[] = []
  for (const event of events)
    ids.push(
      await recordEvent(tx, actor, { ...event, resource, ...(correlation && { correlation }) }),
    )
  await context.changed.fire(tx, actor, {
    organizationId: after.organization_id,
    userId: after.id,
    before,
    after,
    eventId: ids[0]!,
  })
  if (mail !== false && transitionBetween(before.state, after.state) === 'activated')
    await mailActivation(context, tx, actor, after, typeof mail === 'string' ? mail : undefined)
}

const taken = (field: string) =>
  `${field}: another user of the organization already has this ${field}`

const UNIQUE: Record<string, () => AppError> = {
  users_username: () => conflict('username_taken', taken('username')),
  users_email: () => conflict('email_taken', taken('email')),
  users_employee_identifier: () =>
    conflict('employee_identifier_taken', taken('employeeIdentifier')),
}

/** Runs a change; a unique violation becomes a conflict that names the field. */
export async function whileUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const index = Object.keys(UNIQUE).find((name) => isUniqueViolation(error, name))
    throw index === undefined ? error : UNIQUE[index]!()
  }
}
