import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { type GraphOperation, graphOperation } from '../graph/index.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { type Page, project } from '../platform/list/page.ts'
import { ListQueryV2, readListV2 } from '../platform/list/query.ts'
import { createGroup, getGroup, removeGroup, replaceGroup, restoreGroup } from './actions.ts'
import type { GroupContext } from './context.ts'
import { applySuggestions, changeMember, listSuggestions, previewMembers } from './members.ts'
import { memberOf, toGroup } from './records.ts'
import {
  Directory,
  Group,
  type GroupWrite,
  MemberSuggestion,
  Preview,
  PreviewRequest,
  SystemGroup,
  SystemGroupPost,
  SystemGroupPut,
  UserGroup,
  UserGroupPost,
  UserGroupPut,
} from './schema.ts'
import { normalizeRule } from './sent-forms.ts'
import {
  countGroups,
  type GroupRow,
  type GroupType,
  groupResource,
  groupResources,
  readGroups,
} from './store.ts'

const errors = errorsOf('v2')
const READ = ['groups', 'groups.readonly']
const WRITE = ['groups']
const tags = ['groups']
const params = Type.Object({ id: Type.String() })
const groupParams = Type.Object({ group_id: Type.String() })
const Paging = Type.Pick(ListQueryV2, ['limit', 'skip'])
const Dsl = Type.Object({
  'x-query-dsl': Type.Optional(
    Type.String({ description: 'v2 selects the v2 form of memberQuery' }),
  ),
})
const isNewer = (headers: { 'x-query-dsl'?: string }) => headers['x-query-dsl'] === 'v2'

/** Differences between user groups and system groups. */
interface Kind {
  type: GroupType
  path: string
  /** The part of legacy operation ids, as in groups_user_list. */
  legacy: 'user' | 'system'
  Record: typeof UserGroup | typeof SystemGroup
  Post: typeof UserGroupPost | typeof SystemGroupPost
  Put: typeof UserGroupPut | typeof SystemGroupPut
  /** The body member that lists ids when suggestions are applied. */
  ids: 'user_ids' | 'object_ids'
  /** Further scopes that may change members. */
  self: readonly string[]
}
const KINDS: readonly Kind[] = [
  {
    type: 'user_group',
    path: '/usergroups',
    legacy: 'user',
    Record: UserGroup,
    Post: UserGroupPost,
    Put: UserGroupPut,
    ids: 'user_ids',
    self: [],
  },
  {
    type: 'system_group',
    path: '/systemgroups',
    legacy: 'system',
    Record: SystemGroup,
    Post: SystemGroupPost,
    Put: SystemGroupPut,
    ids: 'object_ids',
    self: ['groups.self'],
  },
]

const sendGroups = (
  reply: FastifyReply,
  { totalCount, results }: Page<GroupRow>,
  fields: string[] | null,
) =>
  reply
    .header('x-total-count', totalCount)
    .send(results.map((row) => project(toGroup(row), fields)))

