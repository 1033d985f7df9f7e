import { Type } from 'typebox'
import { defineJob, FOR_A_DAY, UPKEEP } from '../platform/jobs/definition.ts'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })

/** An import, or the undo of one. */
export const runImportJob = defineJob({
  name: 'imports.run-import',
  payload: Type.Object({ organizationId: Id, jobId: Id }),
  retry: FOR_A_DAY,
})

/** One scheduled run of a source; stale once it is scheduled for another time. */
export const runScheduledImportJob = defineJob({
  name: 'imports.run-scheduled',
  payload: Type.Object({
    organizationId: Id,
    applicationId: Id,
    at: Type.String({ format: 'date-time' }),
  }),
  retry: UPKEEP,
})

/** Deletes old jobs and files, and reschedules sources that lost their next run. */
export const tidyImportsJob = defineJob({
  name: 'imports.tidy',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '17 3 * * *',
})
