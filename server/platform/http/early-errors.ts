import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'
import type { Logger } from '../log.ts'
import { errorBody, familyOf, frameworkReason } from './errors.ts'

// Requests that Node or the router rejects before any route. They get the same error bodies as all others.

type Headers = Record<string, string>

export const MAX_PARAM_LENGTH = 256

const WORDS = new Map([
  ['FST_ERR_BAD_URL', 'The path contains an invalid percent-encoding'],
  [
    'FST_ERR_MAX_PARAM_LENGTH',
    `A path segment is longer than ${MAX_PARAM_LENGTH} characters, the maximum length of an id`,
  ],
])

/** For paths that the router cannot parse. No hook has run. */
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

/** RFC 9112 §3.2. Node's own response would have an empty body. */
export function requireHost({ raw }: FastifyRequest): void {
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
    throw invalid('host_missing', 'The Host header is missing')
}

/** RFC 9110 §10.1.1: an expectation other than 100-continue. Node's own response would have an empty body. */
export const refuseExpectation =
  (headers: Headers) => (request: IncomingMessage, response: ServerResponse) => {
    const status = 417
    const message = 'The only supported expectation is 100-continue'
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

/** Node's record of the request being answered on a connection. */
type Connection = Socket & { _httpMessage?: { req: IncomingMessage; headersSent: boolean } }

const REQUEST_LINE = /^[A-Z]+ (\S+)/

/** The request target, as far as it can be read. */
function targetOf({ rawPacket }: ConnectionError, { _httpMessage: message }: Connection): string {
  // The last bytes received, which the types describe in JSON form; none after a timeout.
  const bytes = rawPacket as unknown as Buffer | undefined
  const line = bytes?.subarray(0, 1024).toString('latin1') ?? ''
  return message?.req.url ?? REQUEST_LINE.exec(line)?.[1] ?? ''
}

function statusOf(code: string | undefined): [status: number, message: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive']
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'The headers of the request are too large']
  return [400, 'The request is not valid HTTP']
}

/** For bytes that are not a valid request; the connection is closed. */
export const refuseBytes =
  (headers: Headers, log: Logger) =>
  (error: ConnectionError, socket: Connection): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [status, message] = statusOf(error.code)
    const failure = { status, reason: frameworkReason(status), message }
    log.info({ reason: failure.reason, code: error.code, status }, message)
    // A response that has started cannot be replaced.
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
