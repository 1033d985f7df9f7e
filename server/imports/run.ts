import { failBatch } from '../platform/batches/control.ts'
import { runBatch } from '../platform/batches/run.ts'
import { type Batch, findBatch, noteBatch, startBatch } from '../platform/batches/store.ts'
import type { Tx } from '../platform/db/index.ts'
import { AppError } from '../platform/errors.ts'
import { applicationOf } from './application.ts'
import { applying, applyNew, applyRow, isNew } from './apply.ts'
import type { ImportContext } from './context.ts'
import { recordJobEvent } from './events.ts'
import { actorOf, IMPORT, keyOf, notesOf, sourceOf } from './job.ts'
import { namedManagers } from './manager-store.ts'
import { settleManagers } from './managers.ts'
import { openSourceOf } from './open-source.ts'
import { planJob } from './plan.ts'
import { rightsLeft } from './rights.ts'
import { findSource, type SourceRow } from './source-store.ts'
import { SourceFailure } from './sources/failures.ts'
import { analyzeGrown } from './statistics-store.ts'
import { undoRow } from './undo.ts'

/** Rows that are applied at the same time: each waits for its own commit. */
const CONCURRENCY = 8

interface Running {
  batch: Batch
  row: SourceRow
  application: { id: string; name: string }
  /** What its rights still allow; undefined: a job of the service itself. */
  scopes: ReadonlySet<string> | undefined
}

const actorFor = ({ batch, row, application, scopes }: Running) =>
  actorOf(batch, sourceOf(row.settings), application.name, scopes)

async function fail(context: ImportContext, running: Running, error: Error): Promise<void> {
  const { batch, application } = running
  const { message } = error
  const reason = error instanceof AppError ? error.reason : null
  await context.db.tx(batch.organization_id, async (tx) => {
    if (!(await failBatch(tx, batch, message))) return
    await noteBatch(tx, batch, { reason })
    await recordJobEvent(
      tx,
      actorFor(running),
      'import_job_finish',
      { id: batch.id, application },
      { error: message },
    )
  })
}

const finished =
  (running: Running) =>
  (tx: Tx, { id }: Batch, { total, failed }: { total: number; failed: number }): Promise<void> => {
    const message = `${total - failed} of ${total} records done, ${failed} failed or parked`
    const job = { id, application: running.application }
    return recordJobEvent(tx, actorFor(running), 'import_job_finish', job, { message })
  }

/** Makes the plan. Returns whether its rows are to be applied now. */
async function plan(context: ImportContext, running: Running): Promise<boolean> {
  const { batch, row, application } = running
  const started = await context.db.tx(batch.organization_id, (tx) => startBatch(tx, batch))
  if (!started) return false
  const ref = { id: batch.id, application }
  const outcome = await planJob(context, batch, row.settings, await openSourceOf(context, row))
  if (outcome === 'waiting')
    await context.db.tx(batch.organization_id, async (tx) => {
      const held = notesOf((await findBatch(tx, batch.organization_id, batch.id))!).held
      await recordJobEvent(tx, actorFor(running), 'import_job_hold', ref, { message: held ?? '' })
    })
  return outcome === 'apply'
}

/** Ours, and not an outage that passes. */
const isOwn = (error: unknown): error is AppError =>
  error instanceof AppError && error.kind !== 'unavailable'

async function runImport(context: ImportContext, running: Running): Promise<void> {
  const { batch, row } = running
  try {
    if (!notesOf(batch).planned && !(await plan(context, running))) return
  } catch (error) {
    // The source has been tried several times; an administrator, or the next run, tries it again.
    if (!(error instanceof SourceFailure) && !isOwn(error)) throw error
    return fail(context, running, error)
  }
  const job = applying(batch, row.settings, actorFor(running))
  const tenant = context.db.tenant(batch.organization_id)
  await runBatch(context.db, batch.organization_id, batch.id, {
    // A user whose manager comes later is written twice.
    first: () => namedManagers(tenant, batch),
    concurrency: CONCURRENCY,
    handle: (_, work, finish) => applyRow(context, job, work, finish),
    together: {
      fits: isNew,
      handle: async (_, rows, finish) => {
        await analyzeGrown(context.db)
        await applyNew(context, job, rows, finish)
      },
    },
    settle: () => settleManagers(context, job),
    finished: finished(running),
  })
}

const runUndo = (context: ImportContext, running: Running): Promise<void> =>
  runBatch(context.db, running.batch.organization_id, running.batch.id, {
    handle: (batch, work, finish) => undoRow(context, batch, actorFor(running), work, finish),
    finished: finished(running),
  })

/** Runs a job, or continues one that was interrupted. */
export async function runJob(
  context: ImportContext,
  { organizationId, jobId }: { organizationId: string; jobId: string },
): Promise<void> {
  const tenant = context.db.tenant(organizationId)
  const batch = await findBatch(tenant, organizationId, jobId)
  if (!batch) return
  const key = keyOf(batch)
  const row = await findSource(tenant, organizationId, key.applicationId)
  if (!row) {
    await context.db.tx(organizationId, (tx) => failBatch(tx, batch, 'The source was deleted'))
    return
  }
  const { id, name } = await applicationOf(tenant, key)
  const job = { batch, row, application: { id, name } }
  let scopes: ReadonlySet<string> | undefined
  try {
    scopes = await rightsLeft(context.db, batch, row.settings)
  } catch (error) {
    if (!isOwn(error)) throw error
    return fail(context, { ...job, scopes: new Set() }, error)
  }
  await (batch.kind === IMPORT ? runImport : runUndo)(context, { ...job, scopes })
}
