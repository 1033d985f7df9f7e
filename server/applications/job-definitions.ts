import { Type } from 'typebox'
import { defineJob, UPKEEP } from '../platform/jobs/definition.ts'

export const promoteCertificateJob = defineJob({
  name: 'applications.promote-certificate',
  payload: Type.Object({
    organizationId: Type.String(),
    applicationId: Type.String(),
    certificateId: Type.String(),
    /** The instant it was planned for; with another one in the row the job is out of date. */
    at: Type.String(),
  }),
  retry: UPKEEP,
})

/** Promotions whose job is gone: it gave up, or the database comes from a backup, which holds no jobs. */
export const promoteOverdueJob = defineJob({
  name: 'applications.promote-overdue',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/10 * * * *',
})

export const warnOfExpiryJob = defineJob({
  name: 'applications.warn-of-expiry',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '17 6 * * *',
})

export const purgeApplicationsJob = defineJob({
  name: 'applications.purge-deleted',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '53 3 * * *',
})
