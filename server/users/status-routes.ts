import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { ListQueryV2 } from '../platform/list/query.ts'
import { getUser } from './actions.ts'
import type { UserContext } from './context.ts'
import { PolicyResult } from './schema.ts'

/** What clients ask of every user. There are no policies here, and so it says. */
export const userStatusRoutes: FastifyPluginAsyncTypebox<{ context: UserContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/users/:user_id/policystatuses',
    {
      schema: {
        tags: ['users'],
        summary: 'How policies fare for a user; there are no policies',
        params: Type.Object({ user_id: Type.String() }),
        querystring: Type.Omit(ListQueryV2, ['search']),
        response: { 200: Type.Array(PolicyResult), ...errorsOf('v2') },
      },
      config: { scopes: ['users', 'users.readonly'] },
    },
    async ({ caller: { organizationId }, params: { user_id } }, reply) => {
      await getUser(context, organizationId, user_id)
      return reply.header('x-total-count', 0).send([])
    },
  )
}
