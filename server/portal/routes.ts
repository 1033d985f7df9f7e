import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { refuseForeign } from '../platform/http/foreign-origin.ts'
import { accountRoutes } from './account-routes.ts'
import type { PortalContext } from './context.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { signInRoutes } from './sign-in-routes.ts'

/** The API of the user pages. The credential is the portal cookie, which these routes check themselves. */
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
