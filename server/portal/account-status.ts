import type { AccountStatusOf } from '../graph/index.ts'
import type { Db } from '../platform/db/index.ts'
import { findUser, stateAt } from '../users/index.ts'
import { isLocked } from './next-step.ts'
import { portalSettings } from './settings.ts'

/**
 * Whether a user can use their access. For past instants only the state is known: a lock that expires leaves no event.
 */
export const accountStatus =
  (db: Db): AccountStatusOf =>
  async (organizationId, userId, instant) => {
    const now = new Date()
    if (instant) {
      const state = await stateAt(db, organizationId, userId, instant, now)
      return state && { state, locked: false }
    }
    const user = await findUser(db.tenant(organizationId), organizationId, userId)
    if (!user) return null
    const { passwordPolicy } = await portalSettings(db, organizationId)
    return { state: user.state, locked: isLocked(user, passwordPolicy, now) }
  }
