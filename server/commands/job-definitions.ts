import { Type } from 'typebox'
import { defineJob, UPKEEP } from '../platform/jobs/definition.ts'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })

/** One scheduled run of a command; stale once the command is scheduled for another time. */
export const runScheduledJob = defineJob({
  name: 'commands.run-scheduled',
  payload: Type.Object({
    organizationId: Id,
    commandId: Id,
    at: Type.String({ format: 'date-time' }),
  }),
  retry: UPKEEP,
})

/** Deletes expired queue entries, and reschedules commands that lost their next run. */
export const tidyCommandsJob = defineJob({
  name: 'commands.tidy',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '41 3 * * *',
})
