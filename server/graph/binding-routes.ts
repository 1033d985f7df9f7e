import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { changeBindings } from './actions.ts'
import type { GraphContext } from './context.ts'
import { WRITE_SCOPES } from './rights.ts'

const errors = errorsOf('v1')
const MAX_IDS = 1000
const Ids = Type.Optional(Type.Array(Type.String(), { maxItems: MAX_IDS }))
const Changes = Type.Object({ add: Ids, remove: Ids }, { title: 'BindingChanges' })
const params = Type.Object({ id: Type.String() })

const ADDRESSES = [
  { near: 'user', far: 'system', path: 'systemusers', sub: 'systems' },
  { near: 'system', far: 'user', path: 'systems', sub: 'systemusers' },
] as const

/** How users and systems were bound before there were associations: kept for clients that know no other way. */
export const bindingRoutes: FastifyPluginAsyncTypebox<{ context: GraphContext }> = async (
  app,
  { context },
) => {
  for (const { near, far, path, sub } of ADDRESSES)
    app.put(
      `/${path}/:id/${sub}`,
      {
        schema: {
          tags: ['graph'],
          summary: `Bind the ${near} to ${far}s, or unbind it, as older clients do`,
          description: `The same as an association with each ${far}, all of them or none. Use the associations of the ${near} instead.`,
          params,
          body: Type.Union([Changes, Type.Null()]),
          response: { 200: Type.Object({}, { title: 'Binding' }), ...errors },
        },
        config: {
          scopes: WRITE_SCOPES[near],
          besides: [WRITE_SCOPES[far]],
          operationId: { legacy: `${path}_${sub}_binding_put` },
        },
      },
      async ({ caller, params: { id }, body }) => {
        await changeBindings(context, caller, { type: near, id }, far, body ?? {})
        return {}
      },
    )
}
