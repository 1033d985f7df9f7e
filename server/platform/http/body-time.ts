import type { FastifyInstance } from 'fastify'
import { invalid } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route bounds the time of its bodies itself. */
    slowBody?: true
  }
}

/**
 * Bodies must arrive within a time: one that trickles in would hold its connection and its memory for ever. Node's own
 * `requestTimeout` knows no routes, and would cut off long uploads as well.
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
