import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import underPressure from '@fastify/under-pressure'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { addressKey } from '../address-key.ts'
import type { Config } from '../config.ts'
import { throttled } from '../errors.ts'
import type { Logger } from '../log.ts'
import { registerBodyTime } from './body-time.ts'
import { registerDrain } from './drain.ts'
import {
  MAX_PARAM_LENGTH,
  refuseBytes,
  refuseExpectation,
  refusePath,
  requireHost,
} from './early-errors.ts'
import { registerErrors } from './error-handler.ts'
import { registerJsonBody } from './json-body.ts'
import { RequestLog, requestLines } from './request-log.ts'
import { registerSchemas } from './schemas.ts'
import { securityHeaders } from './security-headers.ts'

/** Some clients join a base URL that ends in a slash to paths that begin with one. */
function withoutDoubleSlashes(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') + url.slice(path.length) : url
}

const REQUEST_ID = /^[\w-]{1,64}$/

/**
 * Browsers open connections ahead of time. On close Node waits for those that have not sent a byte yet, as if a request
 * were on its way.
 */
function closeUnusedConnections(app: FastifyInstance): void {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', (done) => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
}

/** Fastify with everything common to all routes; knows no slice. */
export async function createServer(config: Config, log: Logger) {
  const headers = securityHeaders(config.publicUrl.startsWith('https:'))
  const app = Fastify({
    loggerInstance: log,
    // The hook below logs one line per request.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    childLoggerFactory: (logger, bindings) => new RequestLog(logger, bindings),
    genReqId: (request) => {
      const sent = request.headers['x-request-id']
      return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
    },
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    bodyLimit: config.bodyLimit,
    rewriteUrl: ({ url = '/' }) => withoutDoubleSlashes(url),
    // Clients also call /api/Systemusers/… and /api/organizations/.
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAM_LENGTH,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Insights accepts any number of x-org-id headers.
    http: {
      maxHeaderSize: 262_144,
      requireHostHeader: false,
      headersTimeout: Math.round(config.headSeconds * 1000),
      // How often Node checks for timed-out requests; its default is 30 s.
      connectionsCheckingInterval: Math.min(30_000, Math.round(config.headSeconds * 500)),
    },
    frameworkErrors: refusePath(headers),
    clientErrorHandler: refuseBytes(headers, log),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.server.maxHeadersCount = 8000
  app.server.on('checkExpectation', refuseExpectation(headers))
  registerDrain(app as unknown as FastifyInstance)
  closeUnusedConnections(app as unknown as FastifyInstance)
  registerErrors(app as unknown as FastifyInstance)
  registerSchemas(app as unknown as FastifyInstance)
  registerJsonBody(app as unknown as FastifyInstance)
  registerBodyTime(app as unknown as FastifyInstance, config.bodySeconds)

  // Hooks on the hot path take a callback, which avoids a promise.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    // Responses to authenticated requests must not be cached; public pages may override this.
    if (!request.routeOptions.config.public) reply.header('cache-control', 'no-store')
    requireHost(request)
    done()
  })
  const writeLine = requestLines(log)
  app.addHook('onResponse', (request, reply, done) => {
    writeLine(request, reply)
    done()
  })

  if (config.maxLag > 0) {
    await app.register(underPressure, { maxEventLoopDelay: config.maxLag, retryAfter: 1 })
  }
  if (config.rateLimit > 0) {
    await app.register(rateLimit, {
      max: config.rateLimit,
      timeWindow: 60_000,
      // Runs after authentication, and also counts rejected requests: an unverified identity must not become a key.
      keyGenerator: ({ caller, ip }) => (caller ? `caller ${caller.id}` : addressKey(ip)),
      errorResponseBuilder: (_, { ttl }) =>
        throttled('rate_limited', 'Too many requests', { retryAfter: ttl / 1000 }),
    })
  }
  return app as unknown as FastifyInstance
}
