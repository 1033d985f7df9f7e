import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { project, readCountedPage } from '../platform/list/page.ts'
import { ListQueryV1, readListV1, readSearch, SearchBody } from '../platform/list/query.ts'
import { readFields } from '../platform/list/values.ts'
import { createCommand, getCommand, removeCommand, replaceCommand } from './actions.ts'
import type { CommandContext } from './context.ts'
import { toCommand, toCommandSummary, toResult } from './records.ts'
import { resultsOfCommand } from './result-store.ts'
import {
  Command,
  CommandFiles,
  CommandList,
  CommandResult,
  CommandWrite,
  IdParams as params,
} from './schema.ts'
import { commandResource, listCommands } from './store.ts'

const errors = errorsOf('v1')
const tags = ['commands']
const WRITE = ['commands']
/** A Command Runner must see the commands it may run. */
export const READ = ['commands', 'commands.readonly', 'commandrunner.legacy']

/** Commands, v1. */
export const commandRoutes: FastifyPluginAsyncTypebox<{ context: CommandContext }> = async (
  app,
  { context },
) => {
  const { db } = context

  app.get(
    '/commands',
    {
      schema: {
        tags,
        summary: 'List commands',
        querystring: ListQueryV1,
        response: { 200: CommandList, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'commands_list' } },
    },
    async ({ caller: { organizationId }, query }) => {
      const list = readListV1(commandResource, query, context.limits.list)
      const page = await listCommands(db.tenant(organizationId), organizationId, list)
      const results = page.results.map((row) => project(toCommandSummary(row), list.fields))
      return { totalCount: page.totalCount, results }
    },
  )

  app.post(
    '/search/commands',
    {
      schema: {
        tags,
        summary: 'Search commands',
        querystring: Type.Pick(ListQueryV1, ['fields', 'filter', 'limit', 'skip']),
        body: SearchBody,
        response: { 200: CommandList, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'search_commands_post' } },
    },
    async ({ caller: { organizationId }, query, body }) => {
      const list = readSearch(commandResource, query, body, context.limits.list)
      const page = await listCommands(db.tenant(organizationId), organizationId, list)
      const results = page.results.map((row) => project(toCommandSummary(row), list.fields))
      return { totalCount: page.totalCount, results }
    },
  )

  app.post(
    '/commands',
    {
      schema: {
        tags,
        summary: 'Create a command; bind its systems at /v2/commands/{id}/associations',
        body: CommandWrite,
        response: { 200: Command, ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'commands_post' } },
    },
    ({ caller, body }) => createCommand(context, caller, body),
  )

  app.get(
    '/commands/:id',
    {
      schema: {
        tags,
        summary: 'Get a command',
        params,
        querystring: Type.Pick(ListQueryV1, ['fields']),
        response: { 200: Command, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'commands_get' } },
    },
    async ({ caller: { organizationId }, params, query }) => {
      const row = await getCommand(db.tenant(organizationId), organizationId, params.id)
      return project(toCommand(row), readFields(query.fields, context.limits.list))
    },
  )

  app.put(
    '/commands/:id',
    {
      schema: {
        tags,
        summary: 'Replace a command; omitted members are reset to their defaults',
        params,
        body: CommandWrite,
        response: { 200: Command, ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'commands_put' } },
    },
    ({ caller, params, body }) => replaceCommand(context, caller, params.id, body),
  )

  app.delete(
    '/commands/:id',
    {
      schema: {
        tags,
        summary: 'Delete a command and its pending runs; results are kept',
        params,
        response: { 200: Command, ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'commands_delete' } },
    },
    ({ caller, params }) => removeCommand(context, caller, params.id),
  )

  app.get(
    '/commands/:id/results',
    {
      schema: {
        tags,
        summary: 'List the results of a command, newest first',
        params,
        querystring: Type.Pick(ListQueryV1, ['limit', 'skip']),
        response: { 200: Type.Array(CommandResult), ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'commands_getResults' } },
    },
    async ({ caller: { organizationId }, params, query }, reply) => {
      const tenant = db.tenant(organizationId)
      const { id } = await getCommand(tenant, organizationId, params.id)
      const page = await readCountedPage(
        (limit, skip) => resultsOfCommand(tenant, organizationId, id, limit, skip),
        query,
      )
      reply.header('x-total-count', String(page.totalCount))
      return page.results.map(toResult)
    },
  )

  app.get(
    '/files/command/:id',
    {
      schema: {
        tags,
        summary: 'List the files of a command',
        params,
        querystring: Type.Pick(ListQueryV1, ['fields', 'limit', 'skip']),
        response: { 200: CommandFiles, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'command_file_get' } },
    },
    async ({ caller: { organizationId }, params, query: { limit = 10, skip = 0 } }) => {
      const row = await getCommand(db.tenant(organizationId), organizationId, params.id)
      const files = row.details.filesS3 ?? []
      return {
        totalCount: files.length,
        results: files
          .slice(skip, limit === 0 ? undefined : skip + limit)
          .map(({ objectStorageId, name, destination }) => ({
            _id: objectStorageId,
            name,
            destination,
          })),
      }
    },
  )
}
