import { Type } from 'typebox'
import { defineJob, UPKEEP } from '../platform/jobs/definition.ts'

export const promoteCertificateJob = defineJob({
  name: 'applications.promote-certificate',
  payload: Type.Object({
    organizationId: Type.String(),
    applicationId: Type.String(),
    certificateId: Type.String(),
    /** The planned time; the job is obsolete if the row has a different one. */
    at: Type.String(),
  }),
  retry: UPKEEP,
})

/** Promotions whose job is lost: its retries ran out, or the database was restored from a backup, which has no jobs. */
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

export const followMetadataJob = defineJob({
  name: 'applications.follow-metadata',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '23 * * * *',
})

export const purgeApplicationsJob = defineJob({
  name: 'applications.purge-deleted',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '53 3 * * *',
})
