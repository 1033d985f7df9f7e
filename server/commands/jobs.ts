import { listAllOrganizations } from '../organizations/index.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import type { CommandContext } from './context.ts'
import { dropExpiredCommandsJob, runScheduledJob } from './job-definitions.ts'
import { deleteExpired } from './queue-store.ts'
import { runScheduled } from './runs.ts'

export { dropExpiredCommandsJob, runScheduledJob }

export const commandJobs = (context: CommandContext): Job[] => [
  handle(runScheduledJob, (turn) => runScheduled(context, turn, new Date())),
  handle(dropExpiredCommandsJob, async () => {
    for (const { id } of await listAllOrganizations(context.db))
      await deleteExpired(context.db.tenant(id), id)
  }),
]
