import type { Db, Queryable, Tx } from '../db/index.ts'
import { AppError } from '../errors.ts'
import { type BatchRow, countRows, finishRow, pendingRows } from './row-store.ts'
import {
  type Batch,
  type BatchKey,
  type BatchSummary,
  lockBatch,
  moveBatch,
  startBatch,
} from './store.ts'

const CHUNK = 100

/** Saves the result of a row that succeeded. Throws, and so rolls back its change, when the row is no longer ours. */
export type Finish = (tx: Queryable, message: string, result: object) => Promise<void>

export interface BatchHandler {
  /** Does the work of a row in a transaction, in which it calls `finish`. May run twice at once; one of them commits. */
  handle(batch: Batch, row: BatchRow, finish: Finish): Promise<void>
  /** Rows that are handled at the same time; one after the other by default. */
  concurrency?: number
  /** Called once no row is pending, before the batch is finished; again after an interruption. */
  settle?(batch: Batch): Promise<void>
  /** In the transaction that finishes the batch, so once. */
  finished?(tx: Tx, batch: Batch, summary: BatchSummary): Promise<void>
}

/** Another run has finished the row, or the batch was cancelled. */
class NotOurs extends Error {}

/** False when the row was not ours. */
async function runRow(
  db: Db,
  batch: Batch,
  row: BatchRow,
  { handle }: BatchHandler,
): Promise<boolean> {
  let finished = false
  try {
    await handle(batch, row, async (tx, message, result) => {
      if (!(await finishRow(tx, row, { success: true, message, result }))) throw new NotOurs()
      finished = true
    })
  } catch (error) {
    if (error instanceof NotOurs) return false
    // A failure of the row becomes its result; a failure of the service is retried with the job.
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
    const { message, reason } = error
    return db.tx(row.organization_id, (tx) =>
      finishRow(tx, row, { success: false, message, result: { reason } }),
    )
  }
  // It would be handled again and again.
  if (!finished) throw new Error(`Batch ${batch.id}: row ${row.position} was left unfinished`)
  return true
}

/** Handles these rows, in order. Returns the position of the last one that was begun. */
async function runChunk(
  db: Db,
  batch: Batch,
  handler: BatchHandler,
  rows: BatchRow[],
): Promise<number> {
  let after = 0
  const lane = async () => {
    for (let row = rows.shift(); row; row = rows.shift()) {
      after = row.position
      const ours = await runRow(db, batch, row, handler).catch((error) => {
        rows.length = 0
        throw error
      })
      // Not ours: the rows that follow are read anew, because they may not be either.
      if (!ours) rows.length = 0
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: handler.concurrency ?? 1 }, lane))
  for (const { status, ...end } of lanes)
    if (status === 'rejected') throw (end as PromiseRejectedResult).reason
  return after
}

/** Handles the pending rows until there are none or the batch is no longer running. */
async function runRows(db: Db, batch: Batch, handler: BatchHandler): Promise<void> {
  const tenant = db.tenant(batch.organization_id)
  for (let after = 0; ; ) {
    const rows = await pendingRows(tenant, batch, after, CHUNK)
    if (rows.length === 0) return
    after = await runChunk(db, batch, handler, rows)
  }
}

/** False when rows are still pending. */
const finishBatch = (db: Db, key: BatchKey, { finished }: BatchHandler): Promise<boolean> =>
  db.tx(key.organization_id, async (tx) => {
    // The lock comes first: the count must include rows that were appended until then.
    const batch = await lockBatch(tx, key)
    if (batch?.state !== 'running') return true
    const { pending, total, failed } = await countRows(tx, key)
    if (pending > 0) return false
    const summary = { total, failed }
    await moveBatch(tx, key, ['running'], 'finished', { summary })
    await finished?.(tx, batch, summary)
    return true
  })

/** Runs a queued batch, or continues one whose run was interrupted. Any other batch is left alone. */
export async function runBatch(
  db: Db,
  organizationId: string,
  id: string,
  handler: BatchHandler,
): Promise<void> {
  const key = { organization_id: organizationId, id }
  const batch = await db.tx(organizationId, (tx) => startBatch(tx, key))
  if (!batch) return
  do {
    await runRows(db, batch, handler)
    await handler.settle?.(batch)
  } while (!(await finishBatch(db, key, handler)))
}
