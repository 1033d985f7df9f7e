import { type BatchRow, countRows, listRows } from '../platform/batches/row-store.ts'
import { type Batch, findBatch, listBatches } from '../platform/batches/store.ts'
import type { Caller } from '../platform/caller.ts'
import type { Queryable } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import type { Page, Paging } from '../platform/list/page.ts'
import { applicationOf, sourceKey } from './application.ts'
import type { ImportContext } from './context.ts'
import { doneFor, IMPORT, inputOf, notesOf, type RowInput, UNDO } from './job.ts'
import { noCounts } from './plan.ts'
import type { ImportJob, ImportResult } from './schema.ts'

const KINDS = [IMPORT, UNDO]

const jobNotFound = () => notFound('import_job_not_found', 'Not Found: no such import job')

/** A job of this application; 404 otherwise. */
export async function getBatch(
  { db }: Pick<ImportContext, 'db'>,
  caller: Caller,
  applicationId: string,
  jobId: string,
): Promise<Batch> {
  const key = sourceKey(caller, applicationId)
  const tenant = db.tenant(key.organizationId)
  await applicationOf(tenant, key)
  const batch = isId(jobId) ? await findBatch(tenant, key.organizationId, jobId) : undefined
  if (!batch || !KINDS.includes(batch.kind) || inputOf(batch).applicationId !== applicationId)
    throw jobNotFound()
  return batch
}

const phaseOf = ({ kind, state }: Batch, planned: boolean): ImportJob['phase'] => {
  if (state === 'finished' || state === 'cancelled') return 'done'
  return planned || kind === UNDO ? 'apply' : 'plan'
}

const toJob = (
  batch: Batch,
  { total, pending, failed }: { total: number; pending: number; failed: number },
): ImportJob => {
  const { applicationId, operations = [], queryString = '' } = inputOf(batch)
  const { allowUserReactivation = false, state = null, dryRun = false } = inputOf(batch)
  const { undoOf = null } = batch.input as { undoOf?: string }
  const { planned = false, counts, held, reason = null } = notesOf(batch)
  const { initiator } = batch.started_by as { initiator: { type: string } }
  return {
    _id: batch.id,
    id: batch.id,
    kind: batch.kind === UNDO ? 'undo' : 'import',
    applicationId,
    status: batch.state,
    phase: phaseOf(batch, planned),
    statusReason: batch.error ?? (batch.state === 'waiting' ? (held ?? null) : null),
    reason: batch.state === 'failed' ? reason : null,
    operations,
    allowUserReactivation,
    queryString,
    state,
    dryRun,
    undoOf,
    startedBy: initiator,
    total,
    pending,
    succeeded: total - pending - failed,
    failed,
    planned: { ...noCounts(), ...counts },
    created: batch.created,
    updated: batch.updated,
    startedAt: batch.started_at,
    finishedAt: batch.finished_at,
  }
}

/** Counted while it runs; what has ended keeps its numbers. */
const progressOf = (db: Queryable, batch: Batch) =>
  batch.summary ? { ...batch.summary, pending: 0 } : countRows(db, batch)

export async function getJob(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  jobId: string,
): Promise<ImportJob> {
  const batch = await getBatch(context, caller, applicationId, jobId)
  return toJob(batch, await progressOf(context.db.tenant(caller.organizationId), batch))
}

export async function listJobs(
  { db }: ImportContext,
  caller: Caller,
  applicationId: string,
  paging: Paging,
): Promise<Page<ImportJob>> {
  const key = sourceKey(caller, applicationId)
  const tenant = db.tenant(key.organizationId)
  await applicationOf(tenant, key)
  const page = await listBatches(
    tenant,
    key.organizationId,
    { kind: KINDS, input: { applicationId } },
    paging,
  )
  const results: ImportJob[] = []
  for (const batch of page.results) results.push(toJob(batch, await progressOf(tenant, batch)))
  return { ...page, results }
}

interface ResultFilter {
  status?: 'Pending' | 'Finished'
  success?: boolean
}

const toResult = (row: BatchRow): ImportResult => {
  // Of an undo, the input is what it takes back.
  const { plan, ...fields } = row.input as Partial<RowInput>
  return {
    id: row.id,
    createdAt: row.created,
    updatedAt: row.updated,
    status: row.status,
    statusMsg: row.status_msg,
    persistedFields: fields,
    // Of a row that failed, the plan says what was tried.
    meta: { ...plan, ...doneFor(row), ...(row.success !== null && { success: row.success }) },
  }
}

export async function listResults(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  jobId: string,
  { status, success }: ResultFilter,
  paging: Paging,
): Promise<Page<ImportResult>> {
  const batch = await getBatch(context, caller, applicationId, jobId)
  const tenant = context.db.tenant(caller.organizationId)
  const page = await listRows(
    tenant,
    batch,
    { ...(status && { status }), ...(success !== undefined && { success }) },
    paging,
  )
  return { ...page, results: page.results.map(toResult) }
}
