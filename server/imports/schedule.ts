import { cancelBatch } from '../platform/batches/control.ts'
import { type Caller, systemCaller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { applicationOf } from './application.ts'
import type { ImportContext } from './context.ts'
import { recordJobEvent } from './events.ts'
import { runScheduledImportJob } from './job-definitions.ts'
import type { SourceKey } from './link-store.ts'
import { isImporting, waitingJobs } from './plan-store.ts'
import { nextRun, type Settings } from './settings.ts'
import { lockSource, overdueSources, saveNextRun } from './source-store.ts'
import { insertJob } from './start.ts'

/** Sets the next run of a source, with the job for it in the same transaction. */
export async function schedule(
  { send }: Pick<ImportContext, 'send'>,
  tx: Tx,
  key: SourceKey,
  settings: Settings,
  now: Date,
): Promise<void> {
  const next = settings.active ? nextRun(settings.schedule, now) : null
  await saveNextRun(tx, key, next)
  if (next)
    await send(tx, runScheduledImportJob, { ...key, at: next.toISOString() }, { startAfter: next })
}

/** A newer plan makes those that wait for confirmation pointless, or they would pile up. */
async function cancelWaiting(tx: Tx, caller: Caller, key: SourceKey): Promise<void> {
  for (const batch of await waitingJobs(tx, key))
    if (await cancelBatch(tx, batch)) {
      const job = { id: batch.id, application: await applicationOf(tx, key) }
      const message = 'A scheduled run takes its place'
      await recordJobEvent(tx, caller, 'import_job_cancel', job, { message })
    }
}

/** Idempotent: a repeated job, or one for a run that was rescheduled, does nothing. */
export function runScheduled(
  context: ImportContext,
  { at, ...key }: SourceKey & { at: string },
  now: Date,
): Promise<void> {
  return context.db.tx(key.organizationId, async (tx) => {
    const source = await lockSource(tx, key)
    if (source?.next_run_at !== at) return
    const { settings, rights } = source
    const caller = systemCaller(key.organizationId, 'import schedule')
    // A turn that comes while the last one still runs is left out.
    if (!(await isImporting(tx, key))) {
      await cancelWaiting(tx, caller, key)
      const { operations, allowUserReactivation } = settings
      await insertJob(context, tx, caller, key, { operations, allowUserReactivation }, rights)
    }
    // A clock that is behind must not run the same turn twice.
    const after = new Date(Math.max(now.getTime(), Date.parse(at)))
    await schedule(context, tx, key, settings, after)
  })
}

const HOUR_MS = 3_600_000

/** Schedules sources that lost their job, such as those of a restored archive. */
export async function scheduleForgotten(
  context: ImportContext,
  organizationId: string,
  now: Date,
): Promise<void> {
  await context.db.tx(organizationId, async (tx) => {
    const before = new Date(now.getTime() - HOUR_MS)
    for (const { application_id, settings } of await overdueSources(tx, organizationId, before))
      await schedule(context, tx, { organizationId, applicationId: application_id }, settings, now)
  })
}
