import { Type } from 'typebox'
import { forEachOrganization } from '../organizations/index.ts'
import type { Db } from '../platform/db/index.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { deleteOldAttempts } from '../signon/index.ts'
import { deleteExpired } from './store.ts'

/** Frees space only: every read ignores expired rows. */
export const tidySsoJob = defineJob({
  name: 'sso.delete-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/10 * * * *',
})

export const ssoJobs = (db: Db): Job[] => [
  handle(tidySsoJob, () =>
    forEachOrganization(db, (id) =>
      db.tx(id, async (tx) => {
        await deleteExpired(tx, id)
        await deleteOldAttempts(tx, id)
      }),
    ),
  ),
]
