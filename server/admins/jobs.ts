import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { defineJob, handle, type Job } from '../platform/jobs/definition.ts'
import { deleteExpired } from './credential-store.ts'

export const deleteExpiredJob = defineJob({
  name: 'admins.delete-expired',
  payload: Type.Object({}),
  retry: { limit: 3, backoffSeconds: 60 },
  cron: '29 * * * *',
})

export const adminJobs = (db: Db): Job[] => [handle(deleteExpiredJob, () => deleteExpired(db))]
