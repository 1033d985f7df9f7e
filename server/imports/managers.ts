import { saveResults } from '../platform/batches/row-store.ts'
import { AppError } from '../platform/errors.ts'
import { inLanes } from '../platform/lanes.ts'
import { changeLockedUsers, lockUsers, type RowChange } from '../users/index.ts'
import { type Applying, DONE, unknownManager } from './apply.ts'
import { findManagers } from './candidates.ts'
import type { ImportContext } from './context.ts'
import { keyOf, type StoredResult } from './job.ts'
import { waitingForManager } from './manager-store.ts'

const CHUNK = 500

interface Waiting {
  position: number
  message: string
  result: StoredResult & { managerRef: string; userId: string }
}

/** A row whose manager has come since. */
interface Settled extends Waiting {
  manager: string
}

function withManager({ changes }: StoredResult, from: string | null, to: string) {
  if (changes === undefined) return { manager: to }
  const others = changes.filter(({ field }) => field !== 'manager')
  return { changes: [...others, { field: 'manager', from, to }] }
}

/** Sets the managers of users who came before them. */
async function setManagers(
  context: ImportContext,
  { batch, actor }: Applying,
  rows: readonly Settled[],
): Promise<void> {
  const { organizationId, applicationId } = keyOf(batch)
  await context.db.tx(organizationId, async (tx) => {
    const userIds = rows.map(({ result }) => result.userId)
    const users = await lockUsers(tx, organizationId, userIds)
    const byId = new Map(users.map((user) => [user.id, user]))
    const changes: RowChange[] = []
    const results = rows.map(({ position, message, manager, result: stored }) => {
      const { managerRef, ...rest } = stored
      const known = message.replace(unknownManager(managerRef), '')
      const row = { position, success: true }
      const before = byId.get(stored.userId)
      if (!before || before.manager === manager || before.id === manager)
        return { ...row, message: known, result: rest }
      changes.push({ before, after: { ...before, manager } })
      const action = rest.action === 'none' ? 'update' : rest.action
      const result = { ...rest, action, ...withManager(rest, before.manager, manager) }
      return { ...row, message: known.replace(DONE.none, DONE.update), result }
    })
    await changeLockedUsers(context.users, tx, actor, changes, { owner: applicationId })
    await saveResults(tx, batch, results)
  })
}

/** Together if possible; after a failure one by one, so that it concerns no other row. */
async function settle(
  context: ImportContext,
  job: Applying,
  rows: readonly Settled[],
): Promise<void> {
  try {
    if (rows.length > 0) await setManagers(context, job, rows)
  } catch (error) {
    if (rows.length > 1) for (const row of rows) await settle(context, job, [row])
    // The manager was deleted meanwhile, or another directory owns the field: the row keeps its note.
    else if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
  }
}

async function* rowsThatWait({ db }: ImportContext, { batch }: Applying) {
  const tenant = db.tenant(batch.organization_id)
  for (let after = 0; ; ) {
    const rows = (await waitingForManager(tenant, batch, after, CHUNK)) as Waiting[]
    if (rows.length === 0) return
    after = rows.at(-1)!.position
    yield rows
  }
}

/** Managers who came later in the same run. Those who are still unknown stay noted in their rows. */
export async function settleManagers(context: ImportContext, job: Applying): Promise<void> {
  const tenant = context.db.tenant(job.batch.organization_id)
  await inLanes(3, rowsThatWait(context, job), async (rows) => {
    const references = rows.map(({ result }) => result.managerRef)
    const managers = await findManagers(tenant, keyOf(job.batch), references)
    const settled = rows.flatMap((row) => {
      const manager = managers.get(row.result.managerRef)
      return manager === undefined ? [] : { ...row, manager }
    })
    await settle(context, job, settled)
  })
}
