import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../../platform/http/errors.ts'
import { ListQueryV2 } from '../../platform/list/query.ts'
import type { UserContext } from '../context.ts'
import { bulkResults, readCreationSource, startBulk, toBulkResult } from './actions.ts'
import {
  BulkJob,
  BulkResult,
  BulkUserAccounts,
  BulkUsersCreate,
  BulkUsersUpdate,
} from './schema.ts'

const errors = errorsOf('v2')
const tags = ['bulk']
const READ = ['users', 'users.readonly']
const WRITE = ['users']
const started = { 201: BulkJob, ...errors }
const MailQuery = Type.Object({
  suppressEmail: Type.Optional(
    Type.Boolean({ description: 'true: do not mail the administrator when the job is done' }),
  ),
})

/** Bulk operations on users, run by a job with one result per user. */
export const bulkUserRoutes: FastifyPluginAsyncTypebox<{ context: UserContext }> = async (
  app,
  { context },
) => {
  app.post(
    '/bulk/users',
    {
      schema: {
        tags,
        summary: 'Create users',
        headers: Type.Object({
          'creation-source': Type.Optional(
            Type.String({ description: 'Where the users come from, such as gatehouse:bulk' }),
          ),
        }),
        querystring: MailQuery,
        body: BulkUsersCreate,
        response: started,
      },
      config: { scopes: WRITE, operationId: { legacy: 'bulk_usersCreate' } },
    },
    async ({ caller, body, query, headers }, reply) => {
      const source = readCreationSource(headers['creation-source'])
      const jobId = await startBulk(context, caller, 'create', body, { ...query, source })
      return reply.code(201).send({ jobId })
    },
  )

  app.patch(
    '/bulk/users',
    {
      schema: {
        tags,
        summary: 'Update users; omitted members keep their values',
        querystring: MailQuery,
        body: BulkUsersUpdate,
        response: started,
      },
      config: { scopes: WRITE, operationId: { legacy: 'bulk_usersUpdate' } },
    },
    async ({ caller, body, query }, reply) =>
      reply.code(201).send({ jobId: await startBulk(context, caller, 'update', body, query) }),
  )

  const accounts = [
    ['expires', 'expire', 'Expire passwords', 'bulk_userExpires'],
    ['unlocks', 'unlock', 'Unlock users', 'bulk_userUnlocks'],
  ] as const
  for (const [path, kind, summary, legacy] of accounts) {
    app.post(
      `/bulk/user/${path}`,
      {
        schema: { tags, summary, body: BulkUserAccounts, response: started },
        config: { scopes: WRITE, operationId: { legacy } },
      },
      async ({ caller, body }, reply) =>
        reply.code(201).send({ jobId: await startBulk(context, caller, kind, body) }),
    )
  }

  app.get(
    '/bulk/users/:job_id/results',
    {
      schema: {
        tags,
        summary: 'List the results of a job, one per user',
        params: Type.Object({ job_id: Type.String() }),
        querystring: Type.Pick(ListQueryV2, ['limit', 'skip']),
        response: { 200: Type.Array(BulkResult), ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'bulk_usersCreateResults' } },
    },
    async ({ caller: { organizationId }, params, query }, reply) => {
      const { totalCount, results } = await bulkResults(
        context,
        organizationId,
        params.job_id,
        query,
      )
      reply.header('x-total-count', String(totalCount))
      return results.map(toBulkResult)
    },
  )
}
