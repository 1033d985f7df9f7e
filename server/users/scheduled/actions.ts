import { recordEvent } from '../../insights/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { inState } from '../account-actions.ts'
import { storedActor, type UserActor, type UserContext } from '../context.ts'
import { fireStatesJob } from '../job-definitions.ts'
import { resourceOf } from '../records.ts'
import { saveChange } from '../save.ts'
import { findUsers, lockUser, type UserRow } from '../store.ts'
import type { ScheduledState, ScheduledStateCreate } from './schema.ts'
import {
  deleteScheduledState,
  findScheduledState,
  insertScheduledStates,
  type ScheduledStateRow,
  takeScheduledState,
} from './store.ts'

export const toScheduledState = (row: ScheduledStateRow): ScheduledState => ({
  scheduledJobId: row.id,
  scheduledDate: row.start_date,
  state: row.state,
  systemUserId: row.user_id,
})

const scheduledStateNotFound = () =>
  notFound('scheduled_state_not_found', 'scheduled state change not found')

export async function getScheduledState(
  { db }: UserContext,
  organizationId: string,
  id: string,
): Promise<ScheduledStateRow> {
  const row = await findScheduledState(db.tenant(organizationId), organizationId, id)
  if (!row) throw scheduledStateNotFound()
  return row
}

const NAMES = { ACTIVATED: 'activation', SUSPENDED: 'suspension' } as const
/** Users per job; larger requests become several jobs, which run in parallel. */
const PER_JOB = 100

function checkMailOptions(body: ScheduledStateCreate): void {
  const { state, user_ids, send_activation_emails: send, activation_email_override: to } = body
  const only = (field: string, why: string) => invalid('activation_email', `${field}: ${why}`)
  if (state !== 'ACTIVATED' && send)
    throw only('send_activation_emails', 'only for the state ACTIVATED')
  if (state !== 'ACTIVATED' && to)
    throw only('activation_email_override', 'only for the state ACTIVATED')
  if (to && user_ids.length !== 1)
    throw only('activation_email_override', 'only with exactly one user')
}

/** One row per user; a user may have several pending changes. */
export async function scheduleStates(
  context: UserContext,
  actor: UserActor,
  body: ScheduledStateCreate,
): Promise<ScheduledStateRow[]> {
  checkMailOptions(body)
  const { organizationId } = actor
  const userIds = [...new Set(body.user_ids)]
  const start = new Date(body.start_date)
  return context.db.tx(organizationId, async (tx) => {
    const users = new Map<string, UserRow>()
    for (const user of await findUsers(tx, organizationId, userIds)) users.set(user.id, user)
    const missing = userIds.find((id) => !users.has(id))
    if (missing !== undefined) throw invalid('user_not_found', `user_ids: no such user ${missing}`)
    const rows = userIds.map((user_id) => ({
      organization_id: organizationId,
      id: newId(),
      user_id,
      state: body.state,
      start_date: start.toISOString(),
      send_activation_emails: body.send_activation_emails ?? body.state === 'ACTIVATED',
      activation_email_override: body.activation_email_override || null,
      planned_by: storedActor(actor),
    }))
    await insertScheduledStates(tx, rows)
    for (const row of rows) await audit(tx, actor, users.get(row.user_id)!, row, 'create')
    for (let at = 0; at < rows.length; at += PER_JOB) {
      const ids = rows.slice(at, at + PER_JOB).map(({ id }) => id)
      await context.send(tx, fireStatesJob, { organizationId, ids }, { startAfter: start })
    }
    return rows
  })
}

async function audit(
  tx: Parameters<typeof recordEvent>[0],
  actor: UserActor,
  user: Pick<UserRow, 'id' | 'username'>,
  row: ScheduledStateRow,
  what: 'create' | 'delete',
): Promise<void> {
  const change = { state: row.state, scheduledDate: row.start_date }
  await recordEvent(tx, actor, {
    event_type: `user_${NAMES[row.state]}_schedule_${what}`,
    resource: resourceOf(user),
    correlation: { id: row.id, type: 'scheduled_state' },
    changes: Object.entries(change).map(([field, value]) =>
      what === 'create' ? { field, to: value } : { field, from: value },
    ),
  })
}

export function cancelScheduledState(
  context: UserContext,
  actor: UserActor,
  id: string,
): Promise<void> {
  const { organizationId } = actor
  return context.db.tx(organizationId, async (tx) => {
    const row = await deleteScheduledState(tx, organizationId, id)
    if (!row) throw scheduledStateNotFound()
    const [user] = await findUsers(tx, organizationId, [row.user_id])
    await audit(tx, actor, user ?? { id: row.user_id, username: '' }, row, 'delete')
  })
}

/**
 * Applies a scheduled change as the actor who scheduled it. The row is deleted in the same transaction, so workers and
 * retries apply it only once. A user already in that state is not changed. The change of a deleted user stays pending
 * until the user is restored (catchUpStates).
 */
export function fireScheduledState(
  context: UserContext,
  organizationId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  return context.db.tx(organizationId, async (tx) => {
    const planned = await takeScheduledState(tx, organizationId, id, now)
    if (!planned) return false
    const before = await lockUser(tx, organizationId, planned.user_id)
    if (!before) return false
    const actor = { ...planned.planned_by, organizationId }
    const mail = planned.send_activation_emails && (planned.activation_email_override ?? true)
    await saveChange(context, tx, actor, before, inState(before, planned.state, now), {
      mail,
      correlation: { id, type: 'scheduled_state' },
    })
    return true
  })
}
