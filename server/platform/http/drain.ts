import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain
  }
}

/**
 * A process that is shutting down still answers, with `Connection: close` on every response: clients then drop their
 * keep-alive connections, and none is closed while a request is on its way.
 */
class Drain {
  #begun = false
  readonly #open = new Set<ServerResponse>()

  get begun(): boolean {
    return this.#begun
  }

  readonly onRequest = (_: unknown, response: ServerResponse): void => {
    if (this.#begun) {
      response.shouldKeepAlive = false
      return
    }
    this.#open.add(response)
    response.once('close', () => this.#open.delete(response))
  }

  begin(): void {
    this.#begun = true
    for (const response of this.#open) response.shouldKeepAlive = false
    this.#open.clear()
  }
}

/** On the HTTP server, so that responses that bypass the framework count too. */
export function registerDrain(app: FastifyInstance): void {
  const drain = new Drain()
  app.decorate('drain', drain)
  app.server.prependListener('request', drain.onRequest)
}
