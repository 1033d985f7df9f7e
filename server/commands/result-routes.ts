import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV1, readListV1, readSearch, SearchBody } from '../platform/list/query.ts'
import { readFields } from '../platform/list/values.ts'
import { getResult, removeResult } from './actions.ts'
import type { CommandContext } from './context.ts'
import { toResult, toResultSummary } from './records.ts'
import { listResults, resultResource } from './result-store.ts'
import { READ } from './routes.ts'
import { CommandResult, CommandResultList, IdParams as params } from './schema.ts'

const errors = errorsOf('v1')
const tags = ['commands']

/** Command results, v1. */
export const commandResultRoutes: FastifyPluginAsyncTypebox<{ context: CommandContext }> = async (
  app,
  { context },
) => {
  const { db } = context

  app.get(
    '/commandresults',
    {
      schema: {
        tags,
        summary: 'List command results; output and error are truncated to 40 characters',
        querystring: ListQueryV1,
        response: { 200: CommandResultList, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'command_results_list' } },
    },
    async ({ caller: { organizationId }, query }) => {
      const list = readListV1(resultResource, query, context.limits.list)
      const page = await listResults(db.tenant(organizationId), organizationId, list)
      const results = page.results.map((row) => project(toResultSummary(row), list.fields))
      return { totalCount: page.totalCount, results }
    },
  )

  app.post(
    '/search/commandresults',
    {
      schema: {
        tags,
        summary: 'Search command results',
        querystring: Type.Pick(ListQueryV1, ['fields', 'filter', 'limit', 'skip']),
        body: SearchBody,
        response: { 200: CommandResultList, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'search_commandresults_post' } },
    },
    async ({ caller: { organizationId }, query, body }) => {
      const list = readSearch(resultResource, query, body, context.limits.list)
      const page = await listResults(db.tenant(organizationId), organizationId, list)
      const results = page.results.map((row) => project(toResultSummary(row), list.fields))
      return { totalCount: page.totalCount, results }
    },
  )

  app.get(
    '/commandresults/:id',
    {
      schema: {
        tags,
        summary: 'Get a command result with its full output',
        params,
        querystring: Type.Pick(ListQueryV1, ['fields', 'filter']),
        response: { 200: CommandResult, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'command_results_get' } },
    },
    async ({ caller: { organizationId }, params, query }) => {
      const row = await getResult(db.tenant(organizationId), organizationId, params.id)
      return project(toResult(row), readFields(query.fields, context.limits.list))
    },
  )

  app.delete(
    '/commandresults/:id',
    {
      schema: {
        tags,
        summary: 'Delete a command result',
        params,
        response: { 200: CommandResult, ...errors },
      },
      config: { scopes: ['commands'], operationId: { legacy: 'command_results_delete' } },
    },
    async ({ caller, params }) => toResult(await removeResult(context, caller, params.id)),
  )
}
