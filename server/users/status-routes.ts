import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { ListQueryV2 } from '../platform/list/query.ts'
import { getUser } from './actions.ts'
import type { UserContext } from './context.ts'
import { PolicyResult, PushEndpoint } from './schema.ts'

const tags = ['users']
const errors = errorsOf('v2')
const READ = ['users', 'users.readonly']
const UserPath = Type.Object({ user_id: Type.String() })
const PushEndpointPath = Type.Object({ user_id: Type.String(), push_endpoint_id: Type.String() })

/** Endpoints that clients call for every user. There are no policies and no push endpoints, so the lists are empty. */
export const userStatusRoutes: FastifyPluginAsyncTypebox<{ context: UserContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/users/:user_id/policystatuses',
    {
      schema: {
        tags,
        summary: 'List policy statuses of a user; always empty, as there are no policies',
        params: UserPath,
        querystring: Type.Omit(ListQueryV2, ['search']),
        response: { 200: Type.Array(PolicyResult), ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller: { organizationId }, params: { user_id } }, reply) => {
      await getUser(context, organizationId, user_id)
      return reply.header('x-total-count', 0).send([])
    },
  )

  app.get(
    '/users/:user_id/pushendpoints',
    {
      schema: {
        tags,
        summary: 'List push endpoints of a user; always empty, as none can be enrolled',
        params: UserPath,
        response: { 200: Type.Array(PushEndpoint), ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'pushEndpoints_list' } },
    },
    async ({ caller: { organizationId }, params: { user_id } }) => {
      await getUser(context, organizationId, user_id)
      return []
    },
  )
  const one = '/users/:user_id/pushendpoints/:push_endpoint_id'
  for (const { method, url, scopes, legacy } of [
    { method: 'GET', url: one, scopes: READ, legacy: 'pushEndpoints_get' },
    { method: 'PATCH', url: one, scopes: ['users'], legacy: 'pushEndpoints_patch' },
    { method: 'DELETE', url: one, scopes: ['users'], legacy: 'pushEndpoints_delete' },
    { method: 'POST', url: `${one}/verify`, scopes: ['mfa'], legacy: 'PushVerifications_Start' },
  ])
    app.route({
      method,
      url,
      schema: {
        tags,
        summary: 'A push endpoint of a user; always 404',
        params: PushEndpointPath,
        response: errors,
      },
      config: { scopes, operationId: { legacy } },
      handler: async ({ caller: { organizationId }, params: { user_id } }) => {
        await getUser(context, organizationId, user_id)
        throw notFound('push_endpoint_not_found', 'push endpoint not found')
      },
    })
}
