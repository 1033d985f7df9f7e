import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { defineJob, handle, type Job } from '../platform/jobs/definition.ts'
import { createPartitions } from './store.ts'

const DAY = 86_400_000

export const createPartitionsJob = defineJob({
  name: 'insights.create-partitions',
  payload: Type.Object({}),
  retry: { limit: 20, backoffSeconds: 60 },
  cron: '17 3 * * *',
})

/** Three weeks ahead, so that the job may fail for days before anybody notices. */
export const ensurePartitions = (db: Db, now = Date.now()): Promise<number> =>
  createPartitions(db, new Date(now), new Date(now + 21 * DAY))

export const insightsJobs = (db: Db): Job[] => [
  handle(createPartitionsJob, async () => {
    await ensurePartitions(db)
  }),
]
