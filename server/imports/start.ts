import { keepRights } from '../admins/index.ts'
import { insertBatch } from '../platform/batches/store.ts'
import type { Caller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { storedActor } from '../users/index.ts'
import { applicationOf, sourceKey } from './application.ts'
import type { ImportContext } from './context.ts'
import { recordJobEvent } from './events.ts'
import { describeFile } from './file-store.ts'
import { IMPORT, type JobInput } from './job.ts'
import { runImportJob } from './job-definitions.ts'
import type { SourceKey } from './link-store.ts'
import { isImporting } from './plan-store.ts'
import { checkGroups } from './rights.ts'
import type { ImportJobCreate } from './schema.ts'
import { findSource, lockSource, type SourceRow } from './source-store.ts'

/** Queues a job, with its event. A scheduled one is of the service, with the rights of somebody else. */
export async function insertJob(
  { send }: Pick<ImportContext, 'send'>,
  tx: Tx,
  caller: Caller,
  key: SourceKey,
  body: ImportJobCreate,
  rights = keepRights(caller),
): Promise<string> {
  const id = newId()
  const { organizationId, applicationId } = key
  const input: JobInput = {
    applicationId,
    operations: [...new Set(body.operations)],
    allowUserReactivation: body.allowUserReactivation ?? true,
    queryString: body.queryString ?? '',
    state: body.state ?? null,
    dryRun: body.dryRun ?? false,
  }
  const application = await applicationOf(tx, key)
  await insertBatch(tx, {
    organization_id: organizationId,
    id,
    kind: IMPORT,
    input,
    started_by: { ...storedActor(caller), rights },
  })
  await recordJobEvent(tx, caller, 'import_job_create', { id, application })
  await send(tx, runImportJob, { organizationId, jobId: id })
  return id
}

/** The source of an active application; everything else is the caller's mistake. */
export async function usableSource(
  { db }: Pick<ImportContext, 'db'>,
  key: SourceKey,
): Promise<{ row: SourceRow; name: string }> {
  const tenant = db.tenant(key.organizationId)
  const { active, name } = await applicationOf(tenant, key)
  const row = await findSource(tenant, key.organizationId, key.applicationId)
  if (!row)
    throw invalid('import_not_configured', 'The application has no import source: configure it')
  if (!active || !row.settings.active)
    throw invalid('import_inactive', 'The application, or its import source, is not active')
  if (row.settings.source.kind === 'file' && !(await describeFile(tenant, key)))
    throw invalid('file_missing', 'Upload a file first')
  return { row, name }
}

export function checkQuery({ settings }: SourceRow, query: string): void {
  if (query !== '' && settings.source.kind === 'file')
    throw invalid('bad_query', 'queryString: a file takes no filter')
}

/** For one import at a time: each would be planned on what the other is about to change. */
export async function holdSource(tx: Tx, key: SourceKey): Promise<void> {
  await lockSource(tx, key)
  if (await isImporting(tx, key))
    throw conflict('import_running', 'An import from this source is running: wait, or cancel it')
}

export async function startJob(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  body: ImportJobCreate,
): Promise<string> {
  const key = sourceKey(caller, applicationId)
  const { row } = await usableSource(context, key)
  checkQuery(row, body.queryString ?? '')
  checkGroups(caller, row.settings.mapping)
  return context.db.tx(key.organizationId, async (tx) => {
    if (!body.dryRun) await holdSource(tx, key)
    return insertJob(context, tx, caller, key, body)
  })
}
