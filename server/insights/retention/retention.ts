import type { Caller } from '../../platform/caller.ts'
import type { Db, Queryable } from '../../platform/db/index.ts'
import { forbidden, invalid } from '../../platform/errors.ts'
import { recordEvent } from '../record/record.ts'
import { findRetention, lockRetention, saveRetention } from './store.ts'

/** Retention of tenants that have not chosen one (specification, "Limits"). */
export const DEFAULT_RETENTION_DAYS = 90
export const MAX_RETENTION_DAYS = 3650

/** In a transaction of the tenant. */
export const retentionDaysIn = async (tx: Queryable, organizationId: string): Promise<number> =>
  (await findRetention(tx, organizationId)) ?? DEFAULT_RETENTION_DAYS

export const retentionDays = (db: Db, organizationId: string): Promise<number> =>
  retentionDaysIn(db.tenant(organizationId), organizationId)

/**
 * Null restores the default. A shorter retention takes effect at the next cleanup, so a mistake can be reverted until
 * then; a longer one does not bring back dropped events.
 */
export function changeRetention(
  db: Db,
  caller: Caller,
  days: number | null,
  minDays: number,
): Promise<number> {
  const { organizationId, providerId } = caller
  const portal = organizationId === providerId
  const scope = portal ? 'providers' : 'organizations'
  if (!caller.scopes.has(scope))
    throw forbidden('scope_missing', `Forbidden: requires the scope ${scope}`)
  // A stolen administrator session must not be able to erase its traces by the next day.
  if (days !== null && days < minDays) {
    const message = `days must be at least ${minDays}; the operator can allow fewer with GATEHOUSE_MIN_RETENTION_DAYS`
    throw invalid('retention_too_short', message)
  }
  return db.tx(organizationId, async (tx) => {
    const before = (await lockRetention(tx, organizationId)) ?? DEFAULT_RETENTION_DAYS
    const after = days ?? DEFAULT_RETENTION_DAYS
    await saveRetention(tx, organizationId, days)
    if (after !== before) {
      await recordEvent(tx, caller, {
        event_type: 'insights_retention_update',
        resource: { type: portal ? 'provider' : 'organization', id: organizationId },
        changes: [{ field: 'days', from: before, to: after }],
      })
    }
    return after
  })
}
