import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'
import type { Logger } from '../log.ts'
import { errorBody, familyOf, frameworkReason } from './errors.ts'

// Requests that no route ever sees, because Node or the router refuses them. Their bodies are those of all other errors.

type Headers = Record<string, string>

export const MAX_PARAM_LENGTH = 256

const WORDS = new Map([
  ['FST_ERR_BAD_URL', 'The path has a percent sign that does not encode a character'],
  [
    'FST_ERR_MAX_PARAM_LENGTH',
    `A part of the path is longer than ${MAX_PARAM_LENGTH} characters: the longest that an id can be`,
  ],
])

/** For paths that the router cannot read. No hook has run. */
export const refusePath =
  (headers: Headers) => (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const { statusCode: status = 400, code } = error
    const message = WORDS.get(code) ?? error.message
    const failure = { status, reason: frameworkReason(status), message }
    request.log.info({ reason: failure.reason, code, status }, message)
    return reply
      .code(status)
      .headers({ ...headers, 'x-request-id': request.id, 'cache-control': 'no-store' })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(familyOf(request.url), failure)))
  }

/** RFC 9112 §3.2. Node would answer by itself, with nothing in the body. */
export function requireHost({ raw }: FastifyRequest): void {
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
    throw invalid('host_missing', 'The Host header is missing')
}

/** RFC 9110 §10.1.1: an expectation other than 100-continue. Node would answer it with nothing in the body, too. */
export const refuseExpectation =
  (headers: Headers) => (request: IncomingMessage, response: ServerResponse) => {
    const status = 417
    const message = 'The service meets no expectation but 100-continue'
    const failure = { status, reason: frameworkReason(status), message }
    const body = JSON.stringify(errorBody(familyOf(request.url ?? ''), failure))
    response
      .writeHead(status, {
        ...headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
  }

/** What Node knows of the request that an open connection is answering. */
type Connection = Socket & { _httpMessage?: { req: IncomingMessage; headersSent: boolean } }

const REQUEST_LINE = /^[A-Z]+ (\S+)/

/** Where the request was going, if that much of it can be read. */
function targetOf({ rawPacket }: ConnectionError, { _httpMessage: message }: Connection): string {
  // The bytes that came last, which the types take for their form in JSON; none when time was up.
  const bytes = rawPacket as unknown as Buffer | undefined
  const line = bytes?.subarray(0, 1024).toString('latin1') ?? ''
  return message?.req.url ?? REQUEST_LINE.exec(line)?.[1] ?? ''
}

function statusOf(code: string | undefined): [status: number, message: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive']
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'The headers of the request are too large']
  return [400, 'The request is not valid HTTP']
}

/** For bytes that are no request; the connection is of no further use. */
export const refuseBytes =
  (headers: Headers, log: Logger) =>
  (error: ConnectionError, socket: Connection): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [status, message] = statusOf(error.code)
    const failure = { status, reason: frameworkReason(status), message }
    log.info({ reason: failure.reason, code: error.code, status }, message)
    // An answer that has begun cannot become another one.
    if (socket.writable && !socket._httpMessage?.headersSent) {
      const family = familyOf(targetOf(error, socket))
      const body = JSON.stringify(errorBody(family, failure))
      const lines = Object.entries({
        ...headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
    }
    socket.destroySoon()
  }
