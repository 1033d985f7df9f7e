import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Paging } from '../../platform/list/page.ts'
import { expirePassword, unlockUser } from '../account-actions.ts'
import { updateUser } from '../actions.ts'
import { storedActor, type UserActor, type UserContext } from '../context.ts'
import { addUser, prepareUser, VENDOR, whileNumbered } from '../create.ts'
import { runBulkJob } from '../job-definitions.ts'
import type { UserCreate } from '../schema.ts'
import type { UserWrite } from '../write.ts'
import type { BulkResult } from './schema.ts'
import {
  type BulkJobRow,
  type BulkKind,
  type BulkResultRow,
  findBulkJob,
  finishBulkJob,
  finishBulkResult,
  insertBulkJob,
  listBulkResults,
  nextBulkResult,
} from './store.ts'

const SOURCE = /^[a-z][a-z0-9_]*:(gapps|o365|workday|scim|bulk|custom_integration)$/

/** Clients of other services send their own vendor; users created here get ours. */
export function readCreationSource(header: string | undefined): string {
  if (!header) return `${VENDOR}:bulk`
  const kind = SOURCE.exec(header)?.[1]
  if (!kind)
    throw invalid(
      'bad_creation_source',
      'creation-source: must be <vendor>:<kind>, where kind is one of gapps, o365, workday, scim, bulk, custom_integration',
    )
  return `${VENDOR}:${kind}`
}

interface BulkOptions {
  source?: string
  suppressEmail?: boolean
}

const passwordContext = (resultId: string) => `bulk ${resultId} password`

/** Stores the work for a job; passwords are sealed and stored separately. */
export async function startBulk(
  context: UserContext,
  actor: UserActor,
  kind: BulkKind,
  elements: readonly Record<string, unknown>[],
  { source = `${VENDOR}:bulk`, suppressEmail = false }: BulkOptions = {},
): Promise<string> {
  const { organizationId } = actor
  const jobId = newId()
  const results = elements.map(({ password, ...fields }) => {
    const id = newId()
    // Kinds without a password do not validate it, so it may not be a string.
    const given = typeof password === 'string' && password !== ''
    const sealed = given ? context.sealer.seal(password, passwordContext(id)) : null
    return { id, persisted_fields: fields, password: sealed }
  })
  const job: BulkJobRow = {
    organization_id: organizationId,
    id: jobId,
    kind,
    creation_source: source,
    mail_to: suppressEmail ? null : (actor.initiator.email ?? null),
    started_by: storedActor(actor),
  }
  await context.db.tx(organizationId, async (tx) => {
    await insertBulkJob(tx, job, results)
    await context.send(tx, runBulkJob, { organizationId, jobId })
  })
  return jobId
}

export async function bulkResults(
  { db }: UserContext,
  organizationId: string,
  jobId: string,
  paging: Paging,
) {
  const tenant = db.tenant(organizationId)
  if (!(await findBulkJob(tenant, organizationId, jobId)))
    throw notFound('bulk_job_not_found', 'job not found')
  return listBulkResults(tenant, organizationId, jobId, paging)
}

export const toBulkResult = (row: BulkResultRow): BulkResult => ({
  id: row.id,
  createdAt: row.created,
  updatedAt: row.updated,
  status: row.status,
  statusMsg: row.status_msg,
  persistedFields: row.persisted_fields,
  meta: row.meta,
})

class FinishedElsewhere extends Error {}

/** The new user and the result commit together, so a retried job creates no user twice. */
async function createOne(
  context: UserContext,
  job: BulkJobRow,
  actor: UserActor,
  result: BulkResultRow,
  body: UserCreate,
): Promise<void> {
  const way = job.creation_source.endsWith(':bulk') ? 'csvImport' : 'applicationImport'
  const prepared = await prepareUser(context, job.organization_id, body, {
    source: job.creation_source,
    way,
    correlation: { id: job.id, type: 'bulk' },
  })
  await whileNumbered(context, prepared, (attempt) =>
    context.db.tx(job.organization_id, async (tx) => {
      const meta = { success: true, userId: attempt.row.id }
      if (!(await finishBulkResult(tx, result, 'created', meta))) throw new FinishedElsewhere()
      await addUser(context, tx, actor, attempt)
    }),
  )
}

/** These changes are idempotent, so the result may commit separately. */
async function changeOne(
  context: UserContext,
  job: BulkJobRow,
  actor: UserActor,
  result: BulkResultRow,
  { id, ...body }: { id: string } & UserWrite,
): Promise<void> {
  const options = { correlation: { id: job.id, type: 'bulk' } }
  if (job.kind === 'update') await updateUser(context, actor, id, body, options)
  else if (job.kind === 'expire') await expirePassword(context, actor, id, options)
  else await unlockUser(context, actor, id, options)
  const meta = { success: true, userId: id }
  await context.db.tx(job.organization_id, (tx) => finishBulkResult(tx, result, 'updated', meta))
}

async function runOne(
  context: UserContext,
  job: BulkJobRow,
  actor: UserActor,
  result: BulkResultRow,
): Promise<void> {
  const password =
    result.password === null
      ? {}
      : { password: await context.sealer.unseal(result.password, passwordContext(result.id)) }
  // Validated when the job was created.
  const body = { ...result.persisted_fields, ...password }
  try {
    if (job.kind === 'create') await createOne(context, job, actor, result, body as UserCreate)
    else await changeOne(context, job, actor, result, body as { id: string } & UserWrite)
  } catch (error) {
    if (error instanceof FinishedElsewhere) return
    // A failure of one user becomes its result; a failure of the service is retried.
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
    const meta = { success: false, reason: error.reason }
    await context.db.tx(job.organization_id, (tx) =>
      finishBulkResult(tx, result, error.message, meta),
    )
  }
}

export async function runBulk(
  context: UserContext,
  organizationId: string,
  jobId: string,
): Promise<void> {
  const tenant = context.db.tenant(organizationId)
  const job = await findBulkJob(tenant, organizationId, jobId)
  if (!job) return
  const actor = { ...job.started_by, organizationId }
  for (let after = 0; ; ) {
    const result = await nextBulkResult(tenant, organizationId, jobId, after)
    if (!result) break
    await runOne(context, job, actor, result)
    after = result.position
  }
  await context.db.tx(organizationId, async (tx) => {
    const done = await finishBulkJob(tx, organizationId, jobId)
    if (!done?.mail_to) return
    const { mail_to: recipient, total, failed } = done
    const body = `The job ${jobId} (${job.kind} users) is done: ${total - failed} of ${total} succeeded, ${failed} failed.\n\nDetails: ${context.publicUrl}/api/v2/bulk/users/${jobId}/results\n`
    await context.postMail(tx, { recipient, subject: 'Your bulk job is done', body })
  })
}
