import { forEachOrganization } from '../organizations/index.ts'
import { purgeBatches } from '../platform/batches/store.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import type { ImportContext } from './context.ts'
import { purgeFiles } from './file-store.ts'
import { IMPORT, UNDO } from './job.ts'
import { runImportJob, runScheduledImportJob, tidyImportsJob } from './job-definitions.ts'
import { runJob } from './run.ts'
import { runScheduled, scheduleForgotten } from './schedule.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 90
/** Files are personal data that nobody needs after their import. */
const FILES_KEPT_DAYS = 30

async function tidy(context: ImportContext, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS)
  await forEachOrganization(context.db, async (id) => {
    await context.db.tx(id, async (tx) => {
      for (const kind of [IMPORT, UNDO]) await purgeBatches(tx, id, kind, before(KEPT_DAYS))
      await purgeFiles(tx, id, before(FILES_KEPT_DAYS))
    })
    await scheduleForgotten(context, id, now)
  })
}

export const importJobs = (context: ImportContext): Job[] => [
  handle(runImportJob, (job) => runJob(context, job)),
  handle(runScheduledImportJob, (turn) => runScheduled(context, turn, new Date())),
  handle(tidyImportsJob, () => tidy(context, new Date())),
]
