import type { Caller } from '../platform/caller.ts'
import { sourceKey } from './application.ts'
import { putConfig } from './config.ts'
import type { ImportContext } from './context.ts'
import { runJob } from './run.ts'
import type { ImportConfigPut, ImportJobCreate } from './schema.ts'
import { findSource } from './source-store.ts'
import { insertJob, startJob } from './start.ts'

/**
 * Makes an application of the demo an import source with a history: a plan, and an import that runs in the background.
 * After a restart the source may have another address; everything else stays as it is.
 */
export async function seedImport(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  body: ImportConfigPut,
  job: ImportJobCreate,
): Promise<void> {
  const key = sourceKey(caller, applicationId)
  const { organizationId } = key
  const before = await findSource(context.db.tenant(organizationId), organizationId, applicationId)
  if (before) {
    const { source, ...settings } = before.settings
    const { source: next } = body
    if (source.kind === 'rest' && next.kind === 'rest' && source.baseUrl !== next.baseUrl)
      await putConfig(context, caller, applicationId, { ...settings, source: next })
    return
  }
  await putConfig(context, caller, applicationId, body)
  const plan: ImportJobCreate = {
    ...job,
    operations: ['users.create', 'users.update'],
    dryRun: true,
  }
  // At once, and not by a worker too: the import that follows would change what it shows.
  const unsent = { send: async () => {} }
  const jobId = await context.db.tx(organizationId, (tx) =>
    insertJob(unsent, tx, caller, key, plan),
  )
  await runJob(context, { organizationId, jobId })
  await startJob(context, caller, applicationId, job)
}
