import { checkRightsLeft, keepRights, presentRights } from '../../admins/index.ts'
import {
  appendRows,
  type BatchRow,
  listRows,
  rowSecretContext,
} from '../../platform/batches/row-store.ts'
import { type BatchHandler, type Finish, runBatch } from '../../platform/batches/run.ts'
import { type Batch, findBatch, insertBatch } from '../../platform/batches/store.ts'
import type { Caller } from '../../platform/caller.ts'
import type { Tx } from '../../platform/db/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Paging } from '../../platform/list/page.ts'
import { releaseHeld } from '../../platform/mail.ts'
import { expirePassword, unlockUser } from '../account-actions.ts'
import { updateUser } from '../actions.ts'
import {
  actorAgain,
  type StoredActor,
  storedActor,
  type UserActor,
  type UserContext,
} from '../context.ts'
import { addUsers, prepareUser, VENDOR, whileNumbered } from '../create.ts'
import { runBulkJob } from '../job-definitions.ts'
import { initialState } from '../lifecycle.ts'
import type { UserCreate } from '../schema.ts'
import { type EntryWay, userSettings } from '../settings.ts'
import { readFlag, type UserWrite } from '../write.ts'
import type { BulkResult } from './schema.ts'

/** The batches of these endpoints. */
export const BULK = 'users.bulk'

/** The options of a job, as stored with its batch. */
interface BulkInput {
  operation: 'create' | 'update' | 'expire' | 'unlock'
  source: string
  /** The administrator who gets the outcome by mail; null when nobody does. */
  mailTo: string | null
  importedFrom?: string
  /** Mails to new users wait for their release. */
  holdMails?: boolean
}

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
  /** Mails to new users wait until `releaseMails`. */
  holdEmails?: boolean
  /** The source of an import, such as a Workday. The results are shown there, not by the bulk endpoints. */
  importedFrom?: string
  /** Why each element is not valid, or null: its result without running it. */
  refusals?: (string | null)[]
  /** Called in the transaction that stores the job. */
  alongside?: (tx: Tx, jobId: string) => Promise<void>
}

const isImport = ({ input }: Batch): boolean => (input as BulkInput).importedFrom !== undefined
const correlationOf = (batch: Batch) => ({
  id: batch.id,
  type: isImport(batch) ? 'user_import' : 'bulk',
})

/** Every event of an import carries its correlation; of a bulk request, those of its users. */
const actorOf = (batch: Batch, scopes: ReadonlySet<string> | undefined): UserActor => ({
  ...actorAgain(batch.started_by as StoredActor, scopes),
  organizationId: batch.organization_id,
  ...(isImport(batch) && { correlation: correlationOf(batch) }),
})

/** Stores the work for a job; passwords are sealed and stored separately. */
export async function startBulk(
  context: UserContext,
  actor: Caller,
  operation: BulkInput['operation'],
  elements: readonly Record<string, unknown>[],
  options: BulkOptions = {},
): Promise<string> {
  const {
    source = `${VENDOR}:bulk`,
    suppressEmail = false,
    importedFrom,
    alongside,
    refusals,
  } = options
  const { holdEmails = false } = options
  const { organizationId } = actor
  const rows = elements.map((element, at) => {
    const id = newId()
    const { password, ...fields } = element ?? {}
    const refusal = refusals?.[at]
    if (refusal) {
      const result = { reason: 'validation' }
      return { id, input: fields, finished: { success: false, message: refusal, result } }
    }
    // Operations without a password do not validate it, so it may not be a string.
    const given = typeof password === 'string' && password !== ''
    const secret = given ? context.sealer.seal(password, rowSecretContext(id)) : null
    return { id, input: fields, secret }
  })
  const mailTo = suppressEmail ? null : (actor.initiator.email ?? null)
  const input: BulkInput = {
    operation,
    source,
    mailTo,
    ...(importedFrom !== undefined && { importedFrom }),
    ...(holdEmails && { holdMails: true }),
  }
  const batch = { organization_id: organizationId, id: newId() }
  const started_by = { ...storedActor(actor), rights: keepRights(actor) }
  await context.db.tx(organizationId, async (tx) => {
    await insertBatch(tx, { ...batch, kind: BULK, input, started_by })
    await appendRows(tx, batch, rows)
    await context.send(tx, runBulkJob, { organizationId, jobId: batch.id })
    await alongside?.(tx, batch.id)
  })
  return batch.id
}

/** How many of these new users would get a mail to choose their first password. */
export async function countMails(
  { db }: UserContext,
  organizationId: string,
  elements: readonly UserCreate[],
  source: string,
): Promise<number> {
  const settings = await userSettings(db, organizationId)
  const byDefault = settings.newSystemUserStateDefaults[entryWayOf(source)]
  return elements.filter(
    ({ state, suspended, password }) =>
      !password &&
      initialState({ state, suspended: readFlag(suspended) }, byDefault) === 'ACTIVATED',
  ).length
}

