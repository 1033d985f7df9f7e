import type { Tx } from '../platform/db/index.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import type { UserActor, UserContext } from './context.ts'
import { saveChanges } from './save.ts'
import { holdUser, holdUsers, lockReports, type UserRow } from './store.ts'

/**
 * Checks that the managers are other users of the organization, and locks them until the transaction ends. Those among
 * the users themselves are new, or locked already.
 */
export async function checkManagers(
  tx: Tx,
  organizationId: string,
  users: readonly Pick<UserRow, 'id' | 'manager'>[],
): Promise<void> {
  const known = new Set(users.map(({ id }) => id))
  const others = new Set<string>()
  for (const { id, manager } of users) {
    if (manager === id) throw invalid('manager_self', 'manager: a user cannot be their own manager')
    if (manager !== null && !known.has(manager)) others.add(manager)
  }
  if (others.size === 0) return
  for (const { id } of await holdUsers(tx, organizationId, [...others])) others.delete(id)
  for (const manager of others)
    throw invalid('manager_not_found', `manager: no such user ${manager}`)
}

/**
 * Before a manager is deleted, their direct reports get another manager (`cascade` is an id) or none ("null"). Without
 * `cascade` a manager with reports cannot be deleted.
 */
export async function handOverReports(
  context: UserContext,
  tx: Tx,
  actor: UserActor,
  managerId: string,
  cascade: string | undefined,
): Promise<void> {
  const { organizationId } = actor
  const reports = await lockReports(tx, organizationId, managerId)
  if (reports.length === 0) return
  if (cascade === undefined || cascade === '') {
    throw conflict(
      'user_is_manager',
      `The user has ${reports.length} direct reports; set cascade_manager to the id of their new manager, or to null`,
    )
  }
  const next = cascade === 'null' ? null : cascade
  if (
    next !== null &&
    (!isId(next) || next === managerId || !(await holdUser(tx, organizationId, next)))
  )
    throw invalid('cascade_manager', 'cascade_manager: must be null or the id of another user')
  const changes = reports.map((before) => {
    const manager = next === before.id ? null : next
    return { before, after: { ...before, manager } }
  })
  await saveChanges(context, tx, actor, changes)
}
