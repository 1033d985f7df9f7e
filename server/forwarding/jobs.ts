import { Type } from 'typebox'
import type { Db } from '../platform/db/index.ts'
import { forEachTenant } from '../platform/each-tenant.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { deleteVoidArrivals, listTenants } from './run-store.ts'

export const dropArrivalsJob = defineJob({
  name: 'forwarding.drop-arrivals',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '53 3 * * *',
})

/** Deletes arrivals whose events are gone; a disabled forwarder would collect them forever. */
export async function dropArrivals(db: Db): Promise<number> {
  let dropped = 0
  const tenants = (await listTenants(db)).map(({ tenant }) => tenant)
  await forEachTenant(tenants, async (tenant) => {
    dropped += await deleteVoidArrivals(db.tenant(tenant), tenant)
  })
  return dropped
}

export const forwardingJobs = (db: Db): Job[] => [
  handle(dropArrivalsJob, async () => {
    await dropArrivals(db)
  }),
]
