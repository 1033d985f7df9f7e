import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { refuseForeign } from '../platform/http/foreign-origin.ts'
import { accountRoutes } from './account-routes.ts'
import type { PortalContext } from './context.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { signInRoutes } from './sign-in-routes.ts'

/** All that the pages of users call. The credential is the cookie of the portal, which these routes look at themselves. */
export const portalRoutes: FastifyPluginAsyncTypebox<{ context: PortalContext }> = async (
  app,
  { context },
) => {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    refuseForeign(context.publicUrl, request)
  })
  await app.register(signInRoutes, { context })
  await app.register(accountRoutes, { context })
  await app.register(secondFactorRoutes, { context })
}
