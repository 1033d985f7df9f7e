import { Type } from 'typebox'
import { listAllOrganizations } from '../organizations/index.ts'
import { defineJob, handle, type Job } from '../platform/jobs/definition.ts'
import type { PortalContext } from './context.ts'
import { deleteExpiredSessions } from './store.ts'

export const deleteExpiredSessionsJob = defineJob({
  name: 'portal.delete-expired-sessions',
  payload: Type.Object({}),
  retry: { limit: 3, backoffSeconds: 60 },
  cron: '37 * * * *',
})

export const portalJobs = ({ db }: Pick<PortalContext, 'db'>): Job[] => [
  handle(deleteExpiredSessionsJob, async () => {
    for (const { id } of await listAllOrganizations(db))
      await deleteExpiredSessions(db.tenant(id), id)
  }),
]
