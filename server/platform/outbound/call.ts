import { Readable } from 'node:stream'
import { timedOut } from './explain.ts'
import type { Limits, Message } from './hop.ts'
import type { ThrottleLimits } from './throttle.ts'

export const CONNECT_MS = 5_000
const HEADERS_MS = 15_000
/** RFC 9110 §9.2.2 */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

export interface OutboundRequest extends Partial<Limits> {
  method?: string
  headers?: Record<string, string>
  /** A stream is used up even if the request fails, and is neither repeated nor redirected. */
  body?: string | Buffer | AsyncIterable<Uint8Array>
  /** The receiver notices a repeat by itself, so that a request may go out again where POST must not. */
  repeatable?: boolean
  /** Requests with the same key share these limits, beside those of their destination. */
  throttle?: ThrottleLimits & { key: string }
  /** All of it, redirects and waiting for a turn included. */
  totalMs?: number
  /** Calls the request off; its reason is what is thrown. */
  signal?: AbortSignal
}

function sendable(body: OutboundRequest['body']): Message['body'] {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body
  const stream = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
  // It may fail while the request still waits for its turn; the request tells of it when it comes to send.
  stream.on('error', () => {})
  return stream
}

/** One request with all its redirects: what is sent, and how long it may take. */
export class Call {
  readonly message: Message
  readonly limits: Limits
  readonly repeatable: boolean
  readonly throttle: OutboundRequest['throttle']
  readonly totalMs: number | undefined
  readonly signal: AbortSignal
  /** The host that the call has got to. */
  where = ''
  readonly #timer: NodeJS.Timeout | undefined

  constructor(request: OutboundRequest) {
    const { method = 'GET', headers, totalMs, signal } = request
    const body = sendable(request.body)
    this.message = {
      method,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Gatehouse', ...headers },
      body,
    }
    this.limits = {
      connectMs: request.connectMs ?? CONNECT_MS,
      headersMs: request.headersMs ?? HEADERS_MS,
      idleMs: request.idleMs,
      maxBytes: request.maxBytes,
    }
    this.repeatable = !(body instanceof Readable) && (request.repeatable ?? IDEMPOTENT.has(method))
    this.throttle = request.throttle
    this.totalMs = totalMs
    const ending = new AbortController()
    this.signal = signal ? AbortSignal.any([ending.signal, signal]) : ending.signal
    if (totalMs !== undefined)
      this.#timer = setTimeout(
        () => ending.abort(timedOut(`${this.where} did not finish`, totalMs)),
        totalMs,
      )
  }

  /** No more time is counted. */
  end(): void {
    clearTimeout(this.#timer)
  }

  /** Came to nothing: whoever fills the body need not go on. */
  fail(): void {
    this.end()
    if (this.message.body instanceof Readable) this.message.body.destroy()
  }
}
