import type { Tx } from '../platform/db/index.ts'
import { invalid } from '../platform/errors.ts'
import type { UserSettings } from './settings.ts'
import { countUsers, lockUserCount } from './store.ts'

/** Call before users are created or restored. */
export async function checkUserQuota(
  tx: Tx,
  organizationId: string,
  { maxSystemUsers: limit }: UserSettings,
  users = 1,
): Promise<void> {
  if (limit === 0) return
  await lockUserCount(tx, organizationId)
  if ((await countUsers(tx, organizationId)) + users > limit)
    throw invalid('max_system_users', `The organization has reached its limit of ${limit} users`)
}
