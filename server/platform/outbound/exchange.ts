import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { OutboundError } from './errors.ts'
import { explain, timedOut } from './explain.ts'
import { foldHeaders } from './headers.ts'
import type { AnswerBody, Hop, Reply } from './hop.ts'

/** One request and its answer, as undici tells of it. */
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

  /** The connection stands. Only from here on undici can be told to stop. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure) controller.abort(this.#failure)
    else this.#limit(this.#hop.limits.headersMs, `No answer from ${this.#where}`)
  }

  onBodySent(): void {
    if (!this.#body) this.#timer?.refresh()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // RFC 9110 §15.2: the answer proper is still to come.
    if (status < 200) return
    this.#unlimit()
    if (Number(headers['content-length'] ?? 0) > this.#maxBytes) throw this.#tooLarge()
    this.#body = new Readable({
      read: () => {
        if (!controller.paused) return
        this.#limitIdle()
        controller.resume()
      },
      destroy: (error, done) => {
        this.#end()
        // Paused as well, so that the parser stops where it is. For a finished answer both mean nothing.
        controller.pause()
        controller.abort(error ?? new Error('The answer was left'))
        done(error)
      },
    }) as AnswerBody
    // An error that comes while nobody reads is kept for the reader, and does not end the process.
    this.#body.on('error', () => {})
    this.#limitIdle()
    this.reply.resolve({ status, headers: foldHeaders(headers), body: this.#body })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) throw this.#tooLarge()
    if (this.#body?.push(chunk)) this.#timer?.refresh()
    else {
      // A slow reader is no fault of the other side.
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
    new OutboundError('too_large', `The answer is larger than ${this.#maxBytes} bytes`)

  #limit(ms: number, what: string): void {
    this.#unlimit()
    this.#timer = setTimeout(() => {
      const { body } = this.#hop.message
      const sending = body instanceof Readable && !body.readableEnded && !body.isPaused()
      // We have nothing to send yet, so the other side cannot answer.
      if (this.#controller && !this.#body && sending) this.#timer?.refresh()
      else this.#fail(timedOut(what, ms))
    }, ms)
  }

  /** Forgotten as well: Node would arm a cleared timer again. */
  #unlimit(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #limitIdle(): void {
    const { idleMs } = this.#hop.limits
    if (idleMs !== undefined) this.#limit(idleMs, `${this.#where} did not go on`)
  }

  #fail(reason: unknown): void {
    if (this.#ended) return
    this.#end()
    const { signal, message } = this.#hop
    const error = reason instanceof Error ? reason : new Error('Aborted', { cause: reason })
    // What the caller did is told as it was: calling it off, or a body that could not be read.
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

/** Answers as soon as the head is there. */
export function exchange(hop: Hop): Promise<Reply> {
  const { dispatcher, url, message, signal } = hop
  if (signal.aborted) return Promise.reject(signal.reason)
  const handler = new Exchange(hop)
  const { method, headers, body = null } = message
  const path = `${url.pathname}${url.search}`
  // undici's own timers are as coarse as a second, and do not know the connection's limit of a single request.
  const untimed = { headersTimeout: 0, bodyTimeout: 0 }
  dispatcher.dispatch({ origin: url.origin, path, method, headers, body, ...untimed }, handler)
  return handler.reply.promise
}
