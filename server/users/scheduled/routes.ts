import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { invalid } from '../../platform/errors.ts'
import { errorsOf } from '../../platform/http/errors.ts'
import { isId } from '../../platform/ids.ts'
import { ListQueryV2, readListV2 } from '../../platform/list/query.ts'
import type { UserContext } from '../context.ts'
import {
  cancelScheduledState,
  getScheduledState,
  scheduleStates,
  toScheduledState,
} from './actions.ts'
import { NextScheduledStates, ScheduledState, ScheduledStateCreate } from './schema.ts'
import { listScheduledStates, nextScheduledStates, scheduledStateResource } from './store.ts'

const errors = errorsOf('v2')
const tags = ['bulk']
const READ = ['users', 'users.readonly']
const WRITE = ['users']

/** Scheduled state changes of users. */
export const scheduledStateRoutes: FastifyPluginAsyncTypebox<{ context: UserContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/bulk/userstates',
    {
      schema: {
        tags,
        summary: 'List pending state changes',
        querystring: Type.Object({
          ...Type.Pick(ListQueryV2, ['limit', 'skip', 'filter', 'sort']).properties,
          userid: Type.Optional(Type.String({ description: 'Only changes of this user' })),
        }),
        response: { 200: Type.Array(ScheduledState), ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'bulk_userStatesList' } },
    },
    async ({ caller: { organizationId }, query }, reply) => {
      const list = readListV2(scheduledStateResource, query, context.limits.list)
      const { totalCount, results } = await listScheduledStates(
        context.db.tenant(organizationId),
        organizationId,
        query.userid || undefined,
        list,
      )
      reply.header('x-total-count', String(totalCount))
      return results.map(toScheduledState)
    },
  )

  app.post(
    '/bulk/userstates',
    {
      schema: {
        tags,
        summary: 'Schedule the activation or suspension of users',
        body: ScheduledStateCreate,
        response: { 201: Type.Array(ScheduledState), ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'bulk_userStatesCreate' } },
    },
    async ({ caller, body }, reply) => {
      const rows = await scheduleStates(context, caller, body)
      return reply.code(201).send(rows.map(toScheduledState))
    },
  )

  app.get(
    '/bulk/userstates/eventlist/next',
    {
      schema: {
        tags,
        summary: 'List the next state changes of each user, at most one per state',
        querystring: Type.Object({
          ...Type.Pick(ListQueryV2, ['limit', 'skip']).properties,
          users: Type.Array(Type.String(), {
            minItems: 1,
            description: 'At most 100 ids, separated by commas',
          }),
        }),
        response: { 200: NextScheduledStates, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'bulk_userStatesGetNextScheduled' } },
    },
    async ({ caller: { organizationId }, query }) => {
      const ids = query.users.flatMap((text) => text.split(',')).filter((id) => id !== '')
      if (ids.length === 0 || ids.length > 100 || !ids.every(isId))
        throw invalid('bad_users', 'users: must be 1 to 100 user ids')
      const { limit, skip } = readListV2(scheduledStateResource, query, context.limits.list)
      const tenant = context.db.tenant(organizationId)
      const rows = await nextScheduledStates(tenant, organizationId, ids)
      return {
        events_count: rows.length,
        results: rows.slice(skip, skip + limit).map(toScheduledState),
      }
    },
  )

  app.get(
    '/bulk/userstates/:id',
    {
      schema: {
        tags,
        summary: 'Get a scheduled state change',
        params: Type.Object({ id: Type.String() }),
        response: { 200: ScheduledState, ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params }) =>
      toScheduledState(await getScheduledState(context, caller.organizationId, params.id)),
  )

  app.delete(
    '/bulk/userstates/:id',
    {
      schema: {
        tags,
        summary: 'Cancel a scheduled state change',
        params: Type.Object({ id: Type.String() }),
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'bulk_userStatesDelete' } },
    },
    async ({ caller, params }, reply) => {
      await cancelScheduledState(context, caller, params.id)
      return reply.code(204).send(null)
    },
  )
}
