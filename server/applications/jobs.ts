import { listAllOrganizations } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import { AppError } from '../platform/errors.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import { promoteAsPlanned } from './certificates.ts'
import type { ApplicationContext } from './context.ts'
import { warnOfExpiry } from './expiry.ts'
import { promoteCertificateJob, purgeApplicationsJob, warnOfExpiryJob } from './job-definitions.ts'
import { purgeApplications } from './store.ts'

/** How long a deleted application can be restored. */
const KEPT_DAYS = 30

export const applicationJobs = (context: ApplicationContext): Job[] => [
  handle(promoteCertificateJob, async ({ organizationId, applicationId, certificateId, at }) => {
    const caller = systemCaller(organizationId, 'certificate rotation')
    try {
      await promoteAsPlanned(context, caller, applicationId, certificateId, at)
    } catch (error) {
      // Deleted since then: nothing is left to promote.
      if (!(error instanceof AppError && error.kind === 'not_found')) throw error
    }
  }),
  handle(warnOfExpiryJob, () => warnOfExpiry(context, new Date())),
  handle(purgeApplicationsJob, async () => {
    for (const { id } of await listAllOrganizations(context.db))
      await context.db.tx(id, (tx) => purgeApplications(tx, id, KEPT_DAYS))
  }),
]
