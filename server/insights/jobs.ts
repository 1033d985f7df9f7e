import { Type } from 'typebox'
import type { Db } from '../platform/db/index.ts'
import { forEachTenant } from '../platform/each-tenant.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import type { Logger } from '../platform/log.ts'
import { DEFAULT_RETENTION_DAYS } from './retention/retention.ts'
import { deleteEventsBefore, listEventTenants } from './retention/store.ts'
import { progressReport } from './segments/progress.ts'
import { sealEvents, trimSegments } from './segments/seal.ts'
import { createPartitions, dropPartitions } from './store.ts'

const DAY = 86_400_000

export const createPartitionsJob = defineJob({
  name: 'insights.create-partitions',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '17 3 * * *',
})

/** Three weeks ahead, so that the job can fail for days without effect. */
export const ensurePartitions = (db: Db, now = Date.now()): Promise<number> =>
  createPartitions(db, new Date(now), new Date(now + 21 * DAY))

export const dropExpiredJob = defineJob({
  name: 'insights.drop-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '41 3 * * *',
})

/** Rows deleted per transaction, so that writers never wait long and an aborted job loses little. */
const BATCH = 5000

interface Dropped {
  weeks: number
  events: number
}

/**
 * Drops whole weeks once they are past the longest retention of all tenants; events of tenants with a shorter retention
 * are deleted row by row before that. So events with the longest retention stay up to six days longer.
 */
export async function dropExpired(db: Db, now = Date.now(), batch = BATCH): Promise<Dropped> {
  const tenants = (await listEventTenants(db)).map(({ organization_id, days }) => ({
    id: organization_id,
    days: days ?? DEFAULT_RETENTION_DAYS,
  }))
  const longest = tenants.reduce((max, { days }) => Math.max(max, days), 0)
  const before = (days: number) => new Date(now - days * DAY)
  const weeks = await dropPartitions(db, before(longest || DEFAULT_RETENTION_DAYS))
  let events = 0
  const daysOf = new Map(tenants.map(({ id, days }) => [id, days]))
  await forEachTenant([...daysOf.keys()], async (id) => {
    const days = daysOf.get(id)!
    if (days !== longest)
      for (let gone = batch; gone >= batch; events += gone)
        gone = await deleteEventsBefore(db.tenant(id), id, before(days), batch)
    // Last: it fails for a segment that is damaged.
    events += await trimSegments(db, id, before(days))
  })
  return { weeks, events }
}

export const sealEventsJob = defineJob({
  name: 'insights.seal-events',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/5 * * * *',
})

export const insightsJobs = (db: Db, log: Logger): Job[] => [
  handle(sealEventsJob, async () => {
    const stepped = progressReport(db, (progress) => log.info(progress, 'sealing events'))
    await sealEvents(db, { stepped })
  }),
  handle(createPartitionsJob, async () => {
    await ensurePartitions(db)
  }),
  handle(dropExpiredJob, async () => {
    await dropExpired(db)
  }),
]
