import { errors } from 'undici'
import { codeOf, messageOf } from '../errors.ts'
import { OutboundError } from './errors.ts'
import { MAX_CONNECT_MS } from './transport.ts'

export const timedOut = (what: string, ms: number) =>
  new OutboundError('timeout', `${what} within ${ms / 1000} seconds`)

/** Codes of Node for certificate errors and of OpenSSL for TLS errors. */
const TLS = /CERT|SSL|TLS|UNABLE_TO_|SELF_SIGNED|EPROTO|HOSTNAME|CRL_/

/** The peer closed the connection: by FIN, by RST, or in the middle of a body. */
const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])

/** The request may have been lost, unread, on a connection that was just being closed. */
export const wasClosed = (error: unknown): boolean =>
  error instanceof OutboundError &&
  error.problem === 'connection' &&
  CLOSED.has(codeOf(error.cause) ?? '')

/** Translates an error of undici or Node for the administrator. */
export function explain(error: Error, where: string, answered: boolean): Error {
  const code = codeOf(error) ?? ''
  // An invalid header or method is the caller's bug, so it passes unchanged.
  if (error instanceof OutboundError || code === 'UND_ERR_INVALID_ARG') return error
  if (TLS.test(code)) {
    const words = messageOf(error).split('\n')[0]
    return new OutboundError('tls', `No secure connection to ${where}: ${words} (${code})`, error)
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return timedOut(`No connection to ${where}`, MAX_CONNECT_MS)
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundError('bad_answer', `${where} sent headers that are too large`, error)
  // undici's socket errors include an unsolicited response and a protocol switch.
  const bad = code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')
  // A truncated chunked response; the parser sets no code.
  const cut = error instanceof errors.HTTPParserError && error.message.includes('EOF')
  if (bad || (error instanceof errors.HTTPParserError && !cut))
    return new OutboundError('bad_answer', `${where} did not send a valid HTTP response`, error)
  const closed = `${where} closed the connection ${answered ? 'in the middle of its response' : 'without a response'}`
  const words: Record<string, string> = {
    ECONNREFUSED: `${where} refused the connection`,
    EHOSTUNREACH: `${where} is unreachable`,
    ENETUNREACH: `${where} is unreachable`,
    EADDRNOTAVAIL: `${where} is unreachable`,
    ETIMEDOUT: `${where} did not respond`,
  }
  return new OutboundError(
    'connection',
    cut || CLOSED.has(code)
      ? closed
      : (words[code] ?? `The connection to ${where} failed: ${messageOf(error)}`),
    error,
  )
}