/** User groups and system groups, and their manual or dynamic members. */
export const groupRoutes: FastifyPluginAsyncTypebox<{ context: GroupContext }> = async (
  app,
  { context },
) => {
  const { db } = context
  app.addHook('preValidation', async ({ body }) => normalizeRule(body))

  function records({ type, path, legacy, Record, Post, Put }: Kind) {
    const words = `${legacy} group`
    const id = (verb: string) => ({ operationId: { legacy: `groups_${legacy}_${verb}` } })
    app.get(
      path,
      {
        schema: {
          tags,
          summary: `List ${words}s`,
          querystring: ListQueryV2,
          response: { 200: Type.Array(Group), ...errors },
        },
        config: { scopes: READ, ...id('list') },
      },
      async ({ caller: { organizationId }, query }, reply) => {
        const list = readListV2(groupResources[type], query, context.limits.list)
        const page = await readGroups(db.tenant(organizationId), organizationId, type, list)
        return sendGroups(reply, page, list.fields)
      },
    )
    app.post(
      path,
      {
        schema: {
          tags,
          summary: `Create a ${words}`,
          headers: Dsl,
          body: Post,
          response: { 201: Record, ...errors },
        },
        config: { scopes: WRITE, ...id('post') },
      },
      async ({ caller, body, headers }, reply) => {
        const options = { newerQuery: isNewer(headers) }
        const made = await createGroup(context, caller, type, body as GroupWrite, options)
        return reply.code(201).send(made as never)
      },
    )
    app.get(
      `${path}/:id`,
      {
        schema: {
          tags,
          summary: `Get a ${words} with its rule`,
          params,
          response: { 200: Record, ...errors },
        },
        config: { scopes: READ, ...id('get') },
      },
      async ({ caller, params }, reply) =>
        reply.send((await getGroup(context, caller, type, params.id)) as never),
    )
    for (const method of ['PUT', 'PATCH'] as const) {
      app.route({
        method,
        url: `${path}/:id`,
        schema: {
          tags,
          summary: `Replace a ${words}; omitted members are reset to their defaults`,
          headers: Dsl,
          params,
          body: Put,
          response: { 200: Record, ...errors },
        },
        config: { scopes: WRITE, ...id(method.toLowerCase()) },
        handler: async ({ caller, params, body, headers }, reply) => {
          const options = { newerQuery: isNewer(headers) }
          const write = body as GroupWrite
          return reply.send(
            (await replaceGroup(context, caller, type, params.id, write, options)) as never,
          )
        },
      })
    }
    app.delete(
      `${path}/:id`,
      {
        schema: {
          tags,
          summary: `Delete a ${words}; it can be restored for 30 days`,
          params,
          response: { 200: Record, ...errors },
        },
        config: { scopes: WRITE, ...id('delete') },
      },
      async ({ caller, params }, reply) =>
        reply.send((await removeGroup(context, caller, type, params.id)) as never),
    )
    app.post(
      `${path}/:id/restore`,
      {
        schema: {
          tags,
          summary: `Restore a deleted ${words} with its members and associations`,
          params,
          response: { 200: Record, ...errors },
        },
        config: { scopes: WRITE },
      },
      async ({ caller, params }, reply) =>
        reply.send((await restoreGroup(context, caller, type, params.id)) as never),
    )
  }

  function members({ type, path, legacy, ids, self }: Kind) {
    const words = `${legacy} group`
    const member = memberOf(type)
    const title = `GraphOperation${legacy === 'user' ? 'User' : 'System'}GroupMember`
    app.post(
      `${path}/:group_id/members`,
      {
        schema: {
          tags,
          summary: `Add a ${member} to a ${words}, or remove it`,
          params: groupParams,
          body: graphOperation(title, [member]),
          response: { 204: Type.Null(), ...errors },
        },
        config: {
          scopes: [...WRITE, ...self],
          operationId: { legacy: `graph_${legacy}GroupMembersPost` },
        },
      },
      async ({ caller, params, body }, reply) => {
        await changeMember(context, caller, type, params.group_id, body as GraphOperation)
        return reply.code(204).send(null)
      },
    )
    app.get(
      `${path}/:group_id/suggestions`,
      {
        schema: {
          tags,
          summary: 'List the members that the rule would add or remove',
          params: groupParams,
          querystring: Paging,
          response: { 200: Type.Array(MemberSuggestion), ...errors },
        },
        config: { scopes: READ, operationId: { legacy: `groups_${legacy}_suggestions_get` } },
      },
      async ({ caller, params, query }, reply) => {
        const page = await listSuggestions(context, caller, type, params.group_id, query)
        return reply.header('x-total-count', page.totalCount).send(page.results)
      },
    )
    app.post(
      `${path}/:group_id/suggestions`,
      {
        schema: {
          tags,
          summary: 'Apply the suggestions about some members',
          params: groupParams,
          body: Type.Object({ [ids]: Type.Array(Type.String(), { maxItems: 10_000 }) }),
          response: { 200: Type.Object({}), ...errors },
        },
        config: { scopes: WRITE, operationId: { legacy: `groups_${legacy}_suggestions_post` } },
      },
      async ({ caller, params, body }) => {
        const chosen = (body as Record<string, string[]>)[ids]!
        await applySuggestions(context, caller, type, params.group_id, chosen)
        return {}
      },
    )
    const preview = {
      tags,
      headers: Dsl,
      body: Type.Union([PreviewRequest, Type.Null()]),
      response: { 200: Preview, ...errors },
    }
    app.post(
      `${path}/preview`,
      {
        schema: { ...preview, summary: `Preview the members of a new ${words} with this rule` },
        config: { scopes: READ },
      },
      ({ caller, body, headers }) =>
        previewMembers(context, caller, type, null, body ?? {}, isNewer(headers)),
    )
    app.post(
      `${path}/:group_id/preview`,
      {
        schema: {
          ...preview,
          params: groupParams,
          summary: "Preview who would join or leave under a rule; the default is the group's own",
        },
        config: { scopes: READ },
      },
      ({ caller, params, body, headers }) =>
        previewMembers(context, caller, type, params.group_id, body ?? {}, isNewer(headers)),
    )
  }

  for (const kind of KINDS) {
    records(kind)
    members(kind)
  }

  app.get(
    '/groups',
    {
      schema: {
        tags,
        summary: 'List groups of both types',
        headers: Type.Object({ 'x-unfiltered-total-count': Type.Optional(Type.String()) }),
        querystring: ListQueryV2,
        response: { 200: Type.Array(Group), ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'groups_list' } },
    },
    async ({ caller: { organizationId }, query, headers }, reply) => {
      const tenant = db.tenant(organizationId)
      const list = readListV2(groupResource, query, context.limits.list)
      const page = await readGroups(tenant, organizationId, null, list)
      if (headers['x-unfiltered-total-count'])
        reply.header('x-unfiltered-total-count', await countGroups(tenant, organizationId))
      return sendGroups(reply, page, list.fields)
    },
  )

  app.get(
    '/directories',
    {
      schema: {
        tags: ['directories'],
        summary: 'List connected directories',
        querystring: Type.Pick(ListQueryV2, ['fields', 'limit', 'skip', 'sort']),
        response: { 200: Type.Array(Directory), ...errors },
      },
      config: {
        scopes: ['directories', 'directories.readonly'],
        operationId: { legacy: 'directories_list' },
      },
    },
    // Directories cannot be connected yet.
    async (_, reply) => reply.header('x-total-count', 0).send([]),
  )
}
