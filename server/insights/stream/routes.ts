import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/index.ts'
import { throttled, unavailable } from '../../platform/errors.ts'
import { type Authenticate, stillAdmitted } from '../../platform/http/authorize.ts'
import { errorsOf } from '../../platform/http/errors.ts'
import type { Limits } from '../../platform/limits.ts'
import { Quota, type Shares } from '../../platform/quota.ts'
import { Pulse } from './pulse.ts'
import { readWatermark } from './store.ts'
import { type Follower, follow, idOf, readLastEventId, readStreamQuery, startOf } from './stream.ts'

const READ = ['insights', 'insights.readonly']

export interface StreamTimes {
  /** The credential is checked again at each heartbeat. */
  heartbeatMs: number
  /** A client that reads nothing for this long is disconnected; it can resume with the id of the last message. */
  stalledMs: number
}
const TIMES: StreamTimes = { heartbeatMs: 15_000, stalledMs: 60_000 }

const STREAMS = {
  what: 'streams',
  setting: 'GATEHOUSE_STREAMS',
  refuse: (message: string) => throttled('too_many_streams', message, { retryAfter: 5 }),
}

const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const Query = Type.Object({
  service: list('Services, repeated or comma-separated; all by default'),
  search_term: Type.Optional(Type.String({ description: 'JSON, as in queries' })),
  fields: list('Fields to send, as dotted names; repeated or comma-separated'),
  last_event_id: Type.Optional(Type.String({ description: 'For clients that cannot set headers' })),
})
const Headers = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'Id of the last message seen; the stream continues after it' }),
  ),
})

async function write(
  raw: ServerResponse,
  text: string,
  gone: AbortSignal,
  stalledMs: number,
): Promise<void> {
  gone.throwIfAborted()
  if (raw.write(text)) return
  const signal = AbortSignal.any([gone, AbortSignal.timeout(stalledMs)])
  try {
    await once(raw, 'drain', { signal })
  } catch (error) {
    // A normal end would wait for a client that does not read.
    raw.destroy()
    throw error
  }
}

/** Live events as Server-Sent Events (WHATWG HTML §9.2). */
export const streamRoutes: FastifyPluginAsyncTypebox<{
  db: Db
  /** Must not extend a session: a stream would keep its own alive forever. */
  authenticate: Authenticate
  shares: Shares
  limits: Limits
  times?: StreamTimes
}> = async (app, { db, authenticate, shares, limits, times = TIMES }) => {
  const pulse = new Pulse(() => readWatermark(db), limits)
  const clients = new Set<AbortController>()
  const quota = new Quota(STREAMS, shares)

  app.addHook('preClose', async () => {
    pulse.stop()
    for (const client of clients) client.abort()
  })

  app.get(
    '/events/stream',
    {
      exposeHeadRoute: false,
      schema: {
        tags: ['events'],
        summary: 'Follow events as they happen',
        description:
          'Server-Sent Events; data is the event, id is its cursor. Events of other sources appear if they arrive within seconds of their timestamp.',
        querystring: Query,
        headers: Headers,
        response: {
          200: {
            description: 'Messages with id and data, until one side closes the stream',
            content: { 'text/event-stream': { schema: Type.String() } },
          },
          ...errorsOf('insights'),
        },
      },
      config: { scopes: READ, tenant: 'several', longLived: true },
    },
    async (request, reply) => {
      const query = readStreamQuery(request.query, Date.now(), limits.events)
      const sent = request.headers['last-event-id'] || request.query.last_event_id
      const after = readLastEventId(sent)
      const giveBack = quota.take(request.caller)
      const gone = new AbortController()
      clients.add(gone)
      const { raw } = reply
      // Also called when the client has already disconnected.
      finished(raw, () => {
        gone.abort()
        clients.delete(gone)
        giveBack()
      })
      // Before the response starts: every event after the client sees it is part of the stream.
      const cursor = after ?? startOf(await readWatermark(db))
      if (pulse.stopped) throw unavailable('stopping', 'The service is shutting down')

      reply.hijack()
      const headers: OutgoingHttpHeaders = {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        // A keep-alive connection would delay shutdown.
        connection: 'close',
        'x-accel-buffering': 'no',
      }
      raw.writeHead(200, headers)
      raw.write(`retry: 1000\nid: ${idOf(cursor)}\n\n`)
      const follower: Follower = {
        home: request.caller.homeId,
        tenantIds: request.caller.tenantIds,
        query,
        cursor,
        signal: gone.signal,
        write: (text) => write(raw, text, gone.signal, times.stalledMs),
        allowed: () => stillAdmitted(request, authenticate),
      }
      const beat = async () => {
        // While the database is unavailable the check is skipped; the next heartbeat repeats it.
        if (!(await follower.allowed().catch(() => true))) gone.abort()
        // Includes the cursor: otherwise a client that reconnects after a quiet hour would search that hour again.
        if (!raw.writableNeedDrain && !raw.writableEnded && !gone.signal.aborted)
          raw.write(`:\nid: ${idOf(follower.cursor)}\n\n`)
      }
      const heartbeat = setInterval(beat, times.heartbeatMs)
      try {
        await follow(db, pulse, follower)
      } catch (error) {
        request.log.warn({ err: error }, 'an event stream was aborted')
      } finally {
        clearInterval(heartbeat)
        raw.end()
      }
    },
  )
}
