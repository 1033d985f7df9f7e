import { keepRights } from '../admins/index.ts'
import { cancelBatch, confirmBatch, retryBatch } from '../platform/batches/control.ts'
import { appendRows, type BatchRow, succeededRows } from '../platform/batches/row-store.ts'
import { type Batch, type BatchKey, insertBatch, noteBatch } from '../platform/batches/store.ts'
import type { Caller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { storedActor } from '../users/index.ts'
import { applicationOf, sourceKey } from './application.ts'
import type { ImportContext } from './context.ts'
import { recordJobEvent } from './events.ts'
import { doneFor, IMPORT, inputOf, keyOf, type RowInput, type RowResult, UNDO } from './job.ts'
import { runImportJob } from './job-definitions.ts'
import { getBatch } from './jobs-view.ts'
import { checkGroups } from './rights.ts'
import type { Action } from './schema.ts'
import { findSource } from './source-store.ts'
import { holdSource } from './start.ts'

/** A change of the job as a whole, with its event. */
async function change(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  jobId: string,
  event: string,
  work: (tx: Tx, batch: Batch) => Promise<void>,
): Promise<void> {
  const batch = await getBatch(context, caller, applicationId, jobId)
  await context.db.tx(caller.organizationId, async (tx) => {
    const application = await applicationOf(tx, sourceKey(caller, applicationId))
    await work(tx, batch)
    await recordJobEvent(tx, caller, event, { id: batch.id, application })
  })
}

const run = ({ send }: ImportContext, tx: Tx, { organization_id, id }: Batch) =>
  send(tx, runImportJob, { organizationId: organization_id, jobId: id })

const wrongState = (message: string) => conflict('import_job_state', message)

export const cancelJob = (
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  jobId: string,
): Promise<void> =>
  change(context, caller, applicationId, jobId, 'import_job_cancel', async (tx, batch) => {
    if (!(await cancelBatch(tx, batch))) throw wrongState('The job has already ended')
  })

async function checkMapped(tx: Tx, caller: Caller, batch: Batch): Promise<void> {
  const { organizationId, applicationId } = keyOf(batch)
  const source = await findSource(tx, organizationId, applicationId)
  if (source) checkGroups(caller, source.settings.mapping)
}

/** The job goes on with the rights of the one who lets it, who may not be the one who started it. */
async function takeOver(tx: Tx, caller: Caller, batch: Batch): Promise<void> {
  await checkMapped(tx, caller, batch)
  await noteBatch(tx, batch, { rights: keepRights(caller) })
}

export const confirmJob = (
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  jobId: string,
): Promise<void> =>
  change(context, caller, applicationId, jobId, 'import_job_confirm', async (tx, batch) => {
    await takeOver(tx, caller, batch)
    await holdSource(tx, keyOf(batch))
    if (!(await confirmBatch(tx, batch))) throw wrongState('The job does not wait for confirmation')
    await noteBatch(tx, batch, { confirmed: true })
    await run(context, tx, batch)
  })

/** Tries the failed rows again, or a job that failed as a whole. */
export const retryJob = (
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  jobId: string,
): Promise<void> =>
  change(context, caller, applicationId, jobId, 'import_job_retry', async (tx, batch) => {
    if (inputOf(batch).dryRun) throw wrongState('A dry run has nothing to retry')
    await takeOver(tx, caller, batch)
    await holdSource(tx, keyOf(batch))
    if (!(await retryBatch(tx, batch))) throw wrongState('The job has nothing to retry')
    await run(context, tx, batch)
  })

const CHUNK = 1000
const CHANGES: readonly Action[] = ['update', 'suspend', 'reactivate']

/** Rows that changed something, if only a link; new users come separately. */
const changedOrLinked = ({ action, linked }: RowResult): boolean =>
  CHANGES.includes(action) || (linked === true && action !== 'create')

/** Whose row it is, for those who look at the undo. */
function nameOf({ input }: BatchRow) {
  const { username, email, firstname, lastname } = (input as RowInput).write
  return { write: { username, email, firstname, lastname } }
}

/** Adds what the rows of a job did to the rows of its undo, the last first. Returns how many. */
async function copyRows(
  tx: Tx,
  from: Batch,
  to: BatchKey,
  wanted: (result: RowResult) => boolean,
): Promise<number> {
  let copied = 0
  for (let before = from.total + 1; ; ) {
    const rows = await succeededRows(tx, from, before, CHUNK)
    if (rows.length === 0) return copied
    copied += await appendRows(
      tx,
      to,
      rows
        .filter((row) => wanted(doneFor(row)))
        .map((row) => ({ id: newId(), input: { ...doneFor(row), ...nameOf(row) } })),
    )
    before = rows.at(-1)!.position
  }
}

/** Queues a job that takes back what a finished or cancelled one has done. */
export async function undoJob(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  jobId: string,
): Promise<string> {
  const { db } = context
  const batch = await getBatch(context, caller, applicationId, jobId)
  const { organizationId } = caller
  if (batch.kind !== IMPORT) throw invalid('not_an_import', 'An undo cannot be undone')
  if (!['finished', 'cancelled', 'failed'].includes(batch.state) || inputOf(batch).dryRun)
    throw wrongState('Only a job that has ended, and was no dry run, can be undone')
  const id = newId()
  await db.tx(organizationId, async (tx) => {
    const application = await applicationOf(tx, sourceKey(caller, applicationId))
    await checkMapped(tx, caller, batch)
    const undo = { organization_id: organizationId, id }
    const since = batch.started_at ?? batch.created
    await insertBatch(tx, {
      ...undo,
      kind: UNDO,
      input: { applicationId, undoOf: batch.id, since },
      started_by: { ...storedActor(caller), rights: keepRights(caller) },
    })
    // Users are deleted after the changes are taken back: some may have become managers of others.
    const changed = await copyRows(tx, batch, undo, changedOrLinked)
    const created = await copyRows(tx, batch, undo, ({ action }) => action === 'create')
    if (changed + created === 0) throw wrongState('The job has changed nothing')
    await recordJobEvent(
      tx,
      caller,
      'import_job_undo',
      { id, application },
      {
        message: `Undo of the job ${batch.id}`,
      },
    )
    await context.send(tx, runImportJob, { organizationId, jobId: id })
  })
  return id
}
