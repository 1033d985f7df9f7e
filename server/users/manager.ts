import type { Tx } from '../platform/db/index.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import type { UserActor, UserContext } from './context.ts'
import { saveChange } from './save.ts'
import { holdUser, lockReports, type UserRow } from './store.ts'

/** Checks that the manager is another user of the organization, and locks them until the transaction ends. */
export async function checkManager(
  tx: Tx,
  organizationId: string,
  { id, manager }: Pick<UserRow, 'id' | 'manager'>,
): Promise<void> {
  if (manager === null) return
  if (manager === id) throw invalid('manager_self', 'manager: a user cannot be their own manager')
  if (!(await holdUser(tx, organizationId, manager)))
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
  for (const report of reports) {
    const manager = next === report.id ? null : next
    await saveChange(context, tx, actor, report, { ...report, manager })
  }
}
