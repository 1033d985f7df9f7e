import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain
  }
}

/**
 * A process that is going to end answers on, and says `Connection: close` with every answer: so a connection that is
 * kept alive is given up by its client, and none is closed under a request that is already on its way.
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

/** On the server itself, so that answers count that are written past the framework, too. */
export function registerDrain(app: FastifyInstance): void {
  const drain = new Drain()
  app.decorate('drain', drain)
  app.server.prependListener('request', drain.onRequest)
}
