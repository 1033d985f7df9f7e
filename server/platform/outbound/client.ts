import { finished } from 'node:stream'
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import type { Allowlist } from './allowlist.ts'
import { Call, CONNECT_MS, type OutboundRequest } from './call.ts'
import {
  type Destination,
  findDestination,
  type Resolve,
  readUrl,
  resolveByDns,
} from './destination.ts'
import { OutboundError } from './errors.ts'
import { exchange } from './exchange.ts'
import { timedOut, wasClosed } from './explain.ts'
import type { Hop, Reply } from './hop.ts'
import { redirected } from './redirect.ts'
import { type Leave, Throttles } from './throttle.ts'
import { Transport } from './transport.ts'

export type { OutboundRequest } from './call.ts'

const TOTAL_MS = 30_000
const IDLE_MS = 30_000
const MAX_BYTES = 1_048_576
const MAX_REDIRECTS = 3
const MAX_CONCURRENCY = 16

interface OutboundStream extends Reply {
  /** The final URL, after redirects. */
  url: string
}

type OutboundAnswer = Omit<OutboundStream, 'body'> & { body: Buffer }

interface OutboundOptions {
  allowlist: Allowlist
  /** For tests: a custom resolver. */
  resolve?: Resolve
  /** Trusted CA certificates in PEM, instead of the default ones. */
  ca?: string
  /** Concurrent requests to one origin, across all organizations. */
  concurrency?: number
}

/** The only outbound client: every call to a user-supplied URL goes through here (design D9). */
export class Outbound {
  readonly #allowlist: Allowlist
  readonly #resolve: Resolve
  readonly #transport: Transport
  readonly #concurrency: number
  readonly #byOrigin = new Throttles()
  readonly #byKey = new Throttles()

  constructor(options: OutboundOptions) {
    this.#allowlist = options.allowlist
    this.#resolve = options.resolve ?? resolveByDns
    this.#transport = new Transport(options.ca)
    this.#concurrency = options.concurrency ?? MAX_CONCURRENCY
  }

  /** Checks whether a URL is allowed, for forms that accept one. Resolves names. */
  async check(url: string): Promise<void> {
    await this.#destination(readUrl(url), CONNECT_MS, AbortSignal.timeout(TOTAL_MS))
  }

  /** Any status is a response; failures are an `OutboundError`. */
  async request(address: string, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const { totalMs = TOTAL_MS, maxBytes = MAX_BYTES } = request
    const answer = await this.#send(address, { ...request, totalMs, maxBytes })
    return { ...answer, body: Buffer.concat(await answer.body.toArray()) }
  }

  /**
   * Resolves with the headers; the body is read with back-pressure. Time and size are unlimited unless the request sets
   * a limit, but no pause may exceed `idleMs`. Leaving the iteration closes the connection.
   */
  stream(address: string, request: OutboundRequest = {}): Promise<OutboundStream> {
    const { idleMs = IDLE_MS } = request
    return this.#send(address, { ...request, idleMs })
  }

  /** Closes the kept-alive connections. */
  close(): void {
    this.#transport.close()
  }

  async #send(address: string, request: OutboundRequest): Promise<OutboundStream> {
    const call = new Call(request)
    try {
      const answer = await this.#follow(readUrl(address), call)
      finished(answer.body, () => call.end())
      return answer
    } catch (error) {
      call.fail()
      throw error
    }
  }

  async #follow(from: URL, call: Call): Promise<OutboundStream> {
    let url = from
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const reply = await this.#hop(url, call)
      try {
        const next = redirected(url, reply, call.message)
        if (!next) return { ...reply, url: url.href }
        url = next
      } catch (error) {
        reply.body.destroy()
        throw error
      }
      reply.body.destroy()
    }
    throw new OutboundError('bad_redirect', `${url.host} redirects too many times`)
  }

  /** One request on the wire. Its throttle slots are released when the response ends. */
  async #hop(url: URL, call: Call): Promise<Reply> {
    const { message, limits, signal } = call
    call.where = url.host
    const held: Leave[] = []
    const release = () => {
      for (const free of held.splice(0)) free()
    }
    try {
      await this.#takeTurn(url, call, held)
      const destination = await this.#destination(url, limits.connectMs, signal)
      held.push(this.#transport.pin(destination))
      // undici returns a connection to its pool one event loop turn after the end of the response.
      await eventLoopTurn()
      const hop = { dispatcher: this.#transport.shared, url, message, limits, signal }
      return await this.#exchange({ ...hop, onEnd: release }, call.repeatable)
    } catch (error) {
      release()
      throw error
    }
  }

  /** Waits for its own throttle first: a slot at the destination is not held while waiting for another one. */
  async #takeTurn(url: URL, { throttle, signal, totalMs }: Call, held: Leave[]): Promise<void> {
    try {
      if (throttle) held.push(await this.#byKey.enter(throttle.key, throttle, signal))
      const concurrency = this.#concurrency
      held.push(await this.#byOrigin.enter(url.origin, { concurrency }, signal))
    } catch (error) {
      const late = error instanceof OutboundError && error.problem === 'timeout'
      throw late ? timedOut(`No free slot for a request to ${url.host}`, totalMs ?? 0) : error
    }
  }

  async #exchange(hop: Hop, repeatable: boolean): Promise<Reply> {
    try {
      return await exchange(hop)
    } catch (error) {
      // A kept-alive connection may be closed by the peer just as it is reused. undici does not tell reused connections
      // from new ones, but one retry of a repeatable request is harmless on either.
      if (!repeatable || !wasClosed(error) || hop.signal.aborted) throw error
      const client = this.#transport.fresh(hop.url.origin)
      const reply = exchange({ ...hop, dispatcher: client })
      // Takes effect when the response ends.
      client.close(() => {})
      return reply
    }
  }

  /** DNS lookups cannot be cancelled, so the wait is limited instead. */
  async #destination(url: URL, connectMs: number, signal: AbortSignal): Promise<Destination> {
    const late = Promise.withResolvers<never>()
    const words = `Could not resolve ${url.hostname}`
    const timer = setTimeout(() => late.reject(timedOut(words, connectMs)), connectMs)
    const stop = () => late.reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const found = findDestination(url, this.#allowlist, this.#resolve)
    try {
      return await Promise.race([found, late.promise])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }
}
