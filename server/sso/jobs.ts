import { Type } from 'typebox'
import { listAllOrganizations } from '../organizations/index.ts'
import type { Db } from '../platform/db.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { deleteExpired } from './store.ts'

/** What has expired counts no more, whether it is still there or not. */
export const tidySsoJob = defineJob({
  name: 'sso.delete-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/10 * * * *',
})

export const ssoJobs = (db: Db): Job[] => [
  handle(tidySsoJob, async () => {
    for (const { id } of await listAllOrganizations(db))
      await db.tx(id, (tx) => deleteExpired(tx, id))
  }),
]
