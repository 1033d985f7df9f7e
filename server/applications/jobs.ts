import { forEachOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import { AppError } from '../platform/errors.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import { promoteAsPlanned } from './certificates/certificates.ts'
import { warnOfExpiry } from './certificates/expiry.ts'
import type { ApplicationContext } from './context.ts'
import { followMetadata } from './import-metadata.ts'
import {
  followMetadataJob,
  promoteCertificateJob,
  promoteOverdueJob,
  purgeApplicationsJob,
  warnOfExpiryJob,
} from './job-definitions.ts'
import { forgetSlugs, overduePromotions, purgeApplications } from './store.ts'

/** How long a deleted application can be restored. */
const KEPT_DAYS = 30

async function promote(
  context: ApplicationContext,
  organizationId: string,
  applicationId: string,
  certificateId: string,
  at: string,
): Promise<void> {
  const caller = systemCaller(organizationId, 'certificate rotation')
  try {
    await promoteAsPlanned(context, caller, applicationId, certificateId, at)
  } catch (error) {
    // Deleted since the job was sent.
    if (!(error instanceof AppError && error.kind === 'not_found')) throw error
  }
}

export const applicationJobs = (context: ApplicationContext): Job[] => [
  handle(promoteCertificateJob, ({ organizationId, applicationId, certificateId, at }) =>
    promote(context, organizationId, applicationId, certificateId, at),
  ),
  handle(promoteOverdueJob, () =>
    forEachOrganization(context.db, async (organizationId) => {
      const overdue = await overduePromotions(context.db.tenant(organizationId), organizationId)
      for (const { id, next_certificate_id, promote_at } of overdue)
        await promote(context, organizationId, id, next_certificate_id, promote_at)
    }),
  ),
  handle(followMetadataJob, () =>
    forEachOrganization(context.db, (id) => followMetadata(context, id)),
  ),
  handle(warnOfExpiryJob, () => warnOfExpiry(context, new Date())),
  handle(purgeApplicationsJob, async () => {
    await forEachOrganization(context.db, (id) =>
      context.db.tx(id, (tx) => purgeApplications(tx, id, KEPT_DAYS)),
    )
    await forgetSlugs(context.db)
  }),
]
