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
  /** A stream is consumed even if the request fails, so it is neither retried nor redirected. */
  body?: string | Buffer | AsyncIterable<Uint8Array>
  /** The receiver deduplicates, so the request may be resent although its method is not idempotent. */
  repeatable?: boolean
  /** Requests with the same key share these limits, in addition to those of their destination. */
  throttle?: ThrottleLimits & { key: string }
  /** For everything, including redirects and throttling. */
  totalMs?: number
  /** Cancels the request, which then rejects with the signal's reason. */
  signal?: AbortSignal
}

function sendable(body: OutboundRequest['body']): Message['body'] {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body
  const stream = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
  // It may fail while the request is queued; the request reports the error when it sends.
  stream.on('error', () => {})
  return stream
}

/** One request including its redirects: the message and its time limits. */
export class Call {
  readonly message: Message
  readonly limits: Limits
  readonly repeatable: boolean
  readonly throttle: OutboundRequest['throttle']
  readonly totalMs: number | undefined
  readonly signal: AbortSignal
  /** The host of the current hop. */
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

  /** Stops the timer. */
  end(): void {
    clearTimeout(this.#timer)
  }

  /** The request failed: the producer of the body need not continue. */
  fail(): void {
    this.end()
    if (this.message.body instanceof Readable) this.message.body.destroy()
  }
}
