import { forEachOrganization } from '../organizations/index.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import { deleteOldAttempts, deleteOldLogouts } from '../signon/index.ts'
import type { SsoSliceContext } from './context.ts'
import { soapLogoutJob, tidySsoJob } from './job-definitions.ts'
import { tellBySoap } from './logout-protocol.ts'
import { deleteExpired } from './store.ts'

export const ssoJobs = (context: SsoSliceContext): Job[] => [
  handle(tidySsoJob, () =>
    forEachOrganization(context.db, (id) =>
      context.db.tx(id, async (tx) => {
        await deleteExpired(tx, id)
        await deleteOldLogouts(tx, id)
        await deleteOldAttempts(tx, id)
      }),
    ),
  ),
  handle(soapLogoutJob, (reference) => tellBySoap(context, reference)),
]
