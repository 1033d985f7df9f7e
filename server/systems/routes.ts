import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV1, readListV1, readSearch, SearchBody } from '../platform/list/query.ts'
import { readFields } from '../platform/list/values.ts'
import { getSystem, removeSystem, restoreSystem, sshKeysOf, updateSystem } from './actions.ts'
import type { SystemContext } from './context.ts'
import { describeFound } from './found.ts'
import { toSshKey, toSystem } from './records.ts'
import {
  FoundSystemList,
  IdParams as params,
  System,
  SystemList,
  SystemPut,
  SystemSshKey,
} from './schema.ts'
import { listSystems, systemResource } from './store.ts'

const errors = errorsOf('v1')
const tags = ['systems']
const READ = ['systems', 'systems.readonly']
const SEARCH = [...READ, 'commandrunner.legacy']
const one = Type.Pick(ListQueryV1, ['fields', 'filter'])

/** Systems, v1. A system may call some of them about itself: see authenticate.ts. */
export const systemRoutes: FastifyPluginAsyncTypebox<{ context: SystemContext }> = async (
  app,
  { context },
) => {
  const { db } = context

  app.get(
    '/systems',
    {
      schema: {
        tags,
        summary: 'List systems',
        querystring: ListQueryV1,
        response: { 200: SystemList, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'systems_list' } },
    },
    async ({ caller: { organizationId }, query }) => {
      const list = readListV1(systemResource, query, context.limits.list)
      const page = await listSystems(db.tenant(organizationId), organizationId, list)
      return {
        totalCount: page.totalCount,
        results: page.results.map((row) => project(toSystem(row), list.fields)),
      }
    },
  )

  app.post(
    '/search/systems',
    {
      schema: {
        tags,
        summary: 'Search systems',
        querystring: Type.Pick(ListQueryV1, ['fields', 'filter', 'limit', 'skip']),
        body: SearchBody,
        response: { 200: FoundSystemList, ...errors },
      },
      config: { scopes: SEARCH, operationId: { legacy: 'search_systems_post' } },
    },
    async ({ caller: { organizationId }, query, body }) => {
      const list = readSearch(systemResource, query, body, context.limits.list)
      const page = await listSystems(db.tenant(organizationId), organizationId, list)
      return {
        totalCount: page.totalCount,
        results: await describeFound(context, organizationId, page.results, list.fields),
      }
    },
  )

  app.get(
    '/systems/:id',
    {
      schema: {
        tags,
        summary: 'Get a system; a system may read itself',
        params,
        querystring: one,
        response: { 200: System, ...errors },
      },
      config: { scopes: [...READ, 'systems.self'], operationId: { legacy: 'systems_get' } },
    },
    async ({ caller: { organizationId }, params, query }) => {
      const row = await getSystem(db.tenant(organizationId), organizationId, params.id)
      return project(toSystem(row), readFields(query.fields, context.limits.list))
    },
  )

  app.put(
    '/systems/:id',
    {
      schema: {
        tags,
        summary: 'Update a system; omitted members keep their values',
        params,
        body: SystemPut,
        response: { 200: System, ...errors },
      },
      config: { scopes: ['systems', 'systems.self'], operationId: { legacy: 'systems_put' } },
    },
    ({ caller, params, body }) => updateSystem(context, caller, params.id, body),
  )

  app.delete(
    '/systems/:id',
    {
      schema: {
        tags,
        summary: 'Delete a system; it can be restored for 30 days',
        params,
        response: { 200: System, ...errors },
      },
      config: { scopes: ['systems', 'systems.self'], operationId: { legacy: 'systems_delete' } },
    },
    ({ caller, params }) => removeSystem(context, caller, params.id),
  )

  app.post(
    '/systems/:id/restore',
    {
      schema: {
        tags,
        summary: 'Restore a deleted system with its groups and bindings',
        params,
        response: { 200: System, ...errors },
      },
      config: { scopes: ['systems'] },
    },
    ({ caller, params }) => restoreSystem(context, caller, params.id),
  )

  app.get(
    '/systems/:id/sshkeys',
    {
      schema: {
        tags,
        summary: 'List the SSH host keys that the system reported',
        params,
        response: { 200: Type.Array(SystemSshKey), ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params }) =>
      (await sshKeysOf(context, caller.organizationId, params.id)).map(toSshKey),
  )
}
