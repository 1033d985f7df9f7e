import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { holdsOne } from '../platform/http/authorize.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV1, readListV1, readSearch, SearchBody } from '../platform/list/query.ts'
import { readFields } from '../platform/list/values.ts'
import { getOrganization, updateOrganization } from './actions.ts'
import type { OrganizationContext } from './context.ts'
import { settingsOf, toBrief, toOrganization, toSummary } from './records.ts'
import { IdParams, Organization, OrganizationList, OrganizationPut, Settings } from './schema.ts'
import { briefResource, listOrganizations, organizationResource } from './store.ts'

const LIST_SCOPES = ['commandrunner.legacy', 'organizations', 'organizations.readonly']
const READ_SCOPES = ['organizations', 'organizations.readonly']
const errors = errorsOf('v1')
const tags = ['organizations']

/** Organizations, v1. */
export const organizationRoutes: FastifyPluginAsyncTypebox<{
  context: OrganizationContext
}> = async (app, { context }) => {
  const { db } = context
  app.get(
    '/organizations',
    {
      schema: {
        tags,
        summary: 'List the organizations the caller manages; without a scope, their ids and names',
        querystring: ListQueryV1,
        response: { 200: OrganizationList, ...errors },
      },
      config: {
        scopes: LIST_SCOPES,
        briefWithoutScopes: true,
        tenant: 'home',
        operationId: { legacy: 'organization_list' },
      },
    },
    async ({ caller, query }) => {
      const [resource, show] = holdsOne(caller, LIST_SCOPES)
        ? [organizationResource, toSummary]
        : [briefResource, toBrief]
      const list = readListV1(resource, query, context.limits.list)
      const { totalCount, results } = await listOrganizations(db, caller.organizationIds, list)
      return { totalCount, results: results.map((row) => project(show(row), list.fields)) }
    },
  )

  app.get(
    '/organizations/:id',
    {
      schema: {
        tags,
        summary: 'Get an organization with its settings; without a scope, its id and name',
        params: IdParams,
        querystring: Type.Pick(ListQueryV1, ['fields', 'filter']),
        response: { 200: Organization, ...errors },
      },
      config: {
        scopes: READ_SCOPES,
        briefWithoutScopes: true,
        tenant: 'path',
        operationId: { legacy: 'organizations_get' },
      },
    },
    async (request) => {
      const row = await getOrganization(db, request.caller.organizationId)
      const show = holdsOne(request.caller, READ_SCOPES) ? toOrganization : toBrief
      return project(show(row), readFields(request.query.fields, context.limits.list))
    },
  )

  app.put(
    '/organizations/:id',
    {
      schema: {
        tags,
        summary: 'Update settings; omitted members keep their values',
        params: IdParams,
        body: OrganizationPut,
        response: { 200: Organization, ...errors },
      },
      config: {
        scopes: ['organizations'],
        tenant: 'path',
        operationId: { legacy: 'organization_put' },
      },
    },
    async (request) =>
      toOrganization(await updateOrganization(context, request.caller, request.body)),
  )

  app.post(
    '/search/organizations',
    {
      schema: {
        tags,
        summary: 'Search the organizations the caller manages',
        querystring: Type.Pick(ListQueryV1, ['fields', 'filter', 'limit', 'skip']),
        body: SearchBody,
        response: { 200: OrganizationList, ...errors },
      },
      config: {
        scopes: LIST_SCOPES,
        tenant: 'home',
        operationId: { legacy: 'search_organizations_post' },
      },
    },
    async (request) => {
      const list = readSearch(
        organizationResource,
        request.query,
        request.body,
        context.limits.list,
      )
      const { totalCount, results } = await listOrganizations(
        db,
        request.caller.organizationIds,
        list,
      )
      return { totalCount, results: results.map((row) => project(toSummary(row), list.fields)) }
    },
  )

  app.get(
    '/settings',
    {
      schema: {
        tags,
        summary: 'Get the settings that clients read after sign-in',
        response: { 200: Settings, ...errors },
      },
      config: { scopes: LIST_SCOPES },
    },
    async (request) => {
      const row = await getOrganization(db, request.caller.organizationId)
      const { email } = request.caller.initiator
      return {
        ORG_ID: row.id,
        ORG_NAME: row.name,
        ...(email && { EMAIL: email }),
        SETTINGS: settingsOf(row),
      }
    },
  )
}
