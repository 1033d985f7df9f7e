import { forEachOrganization } from '../organizations/index.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import type { PortalContext } from './context.ts'
import { deleteExpiredSessionsJob, mailResetJob } from './job-definitions.ts'
import { mailReset } from './password-actions.ts'
import { deleteExpiredSessions } from './store.ts'

export const portalJobs = (context: PortalContext): Job[] => [
  handle(deleteExpiredSessionsJob, () =>
    forEachOrganization(context.db, (id) => deleteExpiredSessions(context.db.tenant(id), id)),
  ),
  handle(mailResetJob, (asked) => mailReset(context, asked)),
]
