import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { checkScope } from '../platform/rights.ts'
import {
  activate,
  confirmRemovals,
  deactivate,
  deleteProvisioning,
  getDefaults,
  getProvisioning,
  putProvisioning,
  requestReconcile,
  retryUser,
  sessionFor,
} from './actions.ts'
import type { ProvisioningContext } from './context.ts'
import { makePlan } from './plan.ts'
import {
  ACCOUNT_STATES,
  PreviewRequest,
  ProvisionedUserDetail,
  ProvisionedUserList,
  Provisioning,
  ProvisioningDefaults,
  ProvisioningPlan,
  ProvisioningPreview,
  ProvisioningPut,
  ProvisioningStatus,
  ProvisioningTest,
  ReconcileMode,
  UserProvisioning,
} from './schema.ts'
import { getStatus, getUser, listUsers, userEverywhere } from './status.ts'
import { previewUser, testConnection } from './try.ts'

const errors = errorsOf('v2')
const tags = ['provisioning']
const READ = ['applications', 'applications.readonly']
const WRITE = ['applications']
/** For attributes of users. */
const USERS = ['users', 'users.readonly']
const BASE = '/applications/:application_id/provisioning'
const params = Type.Object({ application_id: Type.String() })
const userParams = Type.Object({ application_id: Type.String(), user_id: Type.String() })
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 }))
const skip = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 }))
const Accepted = Type.Object({}, { title: 'ProvisioningAccepted' })
const DEFAULT_LIMIT = 100

const HOW =
  `Users who are bound to the application, directly or through a group, and ACTIVATED, get an account at its SCIM
endpoint. It follows their attributes, and ends when they are unbound, suspended or deleted. STAGED users are skipped until
they are activated. Changes are written within a second, in the background.`.replaceAll('\n', ' ')

/** Outbound provisioning of an application by SCIM. */
export const provisioningRoutes: FastifyPluginAsyncTypebox<{
  context: ProvisioningContext
}> = async (app, { context }) => {
  app.get(
    BASE,
    {
      schema: {
        tags,
        summary: 'Get the SCIM connection of an application',
        params,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getProvisioning(context, caller, params.application_id),
  )

  app.put(
    BASE,
    {
      schema: {
        tags,
        summary: 'Create the SCIM connection of an application, or replace its settings',
        description: HOW,
        params,
        body: ProvisioningPut,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params, body }) => putProvisioning(context, caller, params.application_id, body),
  )

  app.delete(
    BASE,
    {
      schema: {
        tags,
        summary: 'Delete the SCIM connection; accounts at the provider stay as they are',
        params,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }, reply) => {
      await deleteProvisioning(context, caller, params.application_id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    `${BASE}/defaults`,
    {
      schema: {
        tags,
        summary: 'What the template of the application knows about its provider',
        params,
        response: { 200: ProvisioningDefaults, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getDefaults(context, caller, params.application_id),
  )

  app.post(
    `${BASE}/test`,
    {
      schema: {
        tags,
        summary: 'Try the connection',
        params,
        querystring: Type.Object({
          write: Type.Optional(
            Type.Boolean({
              description:
                'Also create, change and delete a test user, and a group if groups are pushed',
            }),
          ),
        }),
        response: { 200: ProvisioningTest, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params, query: { write = false } }) =>
      testConnection(context, caller, params.application_id, write),
  )

  app.post(
    `${BASE}/activate`,
    {
      schema: {
        tags,
        summary: 'Start to write accounts',
        params,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => activate(context, caller, params.application_id),
  )

  app.post(
    `${BASE}/deactivate`,
    {
      schema: {
        tags,
        summary: 'Stop writing accounts; they stay as they are',
        params,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => deactivate(context, caller, params.application_id),
  )

  app.get(
    `${BASE}/status`,
    {
      schema: {
        tags,
        summary: 'Counts, failures, the deprovision clock, and the last reconciliation',
        params,
        response: { 200: ProvisioningStatus, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getStatus(context, caller, params.application_id),
  )

  app.get(
    `${BASE}/users`,
    {
      schema: {
        tags,
        summary: 'List the accounts at the provider; failures first',
        params,
        querystring: Type.Object({
          limit,
          skip,
          state: Type.Optional(Type.Enum([...ACCOUNT_STATES])),
          parked: Type.Optional(Type.Boolean()),
          waiting: Type.Optional(Type.Boolean()),
          search: Type.Optional(Type.String({ maxLength: 256 })),
        }),
        response: { 200: ProvisionedUserList, ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params, query }, reply) => {
      const { limit = DEFAULT_LIMIT, skip = 0, ...filter } = query
      const found = await listUsers(context, caller, params.application_id, filter, limit, skip)
      return reply.header('x-total-count', found.total).send(found.results)
    },
  )

  app.get(
    `${BASE}/users/:user_id`,
    {
      schema: {
        tags,
        summary: 'The account of a user',
        description: 'The attributes as last written are shown to callers who may read users.',
        params: userParams,
        response: { 200: ProvisionedUserDetail, ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params }) => {
      const account = await getUser(context, caller, params.application_id, params.user_id)
      const mayRead = USERS.some((scope) => caller.scopes.has(scope))
      return { ...account, written: mayRead ? account.written : null }
    },
  )

  app.post(
    `${BASE}/users/:user_id/retry`,
    {
      schema: {
        tags,
        summary: 'Try the account of a user again now',
        params: userParams,
        response: { 202: Accepted, ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }, reply) => {
      await retryUser(context, caller, params.application_id, params.user_id)
      return reply.code(202).send({})
    },
  )

  app.get(
    `${BASE}/plan`,
    {
      schema: {
        tags,
        summary: 'Who would be created, updated, deactivated and deleted, before anything is sent',
        params,
        querystring: Type.Object({ limit, skip }),
        response: { 200: ProvisioningPlan, ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params, query: { limit = DEFAULT_LIMIT, skip = 0 } }) =>
      makePlan(context, await sessionFor(context, caller, params.application_id), { limit, skip }),
  )

  app.post(
    `${BASE}/plan/confirm`,
    {
      schema: {
        tags,
        summary: 'Let removals go ahead that exceed removalLimit',
        params,
        response: {
          200: Type.Object({ confirmed: Type.Integer() }, { title: 'ConfirmedRemovals' }),
          ...errors,
        },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => confirmRemovals(context, caller, params.application_id),
  )

  app.post(
    `${BASE}/reconcile`,
    {
      schema: {
        tags,
        summary: 'Compare with the provider now; the report appears in the status',
        params,
        body: Type.Union([
          Type.Object(
            { mode: Type.Optional(ReconcileMode) },
            { title: 'ProvisioningReconcile', additionalProperties: false },
          ),
          Type.Null(),
        ]),
        response: { 202: Accepted, ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params, body }, reply) => {
      await requestReconcile(context, caller, params.application_id, body?.mode ?? 'report')
      return reply.code(202).send({})
    },
  )

  app.post(
    `${BASE}/preview`,
    {
      schema: {
        tags,
        summary: 'What the mapping makes of a user: sources, results, and what is missing',
        params,
        body: PreviewRequest,
        response: { 200: ProvisioningPreview, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params, body }) => {
      checkScope(caller, USERS, 'reading attributes of users')
      return previewUser(context, caller, params.application_id, body.userId, body.mapping)
    },
  )

  app.get(
    '/users/:user_id/provisioning',
    {
      schema: {
        tags,
        summary: 'The accounts of a user in all applications',
        params: Type.Object({ user_id: Type.String() }),
        response: { 200: UserProvisioning, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => userEverywhere(context, caller, params.user_id),
  )
}
