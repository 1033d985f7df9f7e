import type { Caller } from '../platform/caller.ts'
import { activate, putProvisioning, requestReconcile } from './actions.ts'
import { findConnection } from './connection-store.ts'
import type { ProvisioningContext } from './context.ts'
import type { ProvisioningPut } from './schema.ts'

/**
 * Connects an application of the demo to a provider in memory. After a restart this provider is empty, so all accounts
 * are written again, unless an administrator has deactivated the connection. Settings made since stay.
 */
export async function seedProvisioning(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  body: ProvisioningPut,
): Promise<void> {
  const { organizationId } = caller
  const tenant = context.db.tenant(organizationId)
  const before = await findConnection(tenant, organizationId, applicationId)
  if (before?.settings.baseUrl !== body.baseUrl)
    await putProvisioning(context, caller, applicationId, body)
  if (before?.status === 'inactive') return
  await activate(context, caller, applicationId)
  if (before) await requestReconcile(context, caller, applicationId, 'repair')
}
