import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Caller } from '../platform/caller.ts'
import { AppError } from '../platform/errors.ts'
import { ErrorV1, errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV1, readListV1, readSearch, SearchBody } from '../platform/list/query.ts'
import { readFields } from '../platform/list/values.ts'
import { removeUser, restoreUser, updateUser } from './actions.ts'
import type { UserContext } from './context.ts'
import { createUser } from './create.ts'
import { describeRow, describeUser, describeUsers, withGroups } from './describe.ts'
import {
  PasswordRejection,
  User,
  UserCreate,
  UserList,
  UserParams,
  UserPut,
  WriteQuery,
} from './schema.ts'
import { normalizeUser } from './sent-forms.ts'
import { listUsers, type UserRow, userResource } from './store.ts'

const errors = errorsOf('v1')
const writeErrors = { 400: Type.Union([PasswordRejection, ErrorV1]), ...errors }
const tags = ['users']
const READ = ['users', 'users.readonly']
const LIST = [...READ, 'commandrunner.legacy']
const WRITE = ['users']

/** Formats a rejected password as `fullValidationDetails=password` requests; other errors go to the handler. */
async function orRejection<T>(
  reply: FastifyReply,
  details: string | undefined,
  work: () => Promise<T>,
) {
  try {
    return await work()
  } catch (error) {
    const rejected = error instanceof AppError && error.reason === 'password_rejected'
    if (!rejected || details !== 'password') throw error
    return reply.code(400).send({
      code: 400,
      message: 'Password validation fail',
      status: 'INVALID_ARGUMENT',
      details: error.details as never,
      reason: error.reason,
    })
  }
}

/** Users of an organization, v1 `systemusers`. */
export const userRoutes: FastifyPluginAsyncTypebox<{ context: UserContext }> = async (
  app,
  { context },
) => {
  const described = ({ organizationId }: Caller, row: UserRow) =>
    describeRow(context, organizationId, row)

  const preValidation = async ({ body }: { body: unknown }) => normalizeUser(body)

  app.get(
    '/systemusers',
    {
      schema: {
        tags,
        summary: 'List users',
        querystring: ListQueryV1,
        response: { 200: UserList, ...errors },
      },
      config: { scopes: LIST, operationId: { legacy: 'systemusers_list' } },
    },
    async ({ caller: { organizationId }, query }) => {
      const list = readListV1(userResource, query, context.limits.list)
      const tenant = context.db.tenant(organizationId)
      const { totalCount, results } = await listUsers(tenant, organizationId, list)
      const users = await describeUsers(context, organizationId, results)
      return { totalCount, results: users.map((user) => project(user, list.fields)) }
    },
  )

  app.post(
    '/search/systemusers',
    {
      schema: {
        tags,
        summary: 'Search users',
        querystring: Type.Pick(ListQueryV1, ['limit', 'skip', 'fields', 'sort', 'filter']),
        body: Type.Union([SearchBody, Type.Null()]),
        response: { 200: UserList, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'search_systemusers_post' } },
    },
    async ({ caller: { organizationId }, query, body }) => {
      const list = readSearch(userResource, query, body ?? {}, context.limits.list)
      const tenant = context.db.tenant(organizationId)
      const { totalCount, results } = await listUsers(tenant, organizationId, list)
      const users = await describeUsers(context, organizationId, results)
      const found = await withGroups(context, organizationId, users)
      return { totalCount, results: found.map((user) => project(user, list.fields)) }
    },
  )

  app.post(
    '/systemusers',
    {
      schema: {
        tags,
        summary: 'Create a user; an ACTIVATED user without a password gets a mail to choose one',
        querystring: WriteQuery,
        body: UserCreate,
        response: { 200: User, ...writeErrors },
      },
      preValidation,
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_post' } },
    },
    ({ caller, body, query }, reply) =>
      orRejection(reply, query.fullValidationDetails, async () =>
        described(caller, await createUser(context, caller, body)),
      ),
  )

  app.get(
    '/systemusers/:id',
    {
      schema: {
        tags,
        summary: 'Get a user',
        params: UserParams,
        querystring: Type.Pick(ListQueryV1, ['fields', 'filter']),
        response: { 200: User, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'systemusers_get' } },
    },
    async ({ caller, params, query }) =>
      project(
        await describeUser(context, caller.organizationId, params.id),
        readFields(query.fields, context.limits.list),
      ),
  )

  app.put(
    '/systemusers/:id',
    {
      schema: {
        tags,
        summary: 'Update a user; omitted members keep their values',
        params: UserParams,
        querystring: WriteQuery,
        body: UserPut,
        response: { 200: User, ...writeErrors },
      },
      preValidation,
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_put' } },
    },
    ({ caller, params, body, query }, reply) =>
      orRejection(reply, query.fullValidationDetails, async () =>
        described(caller, await updateUser(context, caller, params.id, body)),
      ),
  )

  app.delete(
    '/systemusers/:id',
    {
      schema: {
        tags,
        summary: 'Delete a user; it can be restored for 30 days',
        params: UserParams,
        querystring: Type.Object({
          cascade_manager: Type.Optional(
            Type.String({
              description: 'The new manager of the direct reports: the id of a user, or null',
            }),
          ),
        }),
        response: { 200: User, ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_delete' } },
    },
    async ({ caller, params, query }) =>
      described(caller, await removeUser(context, caller, params.id, query.cascade_manager)),
  )

  app.post(
    '/systemusers/:id/restore',
    {
      schema: {
        tags,
        summary: 'Restore a deleted user with its associations and memberships',
        params: UserParams,
        response: { 200: User, ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }) => described(caller, await restoreUser(context, caller, params.id)),
  )
}
