import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../../platform/http/errors.ts'
import { ListQueryV2 } from '../../platform/list/query.ts'
import type { InsightsContext } from '../context.ts'
import {
  createSavedSearch,
  getSavedSearch,
  listSavedSearches,
  removeSavedSearch,
  replaceSavedSearch,
} from './actions.ts'
import { SavedSearch, SavedSearchList, SavedSearchWrite } from './schema.ts'

const errors = errorsOf('insights')
const tags = ['saved searches']
const tenant = 'header-or-provider'
const reading = { scopes: ['insights', 'insights.readonly'], tenant } as const
const writing = { scopes: ['insights'], tenant } as const
const Params = Type.Object({ saved_search_id: Type.String() })

/** Event queries saved by administrators. */
export const savedSearchRoutes: FastifyPluginAsyncTypebox<{ context: InsightsContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/saved-searches',
    {
      schema: {
        tags,
        summary: 'Own and shared saved searches',
        querystring: Type.Omit(ListQueryV2, ['fields']),
        response: { 200: SavedSearchList, ...errors },
      },
      config: reading,
    },
    ({ caller, query }) => listSavedSearches(context, caller, query),
  )
  app.post(
    '/saved-searches',
    {
      schema: {
        tags,
        summary: 'Save a search',
        description:
          'For administrators with the scope insights; read-only administrators can run shared searches. The query is validated like that of POST /events. Its time is relative (range) or fixed (start_time, end_time).',
        body: SavedSearchWrite,
        response: { 201: SavedSearch, ...errors },
      },
      config: writing,
    },
    async ({ caller, body }, reply) => {
      reply.code(201)
      return createSavedSearch(context, caller, body, Date.now())
    },
  )
  app.get(
    '/saved-searches/:saved_search_id',
    {
      schema: {
        tags,
        summary: 'One saved search',
        params: Params,
        response: { 200: SavedSearch, ...errors },
      },
      config: reading,
    },
    ({ caller, params }) => getSavedSearch(context, caller, params.saved_search_id),
  )
  app.put(
    '/saved-searches/:saved_search_id',
    {
      schema: {
        tags,
        summary: 'Replace a saved search',
        description:
          'By its owner; omitted members are reset to their defaults. A shared search whose owner was deleted is taken over by the caller.',
        params: Params,
        body: SavedSearchWrite,
        response: { 200: SavedSearch, ...errors },
      },
      config: writing,
    },
    ({ caller, params, body }) =>
      replaceSavedSearch(context, caller, params.saved_search_id, body, Date.now()),
  )
  app.delete(
    '/saved-searches/:saved_search_id',
    {
      schema: {
        tags,
        summary: 'Delete a saved search',
        description:
          'By its owner. A shared search can also be deleted with the scope administrators or, if its owner was deleted, by any caller who may write. Private ones are deleted with their owner.',
        params: Params,
        response: { 204: Type.Null(), ...errors },
      },
      config: writing,
    },
    async ({ caller, params }, reply) => {
      await removeSavedSearch(context, caller, params.saved_search_id)
      reply.code(204)
      return null
    },
  )
}
