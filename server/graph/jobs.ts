import { Type } from 'typebox'
import { retentionDays } from '../insights/index.ts'
import { forEachOrganization } from '../organizations/index.ts'
import type { Db } from '../platform/db/index.ts'
import { defineJob, handle, type Job, UPKEEP } from '../platform/jobs/definition.ts'
import { addUpMemberCounts, deleteEndedEdges, deleteForgottenNodes } from './history-store.ts'

const DAY = 86_400_000
/**
 * The minimum retention of history: twice the 30 days in which deleted records can be restored. Restoring needs their
 * edges, and purged records no longer refer to their nodes.
 */
const MIN_DAYS = 60
/** Rows deleted in one transaction. */
const BATCH = 5000

export const forgetHistoryJob = defineJob({
  name: 'graph.forget-history',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '53 3 * * *',
})

/** History of the graph is kept as long as the events that explain it. */
export async function forgetHistory(
  db: Db,
  organizationId: string,
  now: Date,
  batch = BATCH,
): Promise<void> {
  const days = Math.max(await retentionDays(db, organizationId), MIN_DAYS)
  const before = new Date(now.getTime() - days * DAY)
  for (const forget of [deleteEndedEdges, deleteForgottenNodes])
    while ((await forget(db.tenant(organizationId), organizationId, before, batch)) >= batch);
}

export const addUpMembersJob = defineJob({
  name: 'graph.add-up-members',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '47 * * * *',
})

export async function addUpMembers(db: Db): Promise<void> {
  await forEachOrganization(db, (id) => addUpMemberCounts(db.tenant(id), id))
}

export const graphJobs = (db: Db): Job[] => [
  handle(forgetHistoryJob, () =>
    forEachOrganization(db, (id) => forgetHistory(db, id, new Date())),
  ),
  handle(addUpMembersJob, () => addUpMembers(db)),
]
