import type { Tx } from '../platform/db/index.ts'
import { invalid } from '../platform/errors.ts'
import type { UserSettings } from './settings.ts'
import { countUsers, lockUserCount } from './store.ts'

/** Call before a user is created or restored. */
export async function checkUserQuota(
  tx: Tx,
  organizationId: string,
  { maxSystemUsers: limit }: UserSettings,
): Promise<void> {
  if (limit === 0) return
  await lockUserCount(tx, organizationId)
  if ((await countUsers(tx, organizationId)) >= limit)
    throw invalid('max_system_users', `The organization has reached its limit of ${limit} users`)
}
