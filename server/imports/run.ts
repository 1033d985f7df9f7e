import { failBatch } from '../platform/batches/control.ts'
import { runBatch } from '../platform/batches/run.ts'
import { type Batch, findBatch, startBatch } from '../platform/batches/store.ts'
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
}

const actorFor = ({ batch, row, application }: Running) =>
  actorOf(batch, sourceOf(row.settings), application.name)

async function fail(context: ImportContext, running: Running, error: string): Promise<void> {
  const { batch, application } = running
  await context.db.tx(batch.organization_id, async (tx) => {
    if (await failBatch(tx, batch, error))
      await recordJobEvent(
        tx,
        actorFor(running),
        'import_job_finish',
        { id: batch.id, application },
        { error },
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

async function runImport(context: ImportContext, running: Running): Promise<void> {
  const { batch, row, application } = running
  try {
    if (!notesOf(batch).planned && !(await plan(context, running))) return
  } catch (error) {
    // The source has been tried several times; an administrator, or the next run, tries it again.
    const own = error instanceof AppError && error.kind !== 'unavailable'
    if (!(error instanceof SourceFailure) && !own) throw error
    return fail(context, running, error.message)
  }
  const job = applying(batch, row.settings, application.name)
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
  const running = { batch, row, application: { id, name } }
  await (batch.kind === IMPORT ? runImport : runUndo)(context, running)
}
