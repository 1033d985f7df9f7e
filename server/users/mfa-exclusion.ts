import { recordEvent } from '../insights/index.ts'
import { forEachOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { UserContext } from './context.ts'
import { eachId } from './each-id.ts'
import { endedExclusions, markExclusionTold } from './mfa-exclusion-store.ts'
import { resourceOf } from './records.ts'
import { lockUser } from './store.ts'

/** Once for each end: the mark and the event commit together. It may have been moved since it was looked up. */
const tellEnd = ({ db }: UserContext, organizationId: string, id: string, now: Date) =>
  db.tx(organizationId, async (tx) => {
    const row = await lockUser(tx, organizationId, id)
    const { exclusion, exclusionUntil } = row?.profile.mfa ?? {}
    if (!row || !exclusion || !exclusionUntil || Date.parse(exclusionUntil) > now.getTime()) return
    if (!(await markExclusionTold(tx, organizationId, id))) return
    await recordEvent(tx, systemCaller(organizationId, 'second factor'), {
      event_type: 'user_mfa_exclusion_expired',
      resource: resourceOf(row),
    })
  })

/** Tells of users who were excused from a second factor and are no longer. */
export async function watchExclusions(context: UserContext, now: Date): Promise<void> {
  await forEachOrganization(context.db, async (organizationId) => {
    const tenant = context.db.tenant(organizationId)
    await eachId(
      (after) => endedExclusions(tenant, organizationId, now, after),
      (id) => tellEnd(context, organizationId, id, now),
    )
  })
}
