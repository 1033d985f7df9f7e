import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Allowlist } from './allowlist.ts'
import {
  type Destination,
  findDestination,
  type Resolve,
  readUrl,
  resolveByDns,
} from './destination.ts'
import { OutboundError } from './errors.ts'
import { type Answer, exchange, type Limits, type Message, timedOut } from './exchange.ts'

const LIMITS: Limits = {
  connectMs: 5_000,
  headersMs: 15_000,
  totalMs: 30_000,
  maxBytes: 1_048_576,
}
const MOST_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** RFC 9110 §9.2.2 */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

export interface OutboundRequest extends Partial<Limits> {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** The receiver notices a repeat by itself, so that a request may go out again where POST must not. */
  repeatable?: boolean
}

export interface OutboundAnswer extends Answer {
  /** Where the answer came from, after redirects. */
  url: string
}

export interface OutboundOptions {
  allowlist: Allowlist
  /** For tests: a resolver of their own. */
  resolve?: Resolve
  /** Certificates to trust instead of the usual ones, in PEM. */
  ca?: string
}

/** RFC 9110 §15.4: only 307 and 308 promise that method and body stay; after the others a POST would turn into a GET. */
function redirected(from: URL, answer: Answer, message: Message): URL | null {
  const { location } = answer.headers
  if (!REDIRECTS.has(answer.status) || location === undefined) return null
  const bad = (words: string) =>
    new OutboundError('bad_redirect', `${from.host} redirects ${words}`)
  const to = URL.parse(location, from)
  if (!to) throw bad('to something that is no address')
  // The host with its port: another port of a machine is another service.
  if (to.host !== from.host || to.username !== '' || to.password !== '')
    throw bad(`to ${to.host || 'another place'}; use the address it leads to`)
  if (to.protocol !== 'https:' && to.protocol !== from.protocol)
    throw bad(`to ${to.protocol}//, which is not encrypted`)
  const keeps = answer.status >= 307 || ['GET', 'HEAD'].includes(message.method)
  if (!keeps) throw bad(`with status ${answer.status}, which would lose the body; use 307 or 308`)
  return to
}

/** The only way out: every call to an address that somebody else has chosen goes through here (design D9). */
export class Outbound {
  readonly #allowlist: Allowlist
  readonly #resolve: Resolve
  readonly #ca: string | undefined
  readonly #http = new HttpAgent({ keepAlive: true, maxFreeSockets: 16 })
  readonly #https = new HttpsAgent({ keepAlive: true, maxFreeSockets: 16 })

  constructor({ allowlist, resolve = resolveByDns, ca }: OutboundOptions) {
    this.#allowlist = allowlist
    this.#resolve = resolve
    this.#ca = ca
  }

  /** Whether a call would be let out at all, for forms that take an address. Names are looked up. */
  async check(url: string): Promise<void> {
    await this.#destination(readUrl(url), LIMITS.connectMs, AbortSignal.timeout(LIMITS.totalMs))
  }

  /** Any status is an answer; what came to nothing is an `OutboundError`. */
  async request(address: string, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const limits: Limits = { ...LIMITS, ...definedLimits(request) }
    const message: Message = {
      method: request.method ?? 'GET',
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Gatehouse', ...request.headers },
      body: request.body,
    }
    const repeatable = request.repeatable ?? IDEMPOTENT.has(message.method)
    let url = readUrl(address)
    const ending = new AbortController()
    const end = () => ending.abort(timedOut(`${url.host} did not finish`, limits.totalMs))
    const timer = setTimeout(end, limits.totalMs)
    try {
      for (let redirects = 0; ; redirects++) {
        const destination = await this.#destination(url, limits.connectMs, ending.signal)
        const answer = await this.#exchange(destination, message, limits, repeatable, ending.signal)
        const next = redirected(url, answer, message)
        if (!next) return { ...answer, url: url.href }
        if (redirects === MOST_REDIRECTS)
          throw new OutboundError('bad_redirect', `${url.host} redirects again and again`)
        url = next
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Connections are kept for later requests; this lets go of them. */
  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }

  /** DNS cannot be interrupted, so it is only waited for as long as there is time. */
  async #destination(url: URL, connectMs: number, signal: AbortSignal): Promise<Destination> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const words = `The name ${url.hostname} could not be looked up`
      timer = setTimeout(() => reject(timedOut(words, connectMs)), connectMs)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      return await Promise.race([findDestination(url, this.#allowlist, this.#resolve), late])
    } finally {
      clearTimeout(timer)
      late.catch(() => {})
    }
  }

  async #exchange(
    destination: Destination,
    message: Message,
    limits: Limits,
    repeatable: boolean,
    signal: AbortSignal,
  ): Promise<Answer> {
    const agent = destination.url.protocol === 'https:' ? this.#https : this.#http
    const hop = { destination, message, limits, agent, ca: this.#ca, signal }
    let reused = false
    const onSocket = (older: boolean) => {
      reused = older
    }
    try {
      return await exchange(hop, onSocket)
    } catch (error) {
      // A kept connection may be closed by the other side in the moment it is used again.
      const closed = error instanceof OutboundError && error.problem === 'connection'
      if (!reused || !closed || !repeatable || signal.aborted) throw error
      return exchange({ ...hop, agent: false }, onSocket)
    }
  }
}

function definedLimits(request: OutboundRequest): Partial<Limits> {
  const { connectMs, headersMs, totalMs, maxBytes } = request
  return Object.fromEntries(
    Object.entries({ connectMs, headersMs, totalMs, maxBytes }).filter(([, v]) => v !== undefined),
  )
}
