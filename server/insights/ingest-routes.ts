import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { codeOf, invalid, throttled } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { ingest } from './ingest.ts'
import { readLines } from './lines.ts'
import { retentionDays } from './retention.ts'

/** Bodies at work at once; more would only queue for the same disk. */
const MOST_AT_ONCE = 4
/** Unpacked at a time: larger than the default, which holds a dozen events. */
const CHUNK = 131_072
const LARGEST_BODY = 4 * 1024 ** 3

const Report = Type.Object(
  {
    received: Type.Integer(),
    stored: Type.Integer(),
    duplicates: Type.Integer({ description: 'Known already by their id' }),
    rejected: Type.Integer(),
    errors: Type.Array(Type.Object({ line: Type.Integer(), message: Type.String() }), {
      description: 'The first thousand',
    }),
  },
  { title: 'IngestReport' },
)

function unpacked(payload: Readable): Readable {
  const plain = payload.pipe(createGunzip({ chunkSize: CHUNK }))
  // A connection that breaks must end the reading, too.
  payload.once('error', (error) => plain.destroy(error))
  // It may fail before anybody reads, who will be told then. Heard by nobody, an error would end the process.
  plain.once('error', () => {})
  return plain
}

/** Events of sources outside the service. In a plugin of its own: here bodies are streams. */
export const ingestRoutes: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  let working = 0
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, payload, done) => done(null, payload))

  app.post(
    '/ingest',
    {
      bodyLimit: LARGEST_BODY,
      schema: {
        tags: ['events'],
        summary: 'Store events of other sources: a JSON array or NDJSON, also gzipped',
        response: { 200: Report, ...errorsOf('insights') },
      },
      config: { scopes: ['insights.ingest', 'insights'], tenant: 'header' },
    },
    async (request) => {
      if (working >= MOST_AT_ONCE) {
        throw throttled('ingest_busy', 'Too many bodies are being stored; try again shortly', {
          retryAfter: 1,
        })
      }
      const payload = request.body as Readable
      const encoding = request.headers['content-encoding'] ?? 'identity'
      if (!['gzip', 'identity'].includes(encoding)) {
        throw invalid(
          'bad_encoding',
          `content-encoding: ${encoding} is not supported; send gzip or none`,
        )
      }
      const plain = encoding === 'gzip' ? unpacked(payload) : payload
      const { organizationId } = request.caller
      working++
      try {
        const days = await retentionDays(db, organizationId)
        return await ingest(db, organizationId, days, readLines(plain))
      } catch (error) {
        if (codeOf(error)?.startsWith('Z_'))
          throw invalid('bad_gzip', 'The body is not valid gzip', { cause: error })
        throw error
      } finally {
        working--
      }
    },
  )
}
