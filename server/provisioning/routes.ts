import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountRoutes } from './account-routes.ts'
import { connectionRoutes } from './connection-routes.ts'
import type { ProvisioningContext } from './context.ts'
import { groupRoutes } from './group-routes.ts'
import { planRoutes } from './plan-routes.ts'

/** Outbound provisioning of an application by SCIM. */
export const provisioningRoutes: FastifyPluginAsyncTypebox<{
  context: ProvisioningContext
}> = async (app, { context }) => {
  await app.register(connectionRoutes, { context })
  await app.register(accountRoutes, { context })
  await app.register(groupRoutes, { context })
  await app.register(planRoutes, { context })
}
