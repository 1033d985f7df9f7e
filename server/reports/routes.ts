import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { codeOf, throttled } from '../platform/errors.ts'
import type { Authenticate } from '../platform/http/authorize.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { answerWithFile, checkAdmitted } from '../platform/http/file-answer.ts'
import { Quota, type Shares } from '../platform/quota.ts'
import { listReports, openArtifact, requestReport } from './actions.ts'
import type { ReportContext } from './context.ts'
import { Report } from './schema.ts'
import { REPORT_TYPES } from './types.ts'

const errors = errorsOf('insights')
const tags = ['reports']
const READ = ['insights', 'insights.readonly']
const DOWNLOADS = {
  what: 'downloads',
  setting: 'GATEHOUSE_DOWNLOADS',
  refuse: (message: string) => throttled('too_many_downloads', message, { retryAfter: 5 }),
}

/** Reports about an organization, generated in the background. */
export const reportRoutes: FastifyPluginAsyncTypebox<{
  context: ReportContext
  /** Must not extend a session: a slow reader could keep a download open forever. */
  authenticate: Authenticate
  /** Limits on concurrent downloads. */
  shares: Shares
}> = async (app, { context, authenticate, shares }) => {
  const quota = new Quota(DOWNLOADS, shares)
  app.get(
    '/reports',
    {
      schema: {
        tags,
        summary: 'List reports',
        querystring: Type.Object({
          sort: Type.Optional(
            Type.String({
              description:
                'CREATED_AT (default), EXPIRATION, REQUESTER_EMAIL, STATUS, TYPE or UPDATED_AT; descending, or ascending with a leading -',
            }),
          ),
          limit: Type.Integer({ minimum: 1, maximum: 1000, default: 1000 }),
          skip: Type.Integer({ minimum: 0, default: 0 }),
        }),
        response: { 200: Type.Array(Report), ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'directoryInsights_reportsListGet' } },
    },
    ({ caller, query }) => listReports(context.db, caller, query),
  )

  app.post(
    '/reports/:report_type',
    {
      schema: {
        tags,
        summary: 'Request a report',
        description: `Generated in the background; GET /reports shows when it is completed. Types: ${REPORT_TYPES.join(', ')}. Reports about users have a row per binding, and one row for each user without bindings. Requires the scope insights and the scopes to read the records shown. Files are kept for 30 days.`,
        params: Type.Object({ report_type: Type.String() }),
        response: { 202: Report, ...errors },
      },
      config: { scopes: ['insights'], operationId: { legacy: 'directoryInsights_reportsCreate' } },
    },
    async ({ caller, params }, reply) => {
      reply.code(202)
      return requestReport(context, caller, params.report_type, Date.now())
    },
  )

  app.get(
    '/reports/:report_id/artifacts/:artifact_id/content',
    {
      // HEAD would record a download event.
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Download a file of a report',
        description: 'The download is aborted when the key or session ends.',
        params: Type.Object({ report_id: Type.String(), artifact_id: Type.String() }),
        response: {
          200: {
            description:
              'The file, in the format of the artifact. In CSV, a cell that starts like a formula gets a leading apostrophe.',
            content: {
              'application/json': {
                schema: Type.Array(Type.Object({}, { additionalProperties: true })),
              },
              'text/csv': { schema: Type.String() },
            },
          },
          ...errors,
        },
      },
      config: {
        scopes: READ,
        operationId: { legacy: 'directoryInsights_reportsArtifactContentGet' },
      },
    },
    async (request, reply) => {
      const { report_id, artifact_id } = request.params
      const giveBack = quota.take(request.caller)
      try {
        const file = await openArtifact(context.db, request.caller, report_id, artifact_id, () =>
          checkAdmitted(request, authenticate),
        )
        try {
          await answerWithFile(reply as unknown as FastifyReply, file)
        } catch (error) {
          const left = codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE'
          request.log[left ? 'info' : 'warn']({ err: error }, 'download aborted')
        }
      } finally {
        giveBack()
      }
    },
  )
}
