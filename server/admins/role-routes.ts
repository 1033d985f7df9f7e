import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { ListQueryV2 } from '../platform/list/query.ts'
import type { AdminContext } from './context.ts'
import { allRoles, createRole, getRole, removeRole, replaceRole } from './role-actions.ts'
import { type Role as RoleData, SCOPE_GROUPS } from './roles.ts'
import {
  AuthConfigCreate,
  Empty,
  Role,
  RoleList,
  RoleWrite,
  ScopeGroups,
  ServiceAccountCreate,
  ServiceAccountList,
  WrappedAuthConfig,
  WrappedServiceAccount,
} from './schema.ts'
import {
  createServiceAccount,
  getServiceAccount,
  pageOfServiceAccounts,
  removeAuthConfig,
  removeServiceAccount,
  rotateServiceAccount,
} from './service-accounts.ts'

const errors = errorsOf('v2')
const READ = ['administrators', 'administrators.readonly']
const WRITE = ['administrators']
const tenant = 'header-or-provider'
const RoleParams = Type.Object({ role_id: Type.String() })
const AccountParams = Type.Object({ service_account_id: Type.String() })
const Paging = Type.Pick(ListQueryV2, ['limit', 'skip'])

const toRole = ({ id, name, description, scopes }: RoleData) => ({
  id,
  name,
  description,
  scopes: [...scopes],
})

/** Roles and service accounts, v2. With x-provider-id, those of the provider itself. */
export const roleRoutes: FastifyPluginAsyncTypebox<{ context: AdminContext }> = async (
  app,
  { context },
) => {
  const roleTags = ['roles']
  app.get(
    '/roles',
    {
      schema: {
        tags: roleTags,
        summary: 'List built-in and custom roles',
        querystring: Paging,
        response: { 200: RoleList, ...errors },
      },
      config: { scopes: READ, tenant },
    },
    async ({ caller, query }) => {
      const roles = await allRoles(context, caller)
      const { limit = 100, skip = 0 } = query
      return {
        results: roles.slice(skip, skip + (limit === 0 ? 100 : limit)).map(toRole),
        totalCount: roles.length,
      }
    },
  )
  app.post(
    '/roles',
    {
      schema: {
        tags: roleTags,
        summary: 'Create a custom role',
        body: RoleWrite,
        response: { 200: Role, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, body }) => toRole(await createRole(context, caller, body)),
  )
  app.get(
    '/roles/:role_id',
    {
      schema: {
        tags: roleTags,
        summary: 'Get a role',
        params: RoleParams,
        response: { 200: Role, ...errors },
      },
      config: { scopes: READ, tenant },
    },
    async ({ caller, params }) => toRole(await getRole(context, caller, params.role_id)),
  )
  app.put(
    '/roles/:role_id',
    {
      schema: {
        tags: roleTags,
        summary: 'Replace a custom role',
        params: RoleParams,
        body: RoleWrite,
        response: { 200: Role, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, params, body }) =>
      toRole(await replaceRole(context, caller, params.role_id, body)),
  )
  app.delete(
    '/roles/:role_id',
    {
      schema: {
        tags: roleTags,
        summary: 'Delete a custom role',
        params: RoleParams,
        response: { 200: Empty, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, params }) => {
      await removeRole(context, caller, params.role_id)
      return {}
    },
  )
  app.get(
    '/scope-groups',
    {
      schema: {
        tags: roleTags,
        summary: 'List all scopes by area',
        response: { 200: ScopeGroups, ...errors },
      },
      config: { scopes: READ, tenant },
    },
    async () => {
      const results = Object.entries(SCOPE_GROUPS).map(([name, scopes]) => ({
        name,
        scopes: [...scopes],
      }))
      return { results, totalCount: results.length }
    },
  )

  const tags = ['service accounts']
  app.get(
    '/service-accounts',
    {
      schema: {
        tags,
        summary: 'List service accounts',
        querystring: Paging,
        response: { 200: ServiceAccountList, ...errors },
      },
      config: { scopes: READ, tenant },
    },
    ({ caller, query }) => pageOfServiceAccounts(context, caller, { limit: 100, ...query }),
  )
  app.post(
    '/service-accounts',
    {
      schema: {
        tags,
        summary: 'Create a service account; only this response contains its secret',
        body: ServiceAccountCreate,
        response: { 200: WrappedServiceAccount, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, body }) => ({
      serviceAccount: await createServiceAccount(context, caller, body),
    }),
  )
  app.get(
    '/service-accounts/:service_account_id',
    {
      schema: {
        tags,
        summary: 'Get a service account',
        params: AccountParams,
        response: { 200: WrappedServiceAccount, ...errors },
      },
      config: { scopes: READ, tenant },
    },
    async ({ caller, params }) => ({
      serviceAccount: await getServiceAccount(context, caller, params.service_account_id),
    }),
  )
  app.delete(
    '/service-accounts/:service_account_id',
    {
      schema: {
        tags,
        summary: 'Delete a service account; its keys and tokens are revoked at once',
        params: AccountParams,
        response: { 200: Empty, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, params }) => {
      await removeServiceAccount(context, caller, params.service_account_id)
      return {}
    },
  )
  app.post(
    '/service-accounts/:service_account_id/auth-config',
    {
      schema: {
        tags,
        summary: 'Add a key or client secret',
        params: AccountParams,
        body: AuthConfigCreate,
        response: { 200: WrappedAuthConfig, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, params, body }) => ({
      authConfig: await rotateServiceAccount(context, caller, params.service_account_id, body),
    }),
  )
  app.delete(
    '/service-accounts/:service_account_id/auth-config/:auth_config_id',
    {
      schema: {
        tags,
        summary: 'Delete a key or client secret',
        params: Type.Object({ service_account_id: Type.String(), auth_config_id: Type.String() }),
        response: { 200: Empty, ...errors },
      },
      config: { scopes: WRITE, tenant },
    },
    async ({ caller, params }) => {
      await removeAuthConfig(context, caller, params.service_account_id, params.auth_config_id)
      return {}
    },
  )
}
