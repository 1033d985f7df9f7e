import { Type } from 'typebox'
import { recordEvent } from '../insights/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { eraseRow, eraseSome, ownedTables } from './erase-store.ts'
import { deletedBefore, findAnyOrganization } from './store.ts'

/** How long a deleted organization can be restored. */
export const KEPT_DAYS = 30

export const eraseOrganizationsJob = defineJob({
  name: 'organizations.erase-deleted',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '41 * * * *',
})

/**
 * Deletes all rows of a deleted organization, in small transactions; the row of the organization goes last, so a run that
 * was interrupted is continued by the next one. Events of the provider about it stay.
 */
export async function eraseOrganization(db: Db, organizationId: string): Promise<number> {
  const organization = await findAnyOrganization(db, organizationId)
  if (!organization?.deleted_at) return 0
  let rows = 0
  for (const table of await ownedTables(db))
    for (let some = -1; some !== 0; rows += some) some = await eraseSome(db, organizationId, table)
  const { provider, name } = organization
  if (provider !== null)
    await db.tx(provider, (tx) =>
      recordEvent(tx, systemCaller(provider, 'gatehouse'), {
        event_type: 'organization_erase',
        organization: organizationId,
        resource: { type: 'organization', id: organizationId, name },
      }),
    )
  await eraseRow(db, organizationId)
  return rows
}

export const organizationJobs = (db: Db): Job[] => [
  handle(eraseOrganizationsJob, async () => {
    const before = new Date(Date.now() - KEPT_DAYS * 86_400_000)
    for (const { id } of await deletedBefore(db, before)) await eraseOrganization(db, id)
  }),
]
