import type { Db, Queryable, Tx } from '../db/index.ts'
import { AppError } from '../errors.ts'
import { inLanes } from '../lanes.ts'
import { type BatchRow, countRows, finishRows, pendingRows, type RowResult } from './row-store.ts'
import {
  type Batch,
  type BatchKey,
  type BatchSummary,
  lockBatch,
  moveBatch,
  startBatch,
} from './store.ts'

/** Rows that are read at a time. */
const CHUNK = 100
/** Rows that are handled in one transaction, where that fits. */
const TOGETHER = 250

type Success = Pick<RowResult, 'message' | 'result'>

/** Saves the result of a row that succeeded. Throws, and so rolls back its change, when the row is no longer ours. */
export type Finish = (tx: Queryable, message: string, result: object) => Promise<void>

/** The same for rows that are handled together: one result for each, in their order. */
export type FinishAll = (tx: Queryable, results: readonly Success[]) => Promise<void>

export interface BatchHandler {
  /** Does the work of a row in a transaction, in which it calls `finish`. May run twice at once; one of them commits. */
  handle(batch: Batch, row: BatchRow, finish: Finish): Promise<void>
  /** A quicker way for rows that fit: one transaction for all. If it fails, `handle` does each of them by itself. */
  together?: {
    fits(row: BatchRow): boolean
    handle(batch: Batch, rows: readonly BatchRow[], finish: FinishAll): Promise<void>
  }
  /** Keys of rows that are handled before all others, such as those that others refer to. */
  first?(batch: Batch): Promise<readonly string[]>
  /** Rows that are handled at the same time; one after the other by default. */
  concurrency?: number
  /** Called once no row is pending, before the batch is finished; again after an interruption. */
  settle?(batch: Batch): Promise<void>
  /** In the transaction that finishes the batch, so once. */
  finished?(tx: Tx, batch: Batch, summary: BatchSummary): Promise<void>
}

/** Another run has finished the row, or the batch was cancelled. */
class NotOurs extends Error {}

async function finishing(
  batch: Batch,
  rows: readonly BatchRow[],
  handle: (finish: FinishAll) => Promise<void>,
): Promise<void> {
  let finished = false
  await handle(async (tx, results) => {
    const placed = rows.map(({ position }, at) => ({ position, success: true, ...results[at]! }))
    if ((await finishRows(tx, batch, placed)) < rows.length) throw new NotOurs()
    finished = true
  })
  // They would be handled again and again.
  if (!finished) throw new Error(`Batch ${batch.id}: row ${rows[0]!.position} was left unfinished`)
}

/** False when the row was not ours. */
async function runRow(
  db: Db,
  batch: Batch,
  row: BatchRow,
  { handle }: BatchHandler,
): Promise<boolean> {
  try {
    await finishing(batch, [row], (finish) =>
      handle(batch, row, (tx, message, result) => finish(tx, [{ message, result }])),
    )
    return true
  } catch (error) {
    if (error instanceof NotOurs) return false
    // A failure of the row becomes its result; a failure of the service is retried with the job.
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
    const { message, reason } = error
    const failed = { position: row.position, success: false, message, result: { reason } }
    return db.tx(batch.organization_id, async (tx) => (await finishRows(tx, batch, [failed])) > 0)
  }
}

/** Handles the rows that fit, a chunk in one transaction. Returns those that are left, with all of a chunk that failed. */
async function runTogether(
  batch: Batch,
  rows: BatchRow[],
  { together }: BatchHandler,
): Promise<BatchRow[]> {
  if (!together) return rows
  const fitting = rows.filter(together.fits)
  const done = new Set<BatchRow>()
  const chunks = Array.from({ length: Math.ceil(fitting.length / TOGETHER) }, (_, at) =>
    fitting.slice(at * TOGETHER, (at + 1) * TOGETHER),
  )
  // Four at a time: the service prepares some while the database writes the others.
  await inLanes(4, chunks, async (chunk) => {
    if (chunk.length < 2) return
    try {
      await finishing(batch, chunk, (finish) => together.handle(batch, chunk, finish))
      for (const row of chunk) done.add(row)
    } catch {
      // The rows tell one by one what is wrong; so does a failure of the service, which is still there.
    }
  })
  return rows.filter((row) => !done.has(row))
}

/** Handles these rows, in order. Returns the position of the last one that was begun. */
async function runChunk(
  db: Db,
  batch: Batch,
  handler: BatchHandler,
  rows: BatchRow[],
): Promise<number> {
  let after = 0
  let ours = true
  function* begun() {
    for (const row of rows) {
      // Not ours: the rows that follow are read anew, because they may not be either.
      if (!ours) return
      after = row.position
      yield row
    }
  }
  await inLanes(handler.concurrency ?? 1, begun(), async (row) => {
    if (!(await runRow(db, batch, row, handler))) ours = false
  })
  return after
}

/** Handles these rows. Returns the position after which pending rows are to be read. */
async function runPage(
  db: Db,
  batch: Batch,
  handler: BatchHandler,
  rows: BatchRow[],
): Promise<number> {
  const left = await runTogether(batch, rows, handler)
  return left.length === 0 ? rows.at(-1)!.position : runChunk(db, batch, handler, left)
}

/** Handles the pending rows, or those with these keys, until there are none or the batch is no longer running. */
async function runRows(
  db: Db,
  batch: Batch,
  handler: BatchHandler,
  keys?: readonly string[],
): Promise<void> {
  const tenant = db.tenant(batch.organization_id)
  const limit = handler.together ? 16 * TOGETHER : CHUNK
  const read = (after: number) => pendingRows(tenant, batch, { after, keys }, limit)
  for (let rows = await read(0); rows.length > 0; ) {
    const last = rows.at(-1)!.position
    // The next rows are read meanwhile, or the database would wait for work.
    const [next, after] = await Promise.all([read(last), runPage(db, batch, handler, rows)])
    rows = after === last ? next : await read(after)
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
    const first = (await handler.first?.(batch)) ?? []
    if (first.length > 0) await runRows(db, batch, handler, first)
    await runRows(db, batch, handler)
    await handler.settle?.(batch)
  } while (!(await finishBatch(db, key, handler)))
}
