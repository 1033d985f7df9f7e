import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { ListQueryV2 } from '../platform/list/query.ts'
import { getSystem } from './actions.ts'
import type { SystemContext } from './context.ts'
import { PolicyResult, SoftwareAppWithStatus } from './schema.ts'

const errors = errorsOf('v2')
const tags = ['systems']
const scopes = ['systems', 'systems.readonly']
const params = Type.Object({ system_id: Type.String() })

/** Endpoints that clients call for every system. Policies and software are not managed, so the lists are empty. */
export const systemStatusRoutes: FastifyPluginAsyncTypebox<{ context: SystemContext }> = async (
  app,
  { context: { db } },
) => {
  const LISTS = [
    {
      sub: 'policystatuses',
      summary: 'List policy statuses of a system; always empty, as there are no policies',
      Element: PolicyResult,
      legacy: 'policystatuses_systemsList',
      querystring: Type.Omit(ListQueryV2, ['search']),
    },
    {
      sub: 'softwareappstatuses',
      summary: 'List managed software of a system; always empty, as no software is managed',
      Element: SoftwareAppWithStatus,
      legacy: 'systems_ListSoftwareAppsWithStatuses',
      querystring: Type.Omit(ListQueryV2, ['search', 'fields']),
    },
  ]
  for (const { sub, summary, Element, legacy, querystring } of LISTS)
    app.get(
      `/systems/:system_id/${sub}`,
      {
        schema: {
          tags,
          summary,
          params,
          querystring,
          response: { 200: Type.Array(Element), ...errors },
        },
        config: { scopes, operationId: { legacy } },
      },
      async ({ caller: { organizationId }, params: { system_id } }, reply) => {
        await getSystem(db.tenant(organizationId), organizationId, system_id)
        return reply.header('x-total-count', 0).send([])
      },
    )

  app.get(
    '/systems/:system_id/fdekey',
    {
      schema: {
        tags,
        summary: 'Get the disk recovery key; always 404, as none is stored',
        params,
        response: errors,
      },
      config: { scopes, operationId: { legacy: 'systems_getFDEKey' } },
    },
    async ({ caller: { organizationId }, params: { system_id } }) => {
      await getSystem(db.tenant(organizationId), organizationId, system_id)
      throw notFound('fde_key_not_found', 'fdekey: no recovery key is stored for this system')
    },
  )
}
