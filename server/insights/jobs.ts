import { Type } from 'typebox'
import type { Db } from '../platform/db/index.ts'
import { forEachTenant } from '../platform/each-tenant.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { makeDigests } from './digests/make.ts'
import { deleteDigestsBefore } from './digests/store.ts'
import { DEFAULT_RETENTION_DAYS } from './retention/retention.ts'
import { deleteEventsBefore, listEventTenants } from './retention/store.ts'
import { createPartitions, dropPartitions } from './store.ts'

const DAY = 86_400_000

export const createPartitionsJob = defineJob({
  name: 'insights.create-partitions',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '17 3 * * *',
})

/** Three weeks ahead, so that the job may fail for days before anybody notices. */
export const ensurePartitions = (db: Db, now = Date.now()): Promise<number> =>
  createPartitions(db, new Date(now), new Date(now + 21 * DAY))

export const dropExpiredJob = defineJob({
  name: 'insights.drop-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '41 3 * * *',
})

/** Rows deleted in one short transaction, so that writers never wait long and a broken job has lost little. */
const BATCH = 5000

interface Dropped {
  weeks: number
  events: number
}

/**
 * Whole weeks go at once when nobody keeps them any longer; until then, events of those who keep theirs for a shorter
 * time go one by one. So events of whoever keeps them longest stay up to six days longer.
 */
export async function dropExpired(db: Db, now = Date.now(), batch = BATCH): Promise<Dropped> {
  const tenants = (await listEventTenants(db)).map(({ organization_id, days }) => ({
    id: organization_id,
    days: days ?? DEFAULT_RETENTION_DAYS,
  }))
  const longest = tenants.reduce((most, { days }) => Math.max(most, days), 0)
  const before = (days: number) => new Date(now - days * DAY)
  const weeks = await dropPartitions(db, before(longest || DEFAULT_RETENTION_DAYS))
  let events = 0
  const daysOf = new Map(tenants.map(({ id, days }) => [id, days]))
  await forEachTenant([...daysOf.keys()], async (id) => {
    const days = daysOf.get(id)!
    await deleteDigestsBefore(db.tenant(id), id, before(days))
    if (days === longest) return
    for (let gone = batch; gone >= batch; events += gone)
      gone = await deleteEventsBefore(db.tenant(id), id, before(days), batch)
  })
  return { weeks, events }
}

export const makeDigestsJob = defineJob({
  name: 'insights.make-digests',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/5 * * * *',
})

export const insightsJobs = (db: Db): Job[] => [
  handle(makeDigestsJob, async () => {
    await makeDigests(db)
  }),
  handle(createPartitionsJob, async () => {
    await ensurePartitions(db)
  }),
  handle(dropExpiredJob, async () => {
    await dropExpired(db)
  }),
]
