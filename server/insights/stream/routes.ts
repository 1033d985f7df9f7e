import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/index.ts'
import { throttled, unavailable } from '../../platform/errors.ts'
import { type Authenticate, stillAdmitted } from '../../platform/http/authorize.ts'
import { errorsOf } from '../../platform/http/errors.ts'
import { Quota, type Shares } from '../../platform/quota.ts'
import { Pulse } from './pulse.ts'
import { readWatermark } from './store.ts'
import { type Follower, follow, idOf, readLastEventId, readStreamQuery, startOf } from './stream.ts'

const READ = ['insights', 'insights.readonly']

/** What a process allows its streams. */
export interface StreamLimits {
  /** At each beat the credential is looked at again as well. */
  heartbeatMs: number
  /** Whoever takes nothing for this long is cut off; the id of the last message leads back. */
  stalledMs: number
}
const LIMITS: StreamLimits = { heartbeatMs: 15_000, stalledMs: 60_000 }

const STREAMS = {
  what: 'streams',
  setting: 'GATEHOUSE_STREAMS',
  refuse: (message: string) => throttled('too_many_streams', message, { retryAfter: 5 }),
}

const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const Query = Type.Object({
  service: list('Services, repeated or with commas; all by default'),
  search_term: Type.Optional(Type.String({ description: 'JSON, as in queries' })),
  fields: list('Fields to send, with dots; repeated or with commas'),
  last_event_id: Type.Optional(Type.String({ description: 'For clients that cannot set headers' })),
})
const Headers = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'Id of the last message seen: the stream goes on after it' }),
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
    // Ending it in order would wait for a reader who does not read.
    raw.destroy()
    throw error
  }
}

/** Events as they happen, as Server-Sent Events (WHATWG HTML §9.2). */
export const streamRoutes: FastifyPluginAsyncTypebox<{
  db: Db
  /** Must not keep a session alive: a stream would hold its own open for ever. */
  authenticate: Authenticate
  shares: Shares
  limits?: StreamLimits
}> = async (app, { db, authenticate, shares, limits = LIMITS }) => {
  const pulse = new Pulse(() => readWatermark(db))
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
          'Server-Sent Events; data is the event, id leads back to its place. Events of other sources appear when they arrive within seconds of their time.',
        querystring: Query,
        headers: Headers,
        response: {
          200: {
            description: 'Messages with id and data, until one side ends it',
            content: { 'text/event-stream': { schema: Type.String() } },
          },
          ...errorsOf('insights'),
        },
      },
      config: { scopes: READ, tenant: 'several', longLived: true },
    },
    async (request, reply) => {
      const query = readStreamQuery(request.query, Date.now())
      const sent = request.headers['last-event-id'] || request.query.last_event_id
      const after = readLastEventId(sent)
      const giveBack = quota.take(request.caller)
      const gone = new AbortController()
      clients.add(gone)
      const { raw } = reply
      // Told also of a client that has left already.
      finished(raw, () => {
        gone.abort()
        clients.delete(gone)
        giveBack()
      })
      // Before the answer begins: whatever happens once a client sees it is part of the stream.
      const place = after ?? startOf(await readWatermark(db))
      if (pulse.stopped) throw unavailable('stopping', 'The service is stopping')

      reply.hijack()
      const headers: OutgoingHttpHeaders = {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        // A connection that was kept would hold up a service that stops.
        connection: 'close',
        'x-accel-buffering': 'no',
      }
      raw.writeHead(200, headers)
      raw.write(`retry: 1000\nid: ${idOf(place)}\n\n`)
      const follower: Follower = {
        home: request.caller.homeId,
        tenantIds: request.caller.tenantIds,
        query,
        place,
        signal: gone.signal,
        write: (text) => write(raw, text, gone.signal, limits.stalledMs),
        allowed: () => stillAdmitted(request, authenticate),
      }
      const beat = async () => {
        // A database that is away is waited for; the next beat asks again.
        if (!(await follower.allowed().catch(() => true))) gone.abort()
        // With the place, or a client that comes back after a quiet hour would search that hour again.
        if (!raw.writableNeedDrain && !raw.writableEnded && !gone.signal.aborted)
          raw.write(`:\nid: ${idOf(follower.place)}\n\n`)
      }
      const heartbeat = setInterval(beat, limits.heartbeatMs)
      try {
        await follow(db, pulse, follower)
      } catch (error) {
        request.log.warn({ err: error }, 'a stream of events broke off')
      } finally {
        clearInterval(heartbeat)
        raw.end()
      }
    },
  )
}
