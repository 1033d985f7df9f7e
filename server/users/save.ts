import { changesBetween, type EventInput, recordEvents } from '../insights/index.ts'
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

/** A changed user, who is locked by the transaction. */
export interface RowChange {
  before: UserRow
  after: UserRow
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

/** The numbers that the change sets. */
const newNumbers = ({ before, after }: RowChange): number[] => [
  ...(before.unix_uid === after.unix_uid ? [] : [after.unix_uid]),
  ...(before.unix_guid === after.unix_guid ? [] : [after.unix_guid]),
]

async function settlePassword(tx: Tx, { before, after }: RowChange): Promise<void> {
  const newPassword = before.password_hash !== after.password_hash
  if (newPassword || !sameMailboxes(before, after))
    await deletePasswordLinks(tx, after.organization_id, after.id)
  if (newPassword && before.password_hash !== null)
    await keepFormerPassword(tx, after.organization_id, after.id, before.password_hash)
}

/** Saves changed users with their events, fires `changed`, and mails. Unchanged rows are not written. */
export async function saveChanges(
  context: UserChangeContext,
  tx: Tx,
  actor: UserActor,
  rows: readonly RowChange[],
  { mail = true, correlation }: SaveOptions = {},
): Promise<void> {
  const { organizationId } = actor
  const changes = rows
    .map((row) => ({ ...row, events: eventsBetween(row.before, row.after) }))
    .filter(({ events }) => events.length > 0)
  if (changes.length === 0) return
  const numbers = changes.flatMap(newNumbers)
  if (numbers.length > 0) await claimUnixIds(tx, organizationId, numbers)
  // Pipelined.
  await Promise.all(changes.map(({ after }) => saveUser(tx, after)))
  for (const change of changes) await settlePassword(tx, change)
  const inputs = changes.flatMap(({ after, events }) => {
    const resource = resourceOf(after)
    return events.map((event) => ({ ...event, resource, ...(correlation && { correlation }) }))
  })
  const ids = await recordEvents(tx, actor, inputs)
  const fired = changes.map(({ before, after, events }) => {
    const [eventId] = ids.splice(0, events.length)
    return { organizationId, userId: after.id, before, after, eventId: eventId! }
  })
  await context.changed.fire(tx, actor, ...fired)
  for (const { before, after } of changes)
    if (mail !== false && transitionBetween(before.state, after.state) === 'activated')
      await mailActivation(context, tx, actor, after, typeof mail === 'string' ? mail : undefined)
}

export const saveChange = (
  context: UserChangeContext,
  tx: Tx,
  actor: UserActor,
  before: UserRow,
  after: UserRow,
  options?: SaveOptions,
): Promise<void> => saveChanges(context, tx, actor, [{ before, after }], options)

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
