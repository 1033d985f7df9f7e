import { Type } from 'typebox'
import { defineJob, UPKEEP } from '../platform/jobs/definition.ts'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })

/** The turn of a command for one instant; out of date when the command is planned for another. */
export const runScheduledJob = defineJob({
  name: 'commands.run-scheduled',
  payload: Type.Object({
    organizationId: Id,
    commandId: Id,
    at: Type.String({ format: 'date-time' }),
  }),
  retry: UPKEEP,
})

/** Drops what no system came for, and plans commands whose turn got lost. */
export const tidyCommandsJob = defineJob({
  name: 'commands.tidy',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '41 3 * * *',
})
