import { forEachOrganization } from '../organizations/index.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import type { OidcContext } from './context.ts'
import { backChannelLogoutJob, tidyOidcJob } from './job-definitions.ts'
import { tellByBackChannel } from './logout-protocol.ts'
import { deleteExpired } from './store.ts'

export const oidcJobs = (context: OidcContext): Job[] => [
  handle(tidyOidcJob, () =>
    forEachOrganization(context.db, (id) => context.db.tx(id, (tx) => deleteExpired(tx, id))),
  ),
  handle(backChannelLogoutJob, (notice) => tellByBackChannel(context, notice)),
]
