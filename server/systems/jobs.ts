import { Type } from 'typebox'
import { forEachOrganization } from '../organizations/index.ts'
import type { Db } from '../platform/db/index.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { forgetPurgedUsers, purgeSystems } from './store.ts'

/** How long a deleted system can be restored. */
const TOMBSTONE_DAYS = 30

export const purgeSystemsJob = defineJob({
  name: 'systems.purge-deleted',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '23 3 * * *',
})

export const systemJobs = (db: Db): Job[] => [
  handle(purgeSystemsJob, () =>
    forEachOrganization(db, (id) =>
      db.tx(id, async (tx) => {
        await purgeSystems(tx, id, TOMBSTONE_DAYS)
        await forgetPurgedUsers(tx, id)
      }),
    ),
  ),
]
