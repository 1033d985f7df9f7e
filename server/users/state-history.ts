import { type Change, firstEventAfter, retentionDays } from '../insights/index.ts'
import type { Db } from '../platform/db/index.ts'
import { EVENT_OF } from './lifecycle.ts'
import type { UserState } from './schema.ts'
import { findPastUser } from './store.ts'

const DAY = 86_400_000

/**
 * The state of a user at a past instant: the old value in the first later state event, or the current state if there is
 * none. Null when the user did not exist yet, events of that time have expired, or the user was purged.
 */
export async function stateAt(
  db: Db,
  organizationId: string,
  userId: string,
  instant: Date,
  now: Date,
): Promise<UserState | null> {
  const kept = await retentionDays(db, organizationId)
  if (instant.getTime() < now.getTime() - kept * DAY) return null
  const tenant = db.tenant(organizationId)
  // Read before the events, so that a concurrent change shows up in one of them.
  const current = await findPastUser(tenant, organizationId, userId)
  if (current && new Date(current.created) > instant) return null
  const types = Object.values(EVENT_OF)
  const event = await firstEventAfter(tenant, organizationId, userId, types, instant)
  const changes = (event?.changes ?? []) as Change[]
  const was = changes.find(({ field }) => field === 'state')?.from
  return (was as UserState | undefined) ?? current?.state ?? null
}
