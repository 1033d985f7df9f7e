import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { getProvider } from '../organizations/index.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV2, readListV2 } from '../platform/list/query.ts'
import { createAdministrator, pageOfAdministrators, removeAdministrator } from './actions.ts'
import type { AdminContext } from './context.ts'
import {
  linkAdministrator,
  linksOfAdministrator,
  linksOfOrganization,
  unlinkAdministrator,
} from './links.ts'
import { toProviderAdministrator } from './records.ts'
import {
  OrganizationLink,
  OrganizationLinkCreate,
  ProviderAdministrator,
  ProviderAdministratorCreate,
} from './schema.ts'
import { administratorResource } from './store.ts'

const errors = errorsOf('v2')
const tenant = 'home'
const NoContent = Type.Null()
const ProviderParams = Type.Object({ provider_id: Type.String() })
const Paging = Type.Pick(ListQueryV2, ['limit', 'skip'])

/** Administrators of a provider and the organizations each can access, v2. */
export const providerAdministratorRoutes: FastifyPluginAsyncTypebox<{
  context: AdminContext
}> = async (app, { context }) => {
  app.get(
    '/providers/:provider_id/administrators',
    {
      schema: {
        tags: ['providers'],
        summary: 'List the administrators of a provider',
        params: ProviderParams,
        querystring: ListQueryV2,
        response: {
          200: Type.Object({
            results: Type.Array(ProviderAdministrator),
            totalCount: Type.Integer(),
          }),
          ...errors,
        },
      },
      config: {
        scopes: ['commandrunner.legacy', 'providers', 'providers.readonly'],
        tenant,
        operationId: { legacy: 'providers_listAdministrators' },
      },
    },
    async ({ caller, params, query }, reply) => {
      const provider = await getProvider(context.db, caller, params.provider_id)
      const list = readListV2(administratorResource, query, context.limits.list)
      const { totalCount, results } = await pageOfAdministrators(context, provider.id, list)
      reply.header('x-total-count', totalCount)
      return {
        results: results.map(({ row, roles }) =>
          project(toProviderAdministrator(row, roles), list.fields),
        ),
        totalCount,
      }
    },
  )

  app.post(
    '/providers/:provider_id/administrators',
    {
      schema: {
        tags: ['providers'],
        summary: 'Create an administrator of a provider',
        params: ProviderParams,
        body: ProviderAdministratorCreate,
        response: { 200: ProviderAdministrator, ...errors },
      },
      config: { scopes: ['providers'], tenant, operationId: { legacy: 'providers_postAdmins' } },
    },
    async ({ caller, params, body }) => {
      await getProvider(context.db, caller, params.provider_id)
      const { row, roles } = await createAdministrator(context, caller, body, {
        bindNoOrgs: body.bindNoOrgs ?? false,
        roleRequired: true,
      })
      return toProviderAdministrator(row, roles)
    },
  )

  app.delete(
    '/providers/:provider_id/administrators/:id',
    {
      schema: {
        tags: ['providers'],
        summary: 'Delete an administrator of a provider',
        params: Type.Object({ provider_id: Type.String(), id: Type.String() }),
        response: { 204: NoContent, ...errors },
      },
      config: {
        scopes: ['providers'],
        tenant,
        operationId: { legacy: 'providers_removeAdministrator' },
      },
    },
    async ({ caller, params }, reply) => {
      await getProvider(context.db, caller, params.provider_id)
      await removeAdministrator(context, caller, params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/administrators/:id/organizationlinks',
    {
      schema: {
        tags: ['administrators'],
        summary: 'List the organizations that an administrator can access',
        params: Type.Object({ id: Type.String() }),
        querystring: Paging,
        response: { 200: Type.Array(OrganizationLink), ...errors },
      },
      config: {
        scopes: ['administrators', 'administrators.readonly'],
        tenant,
        operationId: { legacy: 'administratorOrganizations_listByAdministrator' },
      },
    },
    async ({ caller, params, query }, reply) => {
      const { totalCount, links } = await linksOfAdministrator(context, caller, params.id, query)
      return reply.header('x-total-count', totalCount).send(links)
    },
  )

  app.post(
    '/administrators/:id/organizationlinks',
    {
      schema: {
        tags: ['administrators'],
        summary: 'Give an administrator access to an organization',
        params: Type.Object({ id: Type.String() }),
        body: OrganizationLinkCreate,
        response: { 201: OrganizationLink, ...errors },
      },
      config: {
        scopes: ['administrators'],
        tenant,
        operationId: { legacy: 'administratorOrganizations_createByAdministrator' },
      },
    },
    async ({ caller, params, body }, reply) =>
      reply.code(201).send(await linkAdministrator(context, caller, params.id, body.organization)),
  )

  app.delete(
    '/administrators/:administrator_id/organizationlinks/:id',
    {
      schema: {
        tags: ['administrators'],
        summary: 'Remove access to an organization; the id is that of the link or the organization',
        params: Type.Object({ administrator_id: Type.String(), id: Type.String() }),
        response: { 204: NoContent, ...errors },
      },
      config: {
        scopes: ['administrators'],
        tenant,
        operationId: { legacy: 'administratorOrganizations_removeByAdministrator' },
      },
    },
    async ({ caller, params }, reply) => {
      await unlinkAdministrator(context, caller, params.administrator_id, params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/organizations/:id/administratorlinks',
    {
      schema: {
        tags: ['organizations'],
        summary: 'List the administrators linked to an organization',
        params: Type.Object({ id: Type.String() }),
        querystring: Paging,
        response: { 200: Type.Array(OrganizationLink), ...errors },
      },
      config: {
        scopes: ['organizations', 'organizations.readonly'],
        tenant: 'path',
        operationId: { legacy: 'administratorOrganizations_listByOrganization' },
      },
    },
    async ({ caller, query }, reply) => {
      const { totalCount, links } = await linksOfOrganization(context, caller, query)
      return reply.header('x-total-count', totalCount).send(links)
    },
  )
}
