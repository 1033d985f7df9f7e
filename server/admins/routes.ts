import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV1, readListV1 } from '../platform/list/query.ts'
import { readFields } from '../platform/list/values.ts'
import {
  createAdministrator,
  getAdministrator,
  pageOfAdministrators,
  reactivateAdministrator,
  removeAdministrator,
  resetApiKey,
  resetTotp,
  revokeApiKey,
  updateAdministrator,
} from './actions.ts'
import type { AdminContext } from './context.ts'
import { toAdministrator } from './records.ts'
import {
  Administrator,
  AdministratorCreate,
  AdministratorList,
  AdministratorPut,
  ApiKey,
  ApiKeyRequest,
  Empty,
} from './schema.ts'
import { administratorResource } from './store.ts'

const errors = errorsOf('v1')
const tags = ['administrators']
const tenant = 'home'
const READ = ['administrators', 'administrators.readonly']
const WRITE = ['administrators']
const params = Type.Object({ id: Type.String() })

/** Administrators, v1 `users`: those of the caller's own organization or provider. */
export const administratorRoutes: FastifyPluginAsyncTypebox<{ context: AdminContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/users',
    {
      schema: {
        tags,
        summary: 'List administrators',
        querystring: ListQueryV1,
        response: { 200: AdministratorList, ...errors },
      },
      config: { scopes: READ, tenant },
    },
    async ({ caller, query }) => {
      const list = readListV1(administratorResource, query, context.limits.list)
      const { totalCount, results } = await pageOfAdministrators(context, caller.homeId, list)
      return {
        totalCount,
        results: results.map(({ row, roles }) => project(toAdministrator(row, roles), list.fields)),
      }
    },
  )

  app.post(
    '/users',
    {
      schema: {
        tags,
        summary: 'Create an administrator and mail a link to set a password',
        body: AdministratorCreate,
        response: { 200: Administrator, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, body }) => {
      const { row, roles } = await createAdministrator(context, caller, body)
      return toAdministrator(row, roles)
    },
  )

  app.get(
    '/users/getSelf',
    {
      schema: {
        tags,
        summary: 'Get the calling administrator',
        querystring: Type.Pick(ListQueryV1, ['fields']),
        response: { 200: Administrator, ...errors },
      },
      config: { scopes: [], tenant },
    },
    async ({ caller, query }) => {
      const { row, roles } = await getAdministrator(context, caller, caller.id)
      return project(toAdministrator(row, roles), readFields(query.fields, context.limits.list))
    },
  )

  app.get(
    '/users/:id',
    {
      schema: {
        tags,
        summary: 'Get an administrator',
        params,
        querystring: Type.Pick(ListQueryV1, ['fields']),
        response: { 200: Administrator, ...errors },
      },
      config: { scopes: READ, tenant },
    },
    async ({ caller, params, query }) => {
      const { row, roles } = await getAdministrator(context, caller, params.id)
      return project(toAdministrator(row, roles), readFields(query.fields, context.limits.list))
    },
  )

  app.put(
    '/users/:id',
    {
      schema: {
        tags,
        summary: 'Update an administrator; missing members keep their values',
        params,
        body: AdministratorPut,
        response: { 200: Administrator, ...errors },
      },
      config: { scopes: WRITE, tenant, operationId: { legacy: 'users_put' } },
    },
    async ({ caller, params, body }) => {
      const { row, roles } = await updateAdministrator(context, caller, params.id, body)
      return toAdministrator(row, roles)
    },
  )

  app.delete(
    '/users/:id',
    {
      schema: {
        tags,
        summary: 'Delete an administrator',
        params,
        response: { 200: Administrator, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, params }) => {
      const { row, roles } = await removeAdministrator(context, caller, params.id)
      return toAdministrator(row, roles)
    },
  )

  app.get(
    '/users/reactivate/:id',
    {
      schema: {
        tags,
        summary: 'Resend the link to set a password',
        params,
        response: { 200: Empty, ...errors },
      },
      config: { scopes: WRITE, tenant, operationId: { legacy: 'users_reactivate_get' } },
    },
    async ({ caller, params }) => {
      await reactivateAdministrator(context, caller, params.id)
      return {}
    },
  )

  app.post(
    '/users/resettotp/:id',
    {
      schema: {
        tags,
        summary: "Remove an administrator's second factor",
        params,
        response: { 200: Empty, ...errors },
      },
      config: { scopes: WRITE, tenant, operationId: { legacy: 'admin_totpreset_begin' } },
    },
    async ({ caller, params }) => {
      await resetTotp(context, caller, params.id)
      return {}
    },
  )

  app.post(
    '/users/:id/apikey',
    {
      schema: {
        tags,
        summary: "Replace the caller's own API key; the old one is revoked at once",
        params,
        body: Type.Union([ApiKeyRequest, Type.Null()]),
        response: { 200: ApiKey, ...errors },
      },
      config: { scopes: [], tenant },
    },
    ({ caller, params, body }) => resetApiKey(context, caller, params.id, body ?? {}),
  )

  app.delete(
    '/users/:id/apikey',
    {
      schema: {
        tags,
        summary: "Revoke an administrator's API key",
        params,
        response: { 200: Empty, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, params }) => {
      await revokeApiKey(context, caller, params.id)
      return {}
    },
  )
}
