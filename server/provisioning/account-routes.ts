import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { retryUser } from './actions.ts'
import type { ProvisioningContext } from './context.ts'
import {
  Accepted,
  BASE,
  DEFAULT_LIMIT,
  errors,
  limit,
  params,
  READ,
  READ_USERS,
  skip,
  tags,
  WRITE,
} from './route-parts.ts'
import {
  ACCOUNT_STATES,
  ProvisionedUserDetail,
  ProvisionedUserList,
  ProvisioningStatus,
  UserProvisioning,
} from './schema.ts'
import { getStatus, getUser, listUsers, userEverywhere } from './status.ts'

const userParams = Type.Object({ application_id: Type.String(), user_id: Type.String() })

/** The accounts at the provider. */
export const accountRoutes: FastifyPluginAsyncTypebox<{
  context: ProvisioningContext
}> = async (app, { context }) => {
  app.get(
    `${BASE}/status`,
    {
      schema: {
        tags,
        summary: 'Counts, failures, the deprovision clock, and the last reconciliation',
        params,
        response: { 200: ProvisioningStatus, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getStatus(context, caller, params.application_id),
  )

  app.get(
    `${BASE}/users`,
    {
      schema: {
        tags,
        summary: 'List the accounts at the provider; failures first',
        params,
        querystring: Type.Object({
          limit,
          skip,
          state: Type.Optional(Type.Enum([...ACCOUNT_STATES])),
          parked: Type.Optional(Type.Boolean()),
          waiting: Type.Optional(Type.Boolean()),
          search: Type.Optional(Type.String({ maxLength: 256 })),
        }),
        response: { 200: ProvisionedUserList, ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params, query }, reply) => {
      const { limit = DEFAULT_LIMIT, skip = 0, ...filter } = query
      const found = await listUsers(context, caller, params.application_id, filter, limit, skip)
      return reply.header('x-total-count', found.total).send(found.results)
    },
  )

  app.get(
    `${BASE}/users/:user_id`,
    {
      schema: {
        tags,
        summary: 'The account of a user',
        description: 'The attributes as last written are shown to callers who may read users.',
        params: userParams,
        response: { 200: ProvisionedUserDetail, ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params }) => {
      const account = await getUser(context, caller, params.application_id, params.user_id)
      const mayRead = READ_USERS.some((scope) => caller.scopes.has(scope))
      return { ...account, written: mayRead ? account.written : null }
    },
  )

  app.post(
    `${BASE}/users/:user_id/retry`,
    {
      schema: {
        tags,
        summary: 'Try the account of a user again now',
        params: userParams,
        response: { 202: Accepted, ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }, reply) => {
      await retryUser(context, caller, params.application_id, params.user_id)
      return reply.code(202).send({})
    },
  )

  app.get(
    '/users/:user_id/provisioning',
    {
      schema: {
        tags,
        summary: 'The accounts of a user in all applications',
        params: Type.Object({ user_id: Type.String() }),
        response: { 200: UserProvisioning, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => userEverywhere(context, caller, params.user_id),
  )
}
