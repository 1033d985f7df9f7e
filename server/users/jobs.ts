import { forEachOrganization } from '../organizations/index.ts'
import { purgeBatches } from '../platform/batches/store.ts'
import { handle, type Job, type JobDefinition } from '../platform/jobs/definition.ts'
import { BULK, runBulk } from './bulk/actions.ts'
import type { UserContext } from './context.ts'
import {
  catchUpStatesJob,
  fireStatesJob,
  purgeUsersJob,
  runBulkJob,
  watchExclusionsJob,
  watchPasswordsJob,
} from './job-definitions.ts'
import { watchExclusions } from './mfa-exclusion.ts'
import { watchPasswords } from './passwords/expiry.ts'
import { deleteExpiredLinks } from './passwords/store.ts'
import { fireScheduledState } from './scheduled/actions.ts'
import { overdueScheduledStates } from './scheduled/store.ts'
import { purgeUsers } from './store.ts'

const DAY = 86_400_000
/** Retention of deleted users and finished jobs. */
const KEPT_DAYS = 30
const LATE_MS = 5 * 60_000

export const userJobDefinitions = [
  fireStatesJob,
  runBulkJob,
  purgeUsersJob,
  catchUpStatesJob,
  watchPasswordsJob,
  watchExclusionsJob,
] as unknown as JobDefinition[]

/** One transaction per organization: row-level security shows one at a time. */
async function purgeDeletedUsers({ db }: UserContext, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY)
  await forEachOrganization(db, (id) =>
    db.tx(id, async (tx) => {
      await purgeUsers(tx, id, before)
      await purgeBatches(tx, id, BULK, before)
      await deleteExpiredLinks(tx, id, now)
    }),
  )
}

async function catchUpStates(context: UserContext, now: Date): Promise<void> {
  const { db } = context
  const late = new Date(now.getTime() - LATE_MS)
  await forEachOrganization(db, async (organizationId) => {
    const rows = await overdueScheduledStates(db.tenant(organizationId), organizationId, late)
    for (const { id } of rows) await fireScheduledState(context, organizationId, id, now)
  })
}

export const userJobs = (context: UserContext): Job[] => [
  handle(fireStatesJob, async ({ organizationId, ids }) => {
    for (const id of ids) await fireScheduledState(context, organizationId, id, new Date())
  }),
  handle(runBulkJob, ({ organizationId, jobId }) => runBulk(context, organizationId, jobId)),
  handle(purgeUsersJob, () => purgeDeletedUsers(context, new Date())),
  handle(watchPasswordsJob, () => watchPasswords(context, new Date())),
  handle(watchExclusionsJob, () => watchExclusions(context, new Date())),
  handle(catchUpStatesJob, () => catchUpStates(context, new Date())),
]
