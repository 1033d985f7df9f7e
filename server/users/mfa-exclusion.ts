import { recordEvent } from '../insights/index.ts'
import { forEachOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { UserContext } from './context.ts'
import { eachId } from './each-id.ts'
import { endedExclusions, markExclusionRecorded } from './mfa-exclusion-store.ts'
import { resourceOf } from './records.ts'
import { lockUser } from './store.ts'

/** Once per end: the mark and the event commit together. Checks again, as the end may have been moved. */
const recordEnd = ({ db }: UserContext, organizationId: string, id: string, now: Date) =>
  db.tx(organizationId, async (tx) => {
    const row = await lockUser(tx, organizationId, id)
    const { exclusion, exclusionUntil } = row?.profile.mfa ?? {}
    if (!row || !exclusion || !exclusionUntil || Date.parse(exclusionUntil) > now.getTime()) return
    if (!(await markExclusionRecorded(tx, organizationId, id))) return
    await recordEvent(tx, systemCaller(organizationId, 'second factor'), {
      event_type: 'user_mfa_exclusion_expired',
      resource: resourceOf(row),
    })
  })

/** Records an event for each exclusion from the second factor that has ended. */
export async function watchExclusions(context: UserContext, now: Date): Promise<void> {
  await forEachOrganization(context.db, async (organizationId) => {
    const tenant = context.db.tenant(organizationId)
    await eachId(
      (after) => endedExclusions(tenant, organizationId, now, after),
      (id) => recordEnd(context, organizationId, id, now),
    )
  })
}
