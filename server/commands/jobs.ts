import { forEachOrganization } from '../organizations/index.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import type { CommandContext } from './context.ts'
import { runScheduledJob, tidyCommandsJob } from './job-definitions.ts'
import { deleteExpired } from './queue-store.ts'
import { planForgotten, runScheduled } from './runs.ts'

export { runScheduledJob, tidyCommandsJob }

export const commandJobs = (context: CommandContext): Job[] => [
  handle(runScheduledJob, (turn) => runScheduled(context, turn, new Date())),
  handle(tidyCommandsJob, () =>
    forEachOrganization(context.db, async (id) => {
      await deleteExpired(context.db.tenant(id), id)
      await planForgotten(context, id, new Date())
    }),
  ),
]
