import { Type } from 'typebox'
import { defineJob, UPKEEP } from '../platform/jobs/definition.ts'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })

export const makeReportJob = defineJob({
  name: 'reports.make',
  payload: Type.Object({ organizationId: Id, reportId: Id }),
  retry: { limit: 4, backoffSeconds: 10 },
})

/** Deletes the files of expired reports, and fails reports whose job was lost. */
export const tidyReportsJob = defineJob({
  name: 'reports.tidy',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '29 3 * * *',
})
