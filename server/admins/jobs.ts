import { deleteOldFailures } from '../platform/failures.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import { deleteOldMails } from '../platform/mail.ts'
import type { AdminContext } from './context.ts'
import { deleteExpired } from './credential-store.ts'
import { deleteExpiredJob, mailResetJob } from './job-definitions.ts'
import { mailReset } from './password-actions.ts'

export const adminJobs = (context: AdminContext): Job[] => [
  handle(deleteExpiredJob, async () => {
    await deleteExpired(context.db)
    await deleteOldMails(context.db)
    await deleteOldFailures(context.db)
  }),
  handle(mailResetJob, (asked) => mailReset(context, asked)),
]
