import { findApplication } from '../applications/index.ts'
import { joinAuth, ScimProvider } from '../scim/index.ts'
import { type ConnectionRow, findConnection, saveQuirks } from './connection-store.ts'
import { type ProvisioningContext, secretContext } from './context.ts'
import { Evaluator } from './evaluate.ts'
import type { ConnectionRef } from './events.ts'
import type { Settings } from './settings.ts'

/** An open connection: its settings, and the provider with what was learnt about it. */
export interface Session extends ConnectionRef {
  row: ConnectionRow
  settings: Settings
  provider: ScimProvider
  evaluator: Evaluator
}

/** Undefined when the connection or its application is gone. */
export async function openSession(
  context: ProvisioningContext,
  organizationId: string,
  applicationId: string,
): Promise<Session | undefined> {
  const { db, sealer, outbound, now } = context
  const tenant = db.tenant(organizationId)
  const row = await findConnection(tenant, organizationId, applicationId)
  if (!row) return undefined
  const application = await findApplication(tenant, organizationId, applicationId)
  if (!application) return undefined
  const { settings, quirks } = row
  const { limits, baseUrl } = settings
  const secret = await sealer.unseal(row.secret, secretContext(applicationId))
  const provider = new ScimProvider({
    outbound,
    connection: {
      baseUrl,
      auth: joinAuth(settings.auth, secret),
      concurrency: limits.concurrency,
      ...(limits.perSecond !== null && { perSecond: limits.perSecond }),
    },
    throttleKey: `provisioning ${applicationId}`,
    quirks,
    onQuirk: (learnt) => {
      // Learnt again by the next request if it cannot be saved.
      saveQuirks(tenant, organizationId, applicationId, learnt).catch(() => {})
    },
    ...(now && { now }),
  })
  return {
    organizationId,
    applicationId,
    applicationName: application.display_label || application.name,
    idmClientId: row.idm_client_id,
    row,
    settings,
    provider,
    evaluator: new Evaluator(settings),
  }
}
