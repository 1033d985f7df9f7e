import { saveResults } from '../platform/batches/row-store.ts'
import { AppError } from '../platform/errors.ts'
import { changeLockedUser, lockUser } from '../users/index.ts'
import { type Applying, DONE, unknownManager } from './apply.ts'
import { findManagers } from './candidates.ts'
import type { ImportContext } from './context.ts'
import { keyOf, type RowResult } from './job.ts'
import { waitingForManager } from './manager-store.ts'

const CHUNK = 500

interface Waiting {
  position: number
  message: string
  result: RowResult & { managerRef: string; userId: string }
}

/** Sets the manager of one user who came before their manager. */
async function setManager(
  context: ImportContext,
  { batch, actor }: Applying,
  { position, message, result }: Waiting,
  manager: string,
): Promise<void> {
  const { organizationId, applicationId } = keyOf(batch)
  await context.db.tx(organizationId, async (tx) => {
    const before = await lockUser(tx, organizationId, result.userId)
    const { managerRef, ...rest } = result
    const save = (result: RowResult, changed = false) => {
      const known = message.replace(unknownManager(managerRef), '')
      const row = { position, success: true, result }
      return saveResults(tx, batch, [
        { ...row, message: changed ? known.replace(DONE.none, DONE.update) : known },
      ])
    }
    if (!before || before.manager === manager || before.id === manager) return save(rest)
    const after = { ...before, manager }
    await changeLockedUser(context.users, tx, actor, before, after, { owner: applicationId })
    const changes = [
      ...rest.changes.filter(({ field }) => field !== 'manager'),
      { field: 'manager', from: before.manager, to: manager },
    ]
    return save({ ...rest, action: rest.action === 'none' ? 'update' : rest.action, changes }, true)
  })
}

/** Managers who came later in the same run. Those who are still unknown stay noted in their rows. */
export async function settleManagers(context: ImportContext, job: Applying): Promise<void> {
  const { batch } = job
  const tenant = context.db.tenant(batch.organization_id)
  for (let after = 0; ; ) {
    const rows = (await waitingForManager(tenant, batch, after, CHUNK)) as Waiting[]
    if (rows.length === 0) return
    const managers = await findManagers(
      tenant,
      keyOf(batch),
      rows.map(({ result }) => result.managerRef),
    )
    for (const row of rows) {
      const manager = managers.get(row.result.managerRef)
      if (manager === undefined) continue
      try {
        await setManager(context, job, row, manager)
      } catch (error) {
        // The manager was deleted meanwhile, or another directory owns the field: the row keeps its note.
        if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
      }
    }
    after = rows.at(-1)!.position
  }
}
