import { Type } from 'typebox'
import { forEachOrganization } from '../organizations/index.ts'
import type { Db } from '../platform/db/index.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { deleteExpired } from './store.ts'

/** Frees space only: every read ignores expired rows. */
export const tidyOidcJob = defineJob({
  name: 'oidc.delete-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/10 * * * *',
})

export const oidcJobs = (db: Db): Job[] => [
  handle(tidyOidcJob, () =>
    forEachOrganization(db, (id) => db.tx(id, (tx) => deleteExpired(tx, id))),
  ),
]
