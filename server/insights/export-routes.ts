import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { codeOf, throttled } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import type { EventPage } from './event-page.ts'
import type { EventQuery } from './event-query.ts'
import {
  boundedBy,
  exportPages,
  exportText,
  fileName,
  readExport,
  TYPES,
  writerOf,
} from './export.ts'
import { preferred } from './export-negotiation.ts'
import { readPage } from './query-store.ts'
import { EventsRequest } from './schema.ts'
import { readWatermark } from './stream-store.ts'

const MOST_AT_ONCE = 8
/** Whoever takes nothing for this long gives the place to others. */
const STALLED_MS = 120_000

const ExportRequest = Type.Object(
  {
    ...EventsRequest.properties,
    limit: Type.Optional(
      Type.Unknown({ description: 'The most rows in all; everything when absent' }),
    ),
    format: Type.Optional(Type.Unknown({ description: 'csv (default) or ndjson' })),
  },
  { title: 'ExportRequest', additionalProperties: true },
)

const COMPRESSORS: Record<'br' | 'gzip', () => Transform> = {
  // As for queries: higher levels take many times as long for little.
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
}
/** Identity last: among equals, what is smaller. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const

/**
 * An export that broke off must not look like a short one. Without chunks (HTTP/1.0, as some proxies speak it)
 * an orderly end of the connection would; a reset does not.
 */
function breakOff(raw: ServerResponse): void {
  const { socket } = raw
  if (socket instanceof Socket && socket.remoteFamily !== undefined) socket.resetAndDestroy()
  raw.destroy()
}

/** A page that is read already, and those after it. */
async function* startingWith<T>(
  first: IteratorResult<T>,
  rest: AsyncIterable<T>,
): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** Breaks off before the pipeline hears of the failure: it would close the connection in order. */
async function* guarded(text: AsyncIterable<string>, raw: ServerResponse): AsyncGenerator<string> {
  try {
    yield* text
  } catch (error) {
    breakOff(raw)
    throw error
  }
}

/** All events of a query, however many, as one file. */
export const exportRoutes: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  let working = 0

  app.post(
    '/events/export',
    {
      schema: {
        tags: ['events'],
        summary: 'Export all events of a query as CSV or NDJSON',
        description:
          'Streams every matching event up to the moment of the request; an export that cannot be finished breaks the connection off. Without `format`, the Accept header chooses between text/csv and application/x-ndjson. CSV has a head row, and as columns `fields` in the order given, or a set that depends on the services only and ends with the whole event as JSON in `document`. Lists are joined by "; ". A cell whose text begins like a formula gets a leading apostrophe. NDJSON has one event per line, without `fields` as it is stored.',
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
      const asked = readExport(request.body, request.headers.accept, Date.now())
      if (working >= MOST_AT_ONCE) {
        throw throttled('too_many_exports', 'Too many exports are running; try again shortly', {
          retryAfter: 5,
        })
      }
      working++
      try {
        const query = boundedBy(asked.query, await readWatermark(db))
        const read = async (page: EventQuery): Promise<EventPage> => {
          const found = await readPage(db.tenant(tenantIds), tenantIds, page)
          request.log.debug({ rows: found.rows }, 'read a page of an export')
          return found
        }
        const pages = exportPages(read, query, asked.most)
        // Before the answer begins: what fails here still has a status.
        const first = await pages.next()
        const text = exportText(writerOf(asked), startingWith(first, pages))

        const { raw } = reply
        const encoding = preferred(request.headers['accept-encoding']?.toString(), ENCODINGS)
        const compressor =
          encoding === undefined || encoding === 'identity' ? [] : [COMPRESSORS[encoding]()]
        reply.hijack()
        const headers: OutgoingHttpHeaders = {
          ...(reply.getHeaders() as OutgoingHttpHeaders),
          'content-type': `${TYPES[asked.format]}; charset=utf-8`,
          'content-disposition': `attachment; filename="${fileName(query, asked.format)}"`,
          vary: 'accept, accept-encoding',
          ...(compressor.length > 0 && { 'content-encoding': encoding }),
        }
        raw.writeHead(200, headers)
        // Without a listener for it, the server destroys a connection on which nothing moves.
        if (raw.socket instanceof Socket) raw.socket.setTimeout(STALLED_MS)
        const source = Readable.from(guarded(text, raw), { objectMode: false })
        try {
          await pipeline([source, ...compressor, raw])
        } catch (error) {
          const left = codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE'
          request.log[left ? 'info' : 'warn']({ err: error }, 'an export broke off')
        }
      } finally {
        working--
      }
    },
  )
}
