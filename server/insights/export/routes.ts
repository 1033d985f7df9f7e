import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/index.ts'
import { codeOf, throttled } from '../../platform/errors.ts'
import type { Authenticate } from '../../platform/http/authorize.ts'
import { errorsOf } from '../../platform/http/errors.ts'
import { answerWithFile, checkAdmitted } from '../../platform/http/file-answer.ts'
import type { Limits } from '../../platform/limits.ts'
import { Quota, type Shares } from '../../platform/quota.ts'
import { Deadline } from '../query/deadline.ts'
import { EventPage } from '../query/event-page.ts'
import type { EventQuery } from '../query/event-query.ts'
import { readPage } from '../query/page.ts'
import { EventsRequest } from '../schema.ts'
import { readWatermark } from '../stream/store.ts'
import {
  boundedBy,
  exportPages,
  exportText,
  fileName,
  readExport,
  TYPES,
  writerOf,
} from './export.ts'

const EXPORTS = {
  what: 'exports',
  setting: 'GATEHOUSE_EXPORTS',
  refuse: (message: string) => throttled('too_many_exports', message, { retryAfter: 5 }),
}

const ExportRequest = Type.Object(
  {
    ...EventsRequest.properties,
    limit: Type.Optional(Type.Unknown({ description: 'Maximum number of rows; all when absent' })),
    format: Type.Optional(Type.Unknown({ description: 'csv (default) or ndjson' })),
  },
  { title: 'ExportRequest', additionalProperties: true },
)

/** Yields a page that was already read, then the following ones. */
async function* startingWith<T>(
  first: IteratorResult<T>,
  rest: AsyncIterable<T>,
): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** Exports all events of a query as one file. */
export const exportRoutes: FastifyPluginAsyncTypebox<{
  db: Db
  limits: Limits
  /** Must not extend a session: an export lasts as long as its client reads. */
  authenticate: Authenticate
  shares: Shares
  /** Per page. */
  searchSeconds: number
  stalledMs?: number
}> = async (app, { db, limits, authenticate, shares, searchSeconds, stalledMs }) => {
  const quota = new Quota(EXPORTS, shares)

  app.post(
    '/events/export',
    {
      schema: {
        tags: ['events'],
        summary: 'Export all events of a query as CSV or NDJSON',
        description:
          'Streams every matching event up to the time of the request. If the export cannot be completed, or its key or session ends meanwhile, the connection is reset. Without `format`, the Accept header chooses between text/csv and application/x-ndjson. CSV has a header row. Its columns are `fields` in the given order or, by default, a set that depends only on the services and ends with the whole event as JSON in `document`. Lists are joined by "; ". A cell that would be read as a formula gets a leading apostrophe. NDJSON has one event per line; without `fields`, exactly as stored.',
        body: ExportRequest,
        response: {
          200: Type.Null({ description: 'The file, text/csv or application/x-ndjson' }),
          ...errorsOf('insights'),
        },
      },
      config: { scopes: ['insights', 'insights.readonly'], tenant: 'several' },
    },
    async (request, reply) => {
      const { tenantIds } = request.caller
      const { body, headers } = request
      const asked = readExport(body, headers.accept, Date.now(), limits.events)
      const giveBack = quota.take(request.caller)
      try {
        const query = boundedBy(asked.query, await readWatermark(db))
        const read = async (page: EventQuery): Promise<EventPage> => {
          await checkAdmitted(request, authenticate)
          // The time limit of a search applies per page: the whole file takes as long as its client.
          const deadline = new Deadline(searchSeconds)
          const tenant = deadline.over(db.tenant(tenantIds))
          const found = await readPage(tenant, tenantIds, page, new EventPage(), deadline.pace())
          request.log.debug({ rows: found.rows }, 'read a page of an export')
          return found
        }
        const pages = exportPages(read, query, asked.maxRows)
        // Before the response starts, so that an error still gets a status.
        const first = await pages.next()
        const text = exportText(writerOf(asked), startingWith(first, pages))

        try {
          await answerWithFile(reply as FastifyReply, {
            type: TYPES[asked.format],
            name: fileName(query, asked.format),
            text,
            vary: 'accept',
            ...(stalledMs !== undefined && { stalledMs }),
          })
        } catch (error) {
          const left = codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE'
          request.log[left ? 'info' : 'warn']({ err: error }, 'an export was aborted')
        }
      } finally {
        giveBack()
      }
    },
  )
}
