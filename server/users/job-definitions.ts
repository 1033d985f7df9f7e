import { Type } from 'typebox'
import { defineJob, FOR_A_DAY, UPKEEP } from '../platform/jobs/definition.ts'

const Id = Type.String()

export const fireStatesJob = defineJob({
  name: 'users.fire-states',
  payload: Type.Object({ organizationId: Id, ids: Type.Array(Id) }),
  retry: UPKEEP,
})

export const runBulkJob = defineJob({
  name: 'users.run-bulk',
  payload: Type.Object({ organizationId: Id, jobId: Id }),
  retry: FOR_A_DAY,
})

export const purgeUsersJob = defineJob({
  name: 'users.purge-deleted',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '41 3 * * *',
})

export const watchPasswordsJob = defineJob({
  name: 'users.watch-passwords',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '19 * * * *',
})

export const watchExclusionsJob = defineJob({
  name: 'users.watch-exclusions',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/5 * * * *',
})

/** Runs overdue state changes whose job was lost: it failed, or the service was down longer than the queue keeps jobs. */
export const catchUpStatesJob = defineJob({
  name: 'users.catch-up-states',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/10 * * * *',
})
