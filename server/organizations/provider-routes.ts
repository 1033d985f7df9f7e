import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV2, readListV2 } from '../platform/list/query.ts'
import { readFields } from '../platform/list/values.ts'
import {
  createOrganization,
  deleteProviderOrganization,
  getProvider,
  restoreOrganization,
  updateProvider,
  updateProviderOrganization,
} from './actions.ts'
import type { OrganizationContext } from './context.ts'
import { KEPT_DAYS } from './erase.ts'
import { toProvider, toProviderOrganization } from './records.ts'
import {
  OrganizationCreate,
  Provider,
  ProviderOrganization,
  ProviderOrganizationParams,
  ProviderParams,
  ProviderPut,
} from './schema.ts'
import { listProviderOrganizations, organizationResource } from './store.ts'

const errors = errorsOf('v2')
const tags = ['providers']
const tenant = 'home'

/** Providers and their organizations, v2. */
export const providerRoutes: FastifyPluginAsyncTypebox<{
  context: OrganizationContext
}> = async (app, { context }) => {
  const { db } = context
  app.get(
    '/providers',
    {
      schema: {
        tags,
        summary: "List the caller's provider, if any",
        response: {
          200: Type.Object({ results: Type.Array(Provider), totalCount: Type.Integer() }),
          ...errors,
        },
      },
      config: { scopes: ['providers', 'providers.readonly'], tenant },
    },
    async ({ caller }) => {
      const results =
        caller.providerId === null
          ? []
          : [toProvider(await getProvider(db, caller, caller.providerId))]
      return { results, totalCount: results.length }
    },
  )

  app.get(
    '/providers/:provider_id',
    {
      schema: {
        tags,
        summary: 'Get a provider',
        params: ProviderParams,
        querystring: Type.Pick(ListQueryV2, ['fields']),
        response: { 200: Provider, ...errors },
      },
      config: {
        scopes: ['providers.readonly', 'providers'],
        tenant,
        operationId: { legacy: 'providers_getProvider' },
      },
    },
    async ({ caller, params, query }) =>
      project(
        toProvider(await getProvider(db, caller, params.provider_id)),
        readFields(query.fields, context.limits.list),
      ),
  )

  app.put(
    '/providers/:provider_id',
    {
      schema: {
        tags,
        summary: 'Update a provider',
        params: ProviderParams,
        body: ProviderPut,
        response: { 200: Provider, ...errors },
      },
      config: { scopes: ['providers'], tenant },
    },
    async ({ caller, params, body }) =>
      toProvider(await updateProvider(db, caller, params.provider_id, body)),
  )

  app.get(
    '/providers/:provider_id/organizations',
    {
      schema: {
        tags,
        summary: 'List the organizations of a provider that the caller can access',
        params: ProviderParams,
        querystring: ListQueryV2,
        response: {
          200: Type.Object({
            results: Type.Array(ProviderOrganization),
            totalCount: Type.Integer(),
          }),
          ...errors,
        },
      },
      config: {
        scopes: ['providers', 'providers.readonly'],
        tenant,
        operationId: { legacy: 'providers_listOrganizations' },
      },
    },
    async ({ caller, params, query }, reply) => {
      const list = readListV2(organizationResource, query, context.limits.list)
      const { id } = await getProvider(db, caller, params.provider_id)
      const { totalCount, results } = await listProviderOrganizations(
        db,
        id,
        caller.organizationIds,
        list,
      )
      reply.header('x-total-count', totalCount)
      return {
        results: results.map((row) => project(toProviderOrganization(row), list.fields)),
        totalCount,
      }
    },
  )

  app.post(
    '/providers/:provider_id/organizations',
    {
      schema: {
        tags,
        summary: 'Create an organization',
        params: ProviderParams,
        body: OrganizationCreate,
        response: { 201: ProviderOrganization, ...errors },
      },
      config: {
        scopes: ['providers'],
        tenant,
        operationId: { legacy: 'providerOrganizations_createOrg' },
      },
    },
    async ({ caller, params, body }, reply) => {
      const row = await createOrganization(context, caller, params.provider_id, body)
      return reply.code(201).send(toProviderOrganization(row))
    },
  )

  app.put(
    '/providers/:provider_id/organizations/:id',
    {
      schema: {
        tags,
        summary: 'Rename an organization or change its user limit',
        params: ProviderOrganizationParams,
        body: Type.Partial(OrganizationCreate, { title: 'OrganizationUpdate' }),
        response: { 200: ProviderOrganization, ...errors },
      },
      config: {
        scopes: ['organizations', 'organizations.billing'],
        tenant,
        operationId: { legacy: 'providerOrganizations_updateOrg' },
      },
    },
    async ({ caller, params, body }) =>
      toProviderOrganization(
        await updateProviderOrganization(context, caller, params.provider_id, params.id, body),
      ),
  )

  app.delete(
    '/providers/:provider_id/organizations/:id',
    {
      schema: {
        tags,
        summary: `Delete an organization; it can be restored for ${KEPT_DAYS} days, then its data is erased`,
        params: ProviderOrganizationParams,
        querystring: Type.Object({
          name: Type.String({ description: 'The name of the organization, to confirm' }),
        }),
        response: { 200: ProviderOrganization, ...errors },
      },
      config: { scopes: ['providers'], tenant },
    },
    async ({ caller, params: { provider_id, id }, query }) =>
      toProviderOrganization(
        await deleteProviderOrganization(context, caller, provider_id, id, query.name),
      ),
  )

  app.post(
    '/providers/:provider_id/organizations/:id/restore',
    {
      schema: {
        tags,
        summary: 'Restore a deleted organization',
        params: ProviderOrganizationParams,
        response: { 200: ProviderOrganization, ...errors },
      },
      config: { scopes: ['providers'], tenant },
    },
    async ({ caller, params: { provider_id, id } }) =>
      toProviderOrganization(await restoreOrganization(context, caller, provider_id, id)),
  )
}
