import { applicationNames } from '../applications/index.ts'
import { findConnection } from './connection-store.ts'
import type { ProvisioningContext } from './context.ts'
import { recordProvisions } from './events.ts'
import { takeLateRemovals } from './removal-store.ts'

/** Reports, once each, people who should be out of an application for longer than its target. */
export async function reportLate(
  { db, now = Date.now }: ProvisioningContext,
  organizationId: string,
  applicationId: string,
): Promise<void> {
  const tenant = db.tenant(organizationId)
  const connection = await findConnection(tenant, organizationId, applicationId)
  if (!connection) return
  const target = connection.settings.deprovisionTargetSeconds
  const names = await applicationNames(tenant, organizationId, [applicationId])
  const before = now() - target * 1000
  await db.tx(organizationId, async (tx) => {
    const late = await takeLateRemovals(tx, organizationId, applicationId, before)
    const ref = {
      organizationId,
      applicationId,
      applicationName: names.get(applicationId) ?? '',
      idmClientId: connection.idm_client_id,
    }
    const events = late.map(({ user_id, username, removal_since, error }) => ({
      event_type: 'user_deprovision_late',
      resource: { type: 'user', id: user_id, username },
      success: false,
      error_message: `Still has an account after ${target} s, since ${removal_since}${error ? `: ${error}` : ''}`,
    }))
    await recordProvisions(tx, ref, events)
  })
}
