import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import type { ImportContext } from './context.ts'
import { cancelJob, confirmJob, retryJob, undoJob } from './job-actions.ts'
import { getJob, listJobs, listResults } from './jobs-view.ts'
import { READ_USERS, USERS } from './rights.ts'
import { ImportJob, ImportJobCreate, ImportJobId, ImportResult } from './schema.ts'
import { startJob } from './start.ts'

const errors = errorsOf('v2')
const tags = ['imports']
const READ = ['applications', 'applications.readonly']
const WRITE = ['applications']
const JOBS = '/applications/:application_id/import/jobs'
const JOB = `${JOBS}/:job_id`
const params = Type.Object({ application_id: Type.String() })
const jobParams = Type.Object({ application_id: Type.String(), job_id: Type.String() })
const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
}
const DEFAULT_LIMIT = 100

const ids = (id: string) => ({ _id: id, jobId: id })

/** Import jobs: plan, apply, follow, undo. */
export const importJobRoutes: FastifyPluginAsyncTypebox<{ context: ImportContext }> = async (
  app,
  { context },
) => {
  app.post(
    JOBS,
    {
      schema: {
        tags,
        summary: 'Import people from the source of the application',
        description:
          'Answers at once; the job runs in the background. It makes a plan first, and waits for confirmation when the plan exceeds a limit of the source. All its events carry `correlation.id`.',
        params,
        body: ImportJobCreate,
        response: { 200: ImportJobId, ...errors },
      },
      config: { scopes: WRITE, besides: [USERS], operationId: { legacy: 'import_create' } },
    },
    async ({ caller, params, body }) =>
      ids(await startJob(context, caller, params.application_id, body)),
  )

  app.get(
    JOBS,
    {
      schema: {
        tags,
        summary: 'List import jobs, the newest first',
        params,
        querystring: Type.Object(paging),
        response: { 200: Type.Array(ImportJob), ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller, params, query: { limit = DEFAULT_LIMIT, skip = 0 } }, reply) => {
      const { totalCount, results } = await listJobs(context, caller, params.application_id, {
        limit,
        skip,
      })
      reply.header('x-total-count', String(totalCount))
      return results
    },
  )

  app.get(
    JOB,
    {
      schema: {
        tags,
        summary: 'Get an import job with its progress',
        params: jobParams,
        response: { 200: ImportJob, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getJob(context, caller, params.application_id, params.job_id),
  )

  app.get(
    `${JOB}/results`,
    {
      schema: {
        tags,
        summary: 'List the rows of a job: the plan, and what was done',
        params: jobParams,
        querystring: Type.Object({
          ...paging,
          status: Type.Optional(Type.Enum(['Pending', 'Finished'])),
          success: Type.Optional(Type.Boolean()),
        }),
        response: { 200: Type.Array(ImportResult), ...errors },
      },
      config: { scopes: READ, besides: [READ_USERS] },
    },
    async ({ caller, params, query }, reply) => {
      const { limit = DEFAULT_LIMIT, skip = 0, ...filter } = query
      const { totalCount, results } = await listResults(
        context,
        caller,
        params.application_id,
        params.job_id,
        filter,
        { limit, skip },
      )
      reply.header('x-total-count', String(totalCount))
      return results
    },
  )

  const steps = [
    // Whoever may not change users may still stop it.
    ['cancel', 'Stop a job; what is done stays done', cancelJob, []],
    ['confirm', 'Let a waiting job go on', confirmJob, [USERS]],
    ['retry', 'Try the failed rows again, or a job that failed as a whole', retryJob, [USERS]],
  ] as const
  for (const [name, summary, work, besides] of steps)
    app.post(
      `${JOB}/${name}`,
      {
        schema: { tags, summary, params: jobParams, response: { 200: ImportJob, ...errors } },
        config: { scopes: WRITE, besides },
      },
      async ({ caller, params: { application_id, job_id } }) => {
        await work(context, caller, application_id, job_id)
        return getJob(context, caller, application_id, job_id)
      },
    )

  app.post(
    `${JOB}/undo`,
    {
      schema: {
        tags,
        summary: 'Take back what a job has done',
        description:
          'Another job: it deletes the users that the first created and restores the fields it changed, except where somebody has made a later change; such rows fail with the reason.',
        params: jobParams,
        response: { 200: ImportJobId, ...errors },
      },
      config: { scopes: WRITE, besides: [USERS] },
    },
    async ({ caller, params }) =>
      ids(await undoJob(context, caller, params.application_id, params.job_id)),
  )
}
