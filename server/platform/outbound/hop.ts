import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

export interface Limits {
  /** Until the connection is open, including DNS and TLS; never longer than MAX_CONNECT_MS. */
  connectMs: number
  /** From then, or from the last chunk of the request body, until the response headers. */
  headersMs: number
  /** Between two chunks of the response, while it is being read. */
  idleMs?: number | undefined
  /** Of the response body. */
  maxBytes?: number | undefined
}

export interface Message {
  method: string
  headers: Record<string, string>
  body?: string | Buffer | Readable | undefined
}

/** Must be read to the end or destroyed: until then it holds a connection. */
export interface AnswerBody extends Readable {
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer>
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: AnswerBody
}

export interface Hop {
  dispatcher: Dispatcher
  url: URL
  message: Message
  limits: Limits
  /** Aborts the hop with its reason. */
  signal: AbortSignal
  /** Called once a started response ended, was abandoned or failed, and the connection is free. */
  onEnd: () => void
}
