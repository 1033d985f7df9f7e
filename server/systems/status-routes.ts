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

/** What clients ask of every system, policies and software among it. There are none here, and so it says. */
export const systemStatusRoutes: FastifyPluginAsyncTypebox<{ context: SystemContext }> = async (
  app,
  { context: { db } },
) => {
  const LISTS = [
    {
      sub: 'policystatuses',
      summary: 'How policies fare on a system; there are no policies',
      Element: PolicyResult,
      legacy: 'policystatuses_systemsList',
      querystring: Type.Omit(ListQueryV2, ['search']),
    },
    {
      sub: 'softwareappstatuses',
      summary: 'How managed software fares on a system; no software is managed',
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
        summary: 'The key that recovers an encrypted disk; none is kept, so always 404',
        params,
        response: errors,
      },
      config: { scopes, operationId: { legacy: 'systems_getFDEKey' } },
    },
    async ({ caller: { organizationId }, params: { system_id } }) => {
      await getSystem(db.tenant(organizationId), organizationId, system_id)
      throw notFound('fde_key_not_found', 'fdekey: no recovery key of this system is kept')
    },
  )
}
