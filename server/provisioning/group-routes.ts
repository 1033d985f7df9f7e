import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { retryGroup } from './actions.ts'
import type { ProvisioningContext } from './context.ts'
import {
  Accepted,
  BASE,
  DEFAULT_LIMIT,
  errors,
  limit,
  params,
  READ,
  skip,
  tags,
  WRITE,
} from './route-parts.ts'
import { ProvisionedGroupList } from './schema.ts'
import { listGroups } from './status.ts'

/** The groups at the provider. */
export const groupRoutes: FastifyPluginAsyncTypebox<{
  context: ProvisioningContext
}> = async (app, { context }) => {
  app.get(
    `${BASE}/groups`,
    {
      schema: {
        tags,
        summary: 'List the groups pushed to the provider; failures first',
        params,
        querystring: Type.Object({ limit, skip, parked: Type.Optional(Type.Boolean()) }),
        response: { 200: ProvisionedGroupList, ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params, query }, reply) => {
      const { limit = DEFAULT_LIMIT, skip = 0, ...filter } = query
      const found = await listGroups(context, caller, params.application_id, filter, limit, skip)
      return reply.header('x-total-count', found.total).send(found.results)
    },
  )

  app.post(
    `${BASE}/groups/:group_id/retry`,
    {
      schema: {
        tags,
        summary: 'Try a group again now',
        params: Type.Object({ application_id: Type.String(), group_id: Type.String() }),
        response: { 202: Accepted, ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }, reply) => {
      await retryGroup(context, caller, params.application_id, params.group_id)
      return reply.code(202).send({})
    },
  )
}
