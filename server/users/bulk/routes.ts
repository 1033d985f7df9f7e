import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { Type } from 'typebox'
import { errorsOf } from '../../platform/http/errors.ts'
import { describeViolations } from '../../platform/http/violations.ts'
import { ListQueryV2 } from '../../platform/list/query.ts'
import type { UserContext } from '../context.ts'
import { UserCreate } from '../schema.ts'
import { normalizeUser } from '../sent-forms.ts'
import {
  bulkResults,
  countMails,
  readCreationSource,
  releaseMails,
  startBulk,
  toBulkResult,
} from './actions.ts'
import {
  BulkCreateJob,
  BulkJob,
  BulkResult,
  BulkUserAccounts,
  BulkUsersCreate,
  BulkUsersUpdate,
  ReleasedEmails,
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

const CreateQuery = Type.Object({
  ...MailQuery.properties,
  holdEmails: Type.Optional(
    Type.Boolean({
      description:
        'true: hold the mails to the new users until POST /bulk/users/{job_id}/emails/release',
    }),
  ),
})

/** The violation is inside a row, not of the list. */
const isRowError = ({
  validation,
  validationContext,
}: NonNullable<FastifyRequest['validationError']>): boolean =>
  validationContext === 'body' &&
  validation.every(({ instancePath }: FastifySchemaValidationError) => instancePath !== '')

/** Why a row is not valid, in the form of other messages about it; null when it is. */
const refusalOf = (request: FastifyRequest) => {
  const validate = request.compileValidationSchema(UserCreate, 'body')
  return (row: unknown): string | null =>
    validate(row)
      ? null
      : describeViolations(validate.errors as FastifySchemaValidationError[])
          .fields.map(({ field, description }) => [field, description].filter(Boolean).join(': '))
          .join(', ')
}

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
        summary: 'Create users; a row that is not valid is reported as the result of that row',
        headers: Type.Object({
          'creation-source': Type.Optional(
            Type.String({ description: 'Where the users come from, such as gatehouse:bulk' }),
          ),
        }),
        querystring: CreateQuery,
        body: BulkUsersCreate,
        response: { 201: BulkCreateJob, ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'bulk_usersCreate' } },
      preValidation: async ({ body }) => {
        if (Array.isArray(body)) for (const row of body) normalizeUser(row)
      },
      attachValidation: true,
    },
    async (request, reply) => {
      const { caller, body, query, headers, validationError } = request
      if (validationError && !isRowError(validationError)) throw validationError
      const source = readCreationSource(headers['creation-source'])
      const refusals = validationError && body.map(refusalOf(request))
      const valid = refusals ? body.filter((_, at) => refusals[at] === null) : body
      const jobId = await startBulk(context, caller, 'create', body, {
        ...query,
        source,
        ...(refusals && { refusals }),
      })
      const { organizationId } = caller
      const activationEmails = await countMails(context, organizationId, valid, source)
      return reply.code(201).send({ jobId, activationEmails })
    },
  )

  app.post(
    '/bulk/users/:job_id/emails/release',
    {
      schema: {
        tags,
        summary: 'Send the mails that a job holds',
        params: Type.Object({ job_id: Type.String() }),
        response: { 200: ReleasedEmails, ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }) => ({
      released: await releaseMails(context, caller, params.job_id),
    }),
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
