import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import type { Page } from '../platform/list/page.ts'
import { ListQueryV2 } from '../platform/list/query.ts'
import {
  chainsTo,
  changeAssociation,
  listConnections,
  listReachable,
  readTargets,
  withCommandDetails,
} from './actions.ts'
import { ADDRESSES, type Address, SUB_PATHS, WITHOUT_LEGACY_ID } from './addresses.ts'
import type { Chain } from './chains.ts'
import type { GraphContext } from './context.ts'
import { explainAccess } from './explain.ts'
import { associableWith, groupTypeOf, memberTypeOf, type NodeType } from './pairs.ts'
import {
  AccessExplanation,
  GraphConnection,
  GraphObjectWithPaths,
  type GraphOperation,
  graphOperation,
} from './schema.ts'

const errors = errorsOf('v2')
const tags = ['graph']
const Paging = Type.Pick(ListQueryV2, ['limit', 'skip'])
const Traversal = Type.Pick(ListQueryV2, ['limit', 'skip', 'filter'])
const Sorted = Type.Pick(ListQueryV2, ['limit', 'skip', 'filter', 'sort'])
const Detailed = Type.Object({
  ...Traversal.properties,
  details: Type.Optional(Type.String({ description: 'v1: includes the fields of each command' })),
})
const Targets = Type.Object({
  ...Paging.properties,
  targets: Type.Array(Type.String(), {
    description: 'Types of the objects to list, separated by commas',
  }),
})
const Connections = Type.Array(GraphConnection)
const Reachable = Type.Array(GraphObjectWithPaths)

const words = (type: NodeType) => type.replaceAll('_', ' ')
const titled = (legacy: string) => legacy[0]!.toUpperCase() + legacy.slice(1)
const withSelf = ({ self }: Address, sub: string, scopes: readonly string[]) =>
  self?.[sub] === undefined ? scopes : [...scopes, self[sub]]
const send = (reply: FastifyReply, { totalCount, results }: Page<unknown>) =>
  reply.header('x-total-count', totalCount).send(results)

/** Associations, members and traversals of every node type, generated from the table of addresses. */
export const graphRoutes: FastifyPluginAsyncTypebox<{ context: GraphContext }> = async (
  app,
  { context },
) => {
  /** URL, parameters and start node of the routes below one address. */
  const below = ({ type, path, param }: Address) => ({
    url: (sub: string) => `/${path}/:${param}/${sub}`,
    params: Type.Object({ [param]: Type.String() }),
    start: (params: unknown) => ({ type, id: (params as Record<string, string>)[param]! }),
  })

  function associations(address: Address) {
    const { type, legacy } = address
    const read = withSelf(address, 'associations', address.read)
    const write = withSelf(address, 'associations', address.write)
    const { url, params, start } = below(address)
    app.get(
      url('associations'),
      {
        schema: {
          tags,
          summary: `Direct associations of the ${words(type)}`,
          params,
          querystring: Targets,
          response: { 200: Connections, ...errors },
        },
        config: { scopes: read, operationId: { legacy: `graph_${legacy}AssociationsList` } },
      },
      async ({ caller, params, query }, reply) => {
        const targets = readTargets(type, query.targets)
        return send(reply, await listConnections(context, caller, start(params), targets, query))
      },
    )
    app.post(
      url('associations'),
      {
        schema: {
          tags,
          summary: `Add, update or remove an association of the ${words(type)}`,
          params,
          body: graphOperation(`GraphOperation${titled(legacy)}`, associableWith(type)),
          response: { 204: Type.Null(), ...errors },
        },
        config: { scopes: write, operationId: { legacy: `graph_${legacy}AssociationsPost` } },
      },
      async ({ caller, params, body }, reply) => {
        await changeAssociation(context, caller, start(params), body as GraphOperation)
        return reply.code(204).send(null)
      },
    )
  }

  interface Reaching {
    sub: string
    summary: string
    chains: Chain[]
    scopes: readonly string[]
    legacy: string | null
    querystring: TSchema
    unknownIsEmpty?: boolean
  }
  function reaching(address: Address, route: Reaching) {
    const { url, params, start } = below(address)
    const { sub, summary, chains, scopes, legacy, querystring, unknownIsEmpty = false } = route
    app.get(
      url(sub),
      {
        schema: { tags, summary, params, querystring, response: { 200: Reachable, ...errors } },
        config: {
          scopes: withSelf(address, sub, scopes),
          ...(legacy !== null && { operationId: { legacy } }),
        },
      },
      async ({ caller, params, query }, reply) => {
        const asked = query as { details?: string }
        const options = { unknownIsEmpty }
        const page = await listReachable(context, caller, start(params), chains, asked, options)
        const detailed = sub === 'commands' && asked.details === 'v1'
        return send(reply, detailed ? await withCommandDetails(context, caller, page) : page)
      },
    )
  }

  function traversals(address: Address) {
    const { type, path, legacy } = address
    for (const sub of address.traversals) {
      const { types, legacy: target, scopes } = SUB_PATHS[sub]
      reaching(address, {
        sub,
        summary: `The ${sub} that the ${words(type)} is bound to, directly or through groups, with every path`,
        chains: chainsTo(type, types),
        scopes,
        legacy: WITHOUT_LEGACY_ID.has(`${path}/${sub}`) ? null : `graph_${legacy}Traverse${target}`,
        querystring: sub === 'commands' ? Detailed : Traversal,
      })
    }
  }

  function membership(address: Address) {
    const { type, legacy } = address
    const { url, params, start } = below(address)
    const member = memberTypeOf(type)
    const group = groupTypeOf(type)
    if (group)
      reaching(address, {
        sub: 'memberof',
        summary: `The groups of the ${words(type)}`,
        chains: [[type, group]],
        scopes: ['groups', 'groups.readonly'],
        legacy: `graph_${legacy}MemberOf`,
        querystring: Sorted,
        unknownIsEmpty: true,
      })
    if (!member) return
    const scopes = member === 'user' ? ['users', 'users.readonly'] : ['systems', 'systems.readonly']
    reaching(address, {
      sub: 'membership',
      summary: `All members of the ${words(type)}, with paths`,
      chains: [[type, member]],
      scopes,
      legacy: `graph_${legacy}Membership`,
      querystring: Sorted,
    })
    app.get(
      url('members'),
      {
        schema: {
          tags,
          summary: `Members of the ${words(type)}`,
          params,
          querystring: Paging,
          response: { 200: Connections, ...errors },
        },
        config: { scopes, operationId: { legacy: `graph_${legacy}MembersList` } },
      },
      async ({ caller, params, query }, reply) =>
        send(reply, await listConnections(context, caller, start(params), [member], query)),
    )
  }

  for (const address of ADDRESSES) {
    associations(address)
    traversals(address)
    membership(address)
  }

  app.get(
    '/access/explain',
    {
      schema: {
        tags,
        summary: 'Every path from a user to an application or a system, now or at a past instant',
        description:
          'Users who are STAGED, SUSPENDED or locked have no access, and nobody has access to an inactive application: `allowed` is then false and `reason` says why, while `paths` still lists the paths. The state at a past instant is known for as long as events are kept.',
        querystring: Type.Object({
          user: Type.String(),
          application: Type.Optional(Type.String()),
          system: Type.Optional(Type.String()),
          at: Type.Optional(Type.String({ description: 'A past instant, RFC 3339' })),
        }),
        response: { 200: AccessExplanation, ...errors },
      },
      config: { scopes: ['users', 'users.readonly'] },
    },
    ({ caller, query }) => explainAccess(context, caller, query, new Date()),
  )
}
