import { Type } from 'typebox'
import { findPresent } from '../insights/index.ts'
import type { Db } from '../platform/db/index.ts'
import { forEachTenant } from '../platform/each-tenant.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { type EventCursor, startOf } from './filter.ts'
import { deleteArrivals, listArrivals, listTenants } from './run-store.ts'

export const dropArrivalsJob = defineJob({
  name: 'forwarding.drop-arrivals',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '53 3 * * *',
})

const BATCH = 1000

const idOf = ({ timestamp, id }: EventCursor): string => `${timestamp}:${id}`

/** Deletes arrivals whose events are gone; a disabled forwarder would collect them forever. */
export async function dropArrivals(db: Db): Promise<number> {
  let dropped = 0
  const tenants = (await listTenants(db)).map(({ tenant }) => tenant)
  await forEachTenant(tenants, async (tenant) => {
    const own = db.tenant(tenant)
    for (let last = startOf(0), more = true; more; ) {
      const some = await listArrivals(own, tenant, last, BATCH)
      const present = new Set((await findPresent(own, tenant, some)).map(idOf))
      const gone = some.filter((place) => !present.has(idOf(place)))
      if (gone.length > 0) dropped += await deleteArrivals(own, tenant, gone)
      last = some.at(-1) ?? last
      more = some.length === BATCH
    }
  })
  return dropped
}

export const forwardingJobs = (db: Db): Job[] => [
  handle(dropArrivalsJob, async () => {
    await dropArrivals(db)
  }),
]
