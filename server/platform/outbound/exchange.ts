import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { OutboundError } from './errors.ts'
import { explain, timedOut } from './explain.ts'
import { foldHeaders } from './headers.ts'
import type { AnswerBody, Hop, Reply } from './hop.ts'

/** One request and its response, as an undici handler. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly reply = Promise.withResolvers<Reply>()
  readonly #hop: Hop
  readonly #where: string
  readonly #abort = () => this.#fail(this.#hop.signal.reason)
  #controller: Dispatcher.DispatchController | undefined
  #body: AnswerBody | undefined
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #ended = false
  #failure: Error | undefined

  constructor(hop: Hop) {
    this.#hop = hop
    this.#where = hop.url.host
    hop.signal.addEventListener('abort', this.#abort)
    this.#limit(hop.limits.connectMs, `No connection to ${this.#where}`)
  }

  /** Connected. undici can abort only from here on. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure) controller.abort(this.#failure)
    else this.#limit(this.#hop.limits.headersMs, `No response from ${this.#where}`)
  }

  onBodySent(): void {
    if (!this.#body) this.#timer?.refresh()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // RFC 9110 §15.2: the final response follows.
    if (status < 200) return
    this.#unlimit()
    if (Number(headers['content-length'] ?? 0) > this.#maxBytes) throw this.#tooLarge()
    const body = new Readable({
      read: () => {
        if (!controller.paused) return
        this.#limitIdle()
        controller.resume()
      },
      destroy: (error, done) => {
        this.#end()
        if (!body.readableEnded) {
          // Paused as well, so that the parser stops at once. Both are no-ops after the end of the response.
          controller.pause()
          controller.abort(error ?? new Error('The response was abandoned'))
        }
        done(error)
      },
    }) as AnswerBody
    // Keeps an error for a later reader; unhandled, it would end the process.
    body.on('error', () => {})
    this.#body = body
    this.#limitIdle()
    this.reply.resolve({ status, headers: foldHeaders(headers), body })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) throw this.#tooLarge()
    if (this.#body?.push(chunk)) this.#timer?.refresh()
    else {
      // A slow reader is not the peer's fault.
      this.#unlimit()
      controller.pause()
    }
  }

  onResponseEnd(): void {
    this.#end()
    this.#body?.push(null)
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error)
  }

  get #maxBytes(): number {
    return this.#hop.limits.maxBytes ?? Number.POSITIVE_INFINITY
  }

  #tooLarge = () =>
    new OutboundError('too_large', `The response is larger than ${this.#maxBytes} bytes`)

  #limit(ms: number, what: string): void {
    this.#unlimit()
    this.#timer = setTimeout(() => {
      const { body } = this.#hop.message
      const sending = body instanceof Readable && !body.readableEnded && !body.isPaused()
      // Our body is still being produced, so the peer cannot respond yet.
      if (this.#controller && !this.#body && sending) this.#timer?.refresh()
      else this.#fail(timedOut(what, ms))
    }, ms)
  }

  /** Dropped, not only cleared: refresh() would restart a cleared timer. */
  #unlimit(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #limitIdle(): void {
    const { idleMs } = this.#hop.limits
    if (idleMs !== undefined) this.#limit(idleMs, `${this.#where} sent no data`)
  }

  #fail(reason: unknown): void {
    if (this.#ended) return
    this.#end()
    const { signal, message } = this.#hop
    const error = reason instanceof Error ? reason : new Error('Aborted', { cause: reason })
    // Errors caused by the caller pass unchanged: an abort, or a body that could not be read.
    const own =
      signal.aborted || (message.body instanceof Readable && message.body.errored === error)
    this.#failure = own ? error : explain(error, this.#where, this.#body !== undefined)
    this.#body?.destroy(this.#failure)
    this.#controller?.abort(this.#failure)
    this.reply.reject(this.#failure)
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#unlimit()
    this.#hop.signal.removeEventListener('abort', this.#abort)
    if (this.#body) this.#hop.onEnd()
  }
}

/** Resolves as soon as the response headers arrive. */
export function exchange(hop: Hop): Promise<Reply> {
  const { dispatcher, url, message, signal } = hop
  if (signal.aborted) return Promise.reject(signal.reason)
  const handler = new Exchange(hop)
  const { method, headers, body = null } = message
  const path = `${url.pathname}${url.search}`
  // undici's own timers have a resolution of a second, and its connect timeout is not per request.
  const untimed = { headersTimeout: 0, bodyTimeout: 0 }
  dispatcher.dispatch({ origin: url.origin, path, method, headers, body, ...untimed }, handler)
  return handler.reply.promise
}
