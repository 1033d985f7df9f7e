import type { Tx } from '../platform/db/index.ts'
import { invalid } from '../platform/errors.ts'
import type { UserSettings } from './settings.ts'
import { countUsers, lockUserCount } from './store.ts'

/** Before one more user comes, or comes back. */
export async function checkRoom(
  tx: Tx,
  organizationId: string,
  { maxSystemUsers: most }: UserSettings,
): Promise<void> {
  if (most === 0) return
  await lockUserCount(tx, organizationId)
  if ((await countUsers(tx, organizationId)) >= most)
    throw invalid('max_system_users', `The organization may have ${most} users and has them all`)
}
