import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { codeOf, invalid, throttled } from '../../platform/errors.ts'
import { errorsOf } from '../../platform/http/errors.ts'
import { Quota, type Shares } from '../../platform/quota.ts'
import type { InsightsContext } from '../context.ts'
import { timely } from '../query/timely.ts'
import { retentionDays } from '../retention/retention.ts'
import { ingest } from './ingest.ts'
import { ingestedBy } from './ingested.ts'
import { readLines } from './lines.ts'

const BODIES = {
  what: 'ingest requests',
  setting: 'GATEHOUSE_INGEST_BODIES',
  refuse: (message: string) => throttled('ingest_busy', message, { retryAfter: 1 }),
}
/** Decompression chunk size: larger than the default, which holds a dozen events. */
const CHUNK = 131_072

const Report = Type.Object(
  {
    received: Type.Integer(),
    stored: Type.Integer(),
    duplicates: Type.Integer({ description: 'Already stored, by their id' }),
    rejected: Type.Integer(),
    errors: Type.Array(Type.Object({ line: Type.Integer(), message: Type.String() }), {
      description: 'At most the first thousand',
    }),
  },
  { title: 'IngestReport' },
)

function unpacked(payload: Readable): Readable {
  const plain = payload.pipe(createGunzip({ chunkSize: CHUNK }))
  // A broken connection must also end the reading.
  payload.once('error', (error) => plain.destroy(error))
  // It may fail before it is read; the reader gets the error then. Without a listener it would end the process.
  plain.once('error', () => {})
  return plain
}

function readEncoding(raw: string | undefined): 'gzip' | 'identity' {
  const encoding = raw ?? 'identity'
  if (encoding === 'gzip' || encoding === 'identity') return encoding
  const message = `content-encoding: ${encoding} is not supported; send gzip or none`
  throw invalid('bad_encoding', message)
}

interface IngestLimits {
  shares: Shares
  /** For the whole body; below, without receiving a byte. */
  seconds: number
  idleSeconds: number
}

/** Events of external sources. A separate plugin, because bodies are streams here. */
export const ingestRoutes: FastifyPluginAsyncTypebox<
  { context: InsightsContext } & IngestLimits
> = async (app, { context, shares, seconds, idleSeconds }) => {
  const { eventLength } = context.limits.events
  const quota = new Quota(BODIES, shares)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, payload, done) => done(null, payload))

  app.post(
    '/ingest',
    {
      schema: {
        tags: ['events'],
        summary: 'Store events of other sources: a JSON array or NDJSON, optionally gzipped',
        description:
          'Every event stored this way records who ingested it in `ingested_by`, and when in `ingested_at`; members of these names in the request are dropped. Events of the services directory, reports, sso and systems, which are recorded here, also require the scope insights.import; without it such lines are rejected, each with its reason in `errors`. A body that stalls, or takes too long in total, answers 400 and the connection is closed; lines stored by then are kept.',
        response: { 200: Report, ...errorsOf('insights') },
      },
      config: { scopes: ['insights.ingest'], tenant: 'header', slowBody: true },
    },
    async (request, reply) => {
      const { body, caller, headers } = request
      if (!(body instanceof Readable))
        throw invalid('body_missing', 'The body is required: send a JSON array or NDJSON of events')
      const encoding = readEncoding(headers['content-encoding'])
      const giveBack = quota.take(caller)
      try {
        const { organizationId } = caller
        const intake = {
          organizationId,
          retentionDays: await retentionDays(context.db, organizationId),
          mayImport: caller.scopes.has('insights.import'),
          ingested: ingestedBy(caller, Date.now()),
        }
        const payload = timely(body, { seconds, idleSeconds })
        const plain = encoding === 'gzip' ? unpacked(payload) : payload
        return await ingest(context, intake, readLines(plain, eventLength))
      } catch (error) {
        // The rest of the body is not read.
        reply.header('connection', 'close')
        if (codeOf(error)?.startsWith('Z_'))
          throw invalid('bad_gzip', 'The body is not valid gzip', { cause: error })
        throw error
      } finally {
        giveBack()
      }
    },
  )
}
