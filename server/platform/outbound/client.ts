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
  /** Where the answer came from, after redirects. */
  url: string
}

type OutboundAnswer = Omit<OutboundStream, 'body'> & { body: Buffer }

interface OutboundOptions {
  allowlist: Allowlist
  /** For tests: a resolver of their own. */
  resolve?: Resolve
  /** Certificates to trust instead of the usual ones, in PEM. */
  ca?: string
  /** Requests under way to one origin, those of all organizations together. */
  concurrency?: number
}

/** The only way out: every call to an address that somebody else has chosen goes through here (design D9). */
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

  /** Whether a call would be let out at all, for forms that take an address. Names are looked up. */
  async check(url: string): Promise<void> {
    await this.#destination(readUrl(url), CONNECT_MS, AbortSignal.timeout(TOTAL_MS))
  }

  /** Any status is an answer; what came to nothing is an `OutboundError`. */
  async request(address: string, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const { totalMs = TOTAL_MS, maxBytes = MAX_BYTES } = request
    const answer = await this.#send(address, { ...request, totalMs, maxBytes })
    return { ...answer, body: Buffer.concat(await answer.body.toArray()) }
  }

  /**
   * Answers with the head; the body comes as fast as it is read. Time and size have no limit unless the request sets
   * one, but no pause may last longer than `idleMs`. Leaving the iteration closes the connection.
   */
  stream(address: string, request: OutboundRequest = {}): Promise<OutboundStream> {
    const { idleMs = IDLE_MS } = request
    return this.#send(address, { ...request, idleMs })
  }

  /** Connections are kept for later requests; this lets go of them. */
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
    throw new OutboundError('bad_redirect', `${url.host} redirects again and again`)
  }

  /** One request on the wire. Its turn ends with its answer. */
  async #hop(url: URL, call: Call): Promise<Reply> {
    const { message, limits, signal } = call
    call.where = url.host
    const held: (() => void)[] = []
    const release = () => {
      for (const free of held.splice(0)) free()
    }
    try {
      for await (const leave of this.#turns(url, call)) held.push(leave)
      const destination = await this.#destination(url, limits.connectMs, signal)
      held.push(this.#transport.pin(destination))
      // undici takes a connection back one turn of the event loop after the end of its answer.
      await eventLoopTurn()
      const hop = { dispatcher: this.#transport.shared, url, message, limits, signal }
      return await this.#exchange({ ...hop, onEnd: release }, call.repeatable)
    } catch (error) {
      release()
      throw error
    }
  }

  /** The turn of its own throttle comes first: a place at the destination is not held while waiting for another. */
  async *#turns(url: URL, { throttle, signal, totalMs }: Call): AsyncGenerator<Leave> {
    try {
      if (throttle) yield await this.#byKey.enter(throttle.key, throttle, signal)
      yield await this.#byOrigin.enter(url.origin, { concurrency: this.#concurrency }, signal)
    } catch (error) {
      const late = error instanceof OutboundError && error.problem === 'timeout'
      throw late ? timedOut(`Other requests to ${url.host} left no room`, totalMs ?? 0) : error
    }
  }

  async #exchange(hop: Hop, repeatable: boolean): Promise<Reply> {
    try {
      return await exchange(hop)
    } catch (error) {
      // A kept connection may be closed by the other side in the moment it is used again. undici does not tell an
      // older connection from a new one, but repeating once what may be repeated does no harm on either.
      if (!repeatable || !wasClosed(error) || hop.signal.aborted) throw error
      const client = this.#transport.fresh(hop.url.origin)
      const reply = exchange({ ...hop, dispatcher: client })
      // Takes effect once the answer has come to its end.
      client.close(() => {})
      return reply
    }
  }

  /** DNS cannot be interrupted, so it is only waited for as long as there is time. */
  async #destination(url: URL, connectMs: number, signal: AbortSignal): Promise<Destination> {
    const late = Promise.withResolvers<never>()
    const words = `The name ${url.hostname} could not be looked up`
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
