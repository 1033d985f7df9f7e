import { type Change, firstEventAfter, retentionDays } from '../insights/index.ts'
import type { Db } from '../platform/db/index.ts'
import { EVENT_OF } from './lifecycle.ts'
import type { UserState } from './schema.ts'
import { findPastUser } from './store.ts'

const DAY = 86_400_000

/**
 * The state that a user had at a past instant: what the first change after it says it was before, or what it is now when
 * nothing has changed since. Null when there was no such user yet, events of that time are no longer kept, or the user is
 * gone for good.
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
  // Before the events: a change in between is then told by one of them.
  const current = await findPastUser(tenant, organizationId, userId)
  if (current && new Date(current.created) > instant) return null
  const types = Object.values(EVENT_OF)
  const event = await firstEventAfter(tenant, organizationId, userId, types, instant)
  const changes = (event?.changes ?? []) as Change[]
  const was = changes.find(({ field }) => field === 'state')?.from
  return (was as UserState | undefined) ?? current?.state ?? null
}
