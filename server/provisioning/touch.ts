import type { ApplicationContext } from '../applications/index.ts'
import { type EdgeContext, membersOf } from '../graph/index.ts'
import type { GroupContext } from '../groups/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { notify } from '../platform/db/listen.ts'
import type { UserContext } from '../users/index.ts'
import { haveAccounts, touchAccounts, touchAccountsOf } from './account-store.ts'
import { listConnected } from './connection-store.ts'
import { touchGroups } from './group-store.ts'
import { boundApplications, reportsOf } from './related-store.ts'
import { requestSweep } from './run-store.ts'

// Each change marks, in its own transaction, what has to be compared. Nothing is decided here: a worker reads the rows
// as they are when it comes to them, so several changes of one person become one request to the provider.

type ListenerOf<H> = H extends { on(listener: infer L): void } ? L : never
type ListenerOfAll<H> = H extends { onAll(listener: infer L): void } ? L : never

export const CHANNEL = 'gatehouse_provisioning'

/** Wakes the workers when the transaction commits. */
export async function wake(
  tx: Tx,
  organizationId: string,
  applicationIds: readonly string[],
): Promise<void> {
  for (const id of applicationIds) await notify(tx, CHANNEL, `${organizationId} ${id}`)
}

/** Attributes or states of users have changed; those of a manager may be written with the direct reports. */
export const touchUsers: ListenerOfAll<UserContext['changed']> = async (
  tx,
  { organizationId },
  changes,
) => {
  const known = changes.filter(({ isNew }) => !isNew)
  const ids = known.map(({ userId }) => userId)
  if (ids.length === 0 || !(await haveAccounts(tx, organizationId, ids))) return
  const ending = known.filter(({ after }) => after === null || after.state !== 'ACTIVATED')
  const managers = known.filter(({ before }) => before !== null).map(({ userId }) => userId)
  const reports = managers.length > 0 ? await reportsOf(tx, organizationId, managers) : []
  const applications = await touchAccountsOf(
    tx,
    organizationId,
    [...ids, ...reports],
    ending.map(({ userId }) => userId),
  )
  await wake(tx, organizationId, applications)
}

const idsOf = (connections: readonly { id: string }[]) => connections.map(({ id }) => id)

/** An association with an application, or a membership of a group that has one. */
export const touchEdge: ListenerOf<EdgeContext['edgeChanged']> = async (
  tx,
  { organizationId },
  { op, source, target, isMembership },
) => {
  if (isMembership ? target.type !== 'user' : target.type !== 'application') return
  const connected = await listConnected(tx, organizationId)
  if (connected.length === 0) return
  const ends = op === 'remove'
  if (isMembership) {
    const bound = await boundApplications(tx, organizationId, source.id, idsOf(connected))
    if (bound.length > 0) {
      await touchAccounts(tx, organizationId, bound, [target.id], ends)
      await touchGroups(tx, organizationId, bound, [source.id])
    }
    // A mapping may depend on the groups of a user, whether they are bound or not.
    const others = connected.some(({ readsGroups }) => readsGroups)
      ? await touchAccountsOf(tx, organizationId, [target.id])
      : []
    await wake(tx, organizationId, [...new Set([...bound, ...others])])
    return
  }
  if (!idsOf(connected).includes(target.id)) return
  if (source.type === 'user')
    await touchAccounts(tx, organizationId, [target.id], [source.id], ends)
  else if (source.type === 'user_group') {
    await requestSweep(tx, [target.id], false)
    await touchGroups(tx, organizationId, [target.id], [source.id])
  } else return
  await wake(tx, organizationId, [target.id])
}

/** A group was renamed, deleted or restored. Its members come or go with it, and mappings may name it. */
export const touchGroup: ListenerOf<GroupContext['changed']> = async (
  tx,
  { organizationId },
  { type, groupId, before, after },
) => {
  if (type !== 'user_group' || (before && after && before.name === after.name)) return
  const connected = await listConnected(tx, organizationId)
  if (connected.length === 0) return
  const bound = await boundApplications(tx, organizationId, groupId, idsOf(connected))
  await touchGroups(tx, organizationId, bound, [groupId])
  if (!(before && after)) await requestSweep(tx, bound, false)
  const group = { type: 'user_group', id: groupId } as const
  const isNew = !before && (await membersOf(tx, organizationId, group)).length === 0
  const readers = isNew ? [] : idsOf(connected.filter(({ readsGroups }) => readsGroups))
  await requestSweep(tx, readers, true)
  await wake(tx, organizationId, [...new Set([...bound, ...readers])])
}

/** An application that becomes active again catches up. */
export const touchApplication: ListenerOf<ApplicationContext['changed']> = async (
  tx,
  { organizationId },
  { applicationId, before, after },
) => {
  if (after === null || before?.active === after.active) return
  await requestSweep(tx, [applicationId], false)
  await wake(tx, organizationId, [applicationId])
}
