import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

export interface Limits {
  /** Until the connection stands, with DNS and TLS; never longer than MAX_CONNECT_MS. */
  connectMs: number
  /** From then, and from each part of a body that is sent, until the head of the answer. */
  headersMs: number
  /** Between two parts of the answer, while somebody reads. */
  idleMs?: number | undefined
  /** Of the body of the answer. */
  maxBytes?: number | undefined
}

export interface Message {
  method: string
  headers: Record<string, string>
  body?: string | Buffer | Readable | undefined
}

/** Must be read to its end or destroyed: until then it holds a connection. */
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
  /** Ends it all; its reason is the error. */
  signal: AbortSignal
  /** After an answer has begun: it came to its end, was left or broke off, and the connection is free. */
  onEnd: () => void
}
