import type { FastifyInstance } from 'fastify'
import { invalid } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route limits the time of its bodies itself. */
    slowBody?: true
  }
}

/**
 * A body must arrive within a time limit: one that trickles in would hold its connection and memory forever. Node's
 * `requestTimeout` is not per route, and would also cut off long uploads.
 */
export function registerBodyTime(app: FastifyInstance, seconds: number): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { raw, headers } = request
    const hasBody =
      headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    if (hasBody && !raw.complete && !request.routeOptions.config.slowBody) {
      const timer = setTimeout(() => {
        if (raw.complete || reply.sent) return
        const late = invalid('body_too_slow', `The body did not arrive within ${seconds} s`)
        reply.header('connection', 'close').send(late)
      }, seconds * 1000)
      const stop = () => clearTimeout(timer)
      raw.once('end', stop).once('close', stop)
    }
    done(null, payload)
  })
}
