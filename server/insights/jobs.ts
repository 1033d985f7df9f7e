import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { defineJob, handle, type Job } from '../platform/jobs/definition.ts'
import { DEFAULT_RETENTION_DAYS } from './retention.ts'
import { createPartitions, dropPartitions } from './store.ts'

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

export const dropExpiredJob = defineJob({
  name: 'insights.drop-expired',
  payload: Type.Object({}),
  retry: { limit: 5, backoffSeconds: 600 },
  cron: '41 3 * * *',
})

/** Whole weeks go at once, so the newest expired events stay up to six days longer. */
export const dropExpired = (db: Db, now = Date.now()): Promise<number> =>
  dropPartitions(db, new Date(now - DEFAULT_RETENTION_DAYS * DAY))

export const insightsJobs = (db: Db): Job[] => [
  handle(createPartitionsJob, async () => {
    await ensurePartitions(db)
  }),
  handle(dropExpiredJob, async () => {
    await dropExpired(db)
  }),
]
