import { deleteNode, restoreNode } from '../graph/index.ts'
import { recordEvent } from '../insights/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { UserActor, UserChangeContext, UserContext } from './context.ts'
import { requestedState } from './lifecycle.ts'
import { checkManagers, handOverReports } from './manager.ts'
import { acceptPassword, withExpiration, withPassword } from './passwords/passwords.ts'
import { resourceOf } from './records.ts'
import { checkRestricted } from './restricted-fields.ts'
import { type RowChange, type SaveOptions, saveChanges, whileUnique } from './save.ts'
import { userSettings } from './settings.ts'
import {
  findUser,
  holdUser,
  lockDeletedUser,
  lockDeletions,
  lockUser,
  lockUserToDelete,
  saveUser,
  type UserRow,
} from './store.ts'
import { checkMaySignInAs, checkUserSudo } from './sudo.ts'
import { checkUserQuota } from './user-quota.ts'
import { applyWrite, readFlag, type UserWrite } from './write.ts'

const userNotFound = () => notFound('user_not_found', 'user not found')

export async function getUser(
  { db }: Pick<UserContext, 'db'>,
  organizationId: string,
  id: string,
): Promise<UserRow> {
  const row = await findUser(db.tenant(organizationId), organizationId, id)
  if (!row) throw userNotFound()
  return row
}

export interface ChangeOptions extends SaveOptions {
  /** Called in the transaction of the change, also when nothing changes. */
  alongside?: (tx: Tx) => Promise<void>
}

/** One transaction: load, decide, save, record. `decide` returns the new row. */
export function changeUser(
  context: UserChangeContext,
  actor: UserActor,
  id: string,
  decide: (row: UserRow, tx: Tx) => UserRow | Promise<UserRow>,
  options?: ChangeOptions,
): Promise<UserRow> {
  const { organizationId } = actor
  return whileUnique(() =>
    context.db.tx(organizationId, async (tx) => {
      const before = await lockUser(tx, organizationId, id)
      if (!before) throw userNotFound()
      const after = await decide(before, tx)
      await changeLockedUser(context, tx, actor, before, after, options)
      await options?.alongside?.(tx)
      return after
    }),
  )
}

/** Checks and saves the changes of users who are locked by this transaction. */
export async function changeLockedUsers(
  context: UserChangeContext,
  tx: Tx,
  actor: UserActor,
  changes: readonly RowChange[],
  options?: SaveOptions,
): Promise<void> {
  for (const { before, after } of changes) {
    checkRestricted(before, after, options?.owner)
    checkUserSudo(actor, before, after)
  }
  const managed = changes.filter(({ before, after }) => after.manager !== before.manager)
  await checkManagers(
    tx,
    actor.organizationId,
    managed.map(({ after }) => after),
  )
  for (const { before, after } of changes) await checkMaySignInAs(tx, actor, before, after, options)
  await saveChanges(context, tx, actor, changes, options)
}

export const changeLockedUser = (
  context: UserChangeContext,
  tx: Tx,
  actor: UserActor,
  before: UserRow,
  after: UserRow,
  options?: SaveOptions,
): Promise<void> => changeLockedUsers(context, tx, actor, [{ before, after }], options)

/** Omitted members keep their values. */
export async function updateUser(
  context: UserContext,
  actor: UserActor,
  id: string,
  body: UserWrite,
  options?: ChangeOptions,
): Promise<UserRow> {
  const { organizationId } = actor
  const { db } = context
  const [settings, current] = await Promise.all([
    userSettings(db, organizationId),
    getUser(context, organizationId, id),
  ])
  const now = new Date()
  const policy = settings.passwordPolicy
  const named = { ...current, username: body.username ?? current.username }
  const hash = body.password
    ? await acceptPassword(db.tenant(organizationId), policy, named, body.password)
    : null
  return changeUser(
    context,
    actor,
    id,
    (before) => {
      const state = requestedState(before.state, {
        state: body.state,
        suspended: readFlag(body.suspended),
      })
      const after = applyWrite(before, body, state, {
        now,
        makeId: newId,
        restrictedFields: settings.systemUserDefaults.restrictedFields,
      })
      return hash === null
        ? withExpiration(before, after, policy, now)
        : withPassword(after, hash, policy, now)
    },
    options,
  )
}

/** Soft delete: hidden, and restorable for 30 days. */
export function removeUser(
  context: UserContext,
  actor: UserActor,
  id: string,
  cascadeManager?: string,
): Promise<UserRow> {
  const { organizationId } = actor
  return context.db.tx(organizationId, async (tx) => {
    const before = await lockForRemoval(tx, organizationId, id)
    await removeLockedUser(context, tx, actor, before, cascadeManager)
    return before
  })
}

export async function lockForRemoval(tx: Tx, organizationId: string, id: string): Promise<UserRow> {
  await lockDeletions(tx, organizationId)
  const row = await lockUserToDelete(tx, organizationId, id)
  if (!row) throw userNotFound()
  return row
}

/** Removes a user who is locked by `lockForRemoval`. */
export async function removeLockedUser(
  context: UserContext,
  tx: Tx,
  actor: UserActor,
  before: UserRow,
  cascadeManager?: string,
): Promise<void> {
  const { organizationId } = actor
  const userId = before.id
  await handOverReports(context, tx, actor, userId, cascadeManager)
  await saveUser(tx, { ...before, deleted_at: new Date().toISOString() })
  const resource = resourceOf(before)
  const eventId = await recordEvent(tx, actor, { event_type: 'systemuser_delete', resource })
  // Listeners first: they may need the user's edges.
  await context.changed.fire(tx, actor, { organizationId, userId, before, after: null, eventId })
  await deleteNode(tx, organizationId, 'user', userId, eventId)
}

/** Restores the user with associations and memberships; a manager deleted in the meantime is cleared. */
export async function restoreUser(
  context: UserContext,
  actor: UserActor,
  id: string,
): Promise<UserRow> {
  const { organizationId } = actor
  const settings = await userSettings(context.db, organizationId)
  return whileUnique(() =>
    context.db.tx(organizationId, async (tx) => {
      const deleted = await lockDeletedUser(tx, organizationId, id)
      if (!deleted) throw notFound('user_not_deleted', 'no deleted user with this id')
      await checkUserQuota(tx, organizationId, settings)
      const managed = deleted.manager && (await holdUser(tx, organizationId, deleted.manager))
      const after = { ...deleted, deleted_at: null, manager: managed ? deleted.manager : null }
      await saveUser(tx, after)
      const resource = resourceOf(after)
      const eventId = await recordEvent(tx, actor, { event_type: 'systemuser_restore', resource })
      await restoreNode(tx, organizationId, 'user', id, eventId)
      await context.changed.fire(tx, actor, {
        organizationId,
        userId: id,
        before: null,
        after,
        eventId,
      })
      return after
    }),
  )
}