async function findBulk({ db }: UserContext, organizationId: string, jobId: string) {
  const batch = await findBatch(db.tenant(organizationId), organizationId, jobId)
  if (batch?.kind !== BULK) throw notFound('bulk_job_not_found', 'job not found')
  return batch
}

/** Sends the mails that the job holds; returns how many. */
export async function releaseMails(
  context: UserContext,
  actor: UserActor,
  jobId: string,
): Promise<number> {
  const { id } = await findBulk(context, actor.organizationId, jobId)
  return releaseHeld(context.db, context.send, id)
}

export async function bulkResults(
  { db }: UserContext,
  organizationId: string,
  jobId: string,
  paging: Paging,
  importedFrom?: string,
) {
  const tenant = db.tenant(organizationId)
  const batch = await findBatch(tenant, organizationId, jobId)
  if (batch?.kind !== BULK || (batch.input as BulkInput).importedFrom !== importedFrom)
    throw notFound('bulk_job_not_found', 'job not found')
  return listRows(tenant, batch, {}, paging)
}

export const toBulkResult = (row: BatchRow): BulkResult => ({
  id: row.id,
  createdAt: row.created,
  updatedAt: row.updated,
  status: row.status,
  statusMsg: row.status_msg,
  persistedFields: row.input,
  meta: row.success === null ? {} : { ...row.result, success: row.success },
})

const entryWayOf = (source: string): EntryWay =>
  source.endsWith(':bulk') ? 'csvImport' : 'applicationImport'

async function createOne(
  context: UserContext,
  batch: Batch,
  actor: UserActor,
  body: UserCreate,
  finish: Finish,
): Promise<void> {
  const { source, holdMails } = batch.input as BulkInput
  const defaults = await userSettings(context.db, actor.organizationId)
  const prepared = await prepareUser(context, actor.organizationId, defaults, body, {
    source,
    way: entryWayOf(source),
    correlation: correlationOf(batch),
    holdMailFor: holdMails ? batch.id : undefined,
  })
  await whileNumbered(context, [prepared], (attempt) =>
    context.db.tx(actor.organizationId, async (tx) => {
      await finish(tx, 'created', { userId: prepared.row.id })
      await addUsers(context, tx, actor, attempt)
    }),
  )
}

async function changeOne(
  context: UserContext,
  batch: Batch,
  actor: UserActor,
  { id, ...body }: { id: string } & UserWrite,
  finish: Finish,
): Promise<void> {
  const { operation } = batch.input as BulkInput
  const options = {
    correlation: correlationOf(batch),
    alongside: (tx: Tx) => finish(tx, 'updated', { userId: id }),
  }
  if (operation === 'update') await updateUser(context, actor, id, body, options)
  else if (operation === 'expire') await expirePassword(context, actor, id, options)
  else await unlockUser(context, actor, id, options)
}

const bulkHandler = (
  context: UserContext,
  scopes: ReadonlySet<string> | undefined,
): BatchHandler => ({
  async handle(batch, row, finish) {
    if (scopes) checkRightsLeft(scopes, [['users']], 'the job')
    const actor = actorOf(batch, scopes)
    const password =
      row.secret === null
        ? {}
        : { password: await context.sealer.unseal(row.secret, rowSecretContext(row.id)) }
    // Validated when the job was created.
    const body: unknown = { ...row.input, ...password }
    if ((batch.input as BulkInput).operation === 'create')
      await createOne(context, batch, actor, body as UserCreate, finish)
    else await changeOne(context, batch, actor, body as { id: string } & UserWrite, finish)
  },
  async finished(tx, batch, { total, failed }) {
    const { operation, mailTo: recipient } = batch.input as BulkInput
    if (!recipient) return
    const body = `The job ${batch.id} (${operation} users) is done: ${total - failed} of ${total} succeeded, ${failed} failed.\n\nDetails: ${context.publicUrl}/api/v2/bulk/users/${batch.id}/results\n`
    await context.postMail(tx, { recipient, subject: 'Your bulk job is done', body })
  },
})

export async function runBulk(
  context: UserContext,
  organizationId: string,
  jobId: string,
): Promise<void> {
  const { db } = context
  const batch = await findBatch(db.tenant(organizationId), organizationId, jobId)
  // Absent in jobs that were started before rights were kept.
  const { rights } = (batch?.started_by ?? {}) as Partial<StoredActor>
  const scopes = rights ? await presentRights(db, organizationId, rights) : undefined
  await runBatch(db, organizationId, jobId, bulkHandler(context, scopes))
}
