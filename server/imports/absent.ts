import type { Batch } from '../platform/batches/store.ts'
import type { Tx } from '../platform/db/index.ts'
import { findUsers } from '../users/index.ts'
import { inputOf, keyOf, type Planned, type RowInput } from './job.ts'
import { absentUsers } from './link-store.ts'
import { EMPTY } from './plan-row.ts'
import type { Settings } from './settings.ts'

/** Users whose record has been absent for so long that they are suspended. */
export async function planAbsent(tx: Tx, batch: Batch, settings: Settings): Promise<RowInput[]> {
  const { missing } = settings
  const { operations, queryString, dryRun } = inputOf(batch)
  // Only a complete read can tell who is absent.
  if (queryString !== '' || missing.action === 'ignore' || !operations.includes('users.update'))
    return []
  const key = keyOf(batch)
  // This read is counted already, except in a dry run.
  const counted = dryRun ? missing.after - 1 : missing.after
  const absent = await absentUsers(tx, key, batch.id, counted)
  const users = await findUsers(
    tx,
    key.organizationId,
    absent.map(({ user_id }) => user_id),
  )
  const byId = new Map(users.map((user) => [user.id, user]))
  return absent.flatMap(({ external_id, user_id }) => {
    const user = byId.get(user_id)
    if (!user || user.state === 'SUSPENDED') return []
    const { username, email } = user
    const plan: Planned = {
      action: 'suspend',
      userId: user_id,
      changes: [{ field: 'state', from: user.state, to: 'SUSPENDED' }],
      reason: 'absent',
      message: `absent from ${missing.after} complete reads in a row`,
    }
    return {
      ...EMPTY,
      externalId: external_id,
      write: { username, email },
      state: 'SUSPENDED' as const,
      plan,
    }
  })
}
