import { errors } from 'undici'
import { codeOf, messageOf } from '../errors.ts'
import { OutboundError } from './errors.ts'
import { MAX_CONNECT_MS } from './transport.ts'

export const timedOut = (what: string, ms: number) =>
  new OutboundError('timeout', `${what} within ${ms / 1000} seconds`)

/** Node names what is wrong with a certificate in codes like these, OpenSSL what is wrong with TLS. */
const TLS = /CERT|SSL|TLS|UNABLE_TO_|SELF_SIGNED|EPROTO|HOSTNAME|CRL_/

/** The other side hung up: by FIN, by RST, or in the middle of a body. */
const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])

/** The request may have been lost on a connection that was closed just then, and never been read. */
export const wasClosed = (error: unknown): boolean =>
  error instanceof OutboundError &&
  error.problem === 'connection' &&
  CLOSED.has(codeOf(error.cause) ?? '')

/** An error of undici or of Node in words for the person who can mend it. */
export function explain(error: Error, where: string, answered: boolean): Error {
  const code = codeOf(error) ?? ''
  // A header or method that cannot be sent is a mistake of the caller, who shall see it as it is.
  if (error instanceof OutboundError || code === 'UND_ERR_INVALID_ARG') return error
  if (TLS.test(code)) {
    const words = messageOf(error).split('\n')[0]
    return new OutboundError('tls', `No secure connection to ${where}: ${words} (${code})`, error)
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return timedOut(`No connection to ${where}`, MAX_CONNECT_MS)
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundError('bad_answer', `${where} answers with too long headers`, error)
  // Among undici's socket errors are an answer nobody asked for and a switch of protocols.
  const bad = code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')
  // A chunked answer that lacks its end; the parser gives no code.
  const cut = error instanceof errors.HTTPParserError && error.message.includes('EOF')
  if (bad || (error instanceof errors.HTTPParserError && !cut))
    return new OutboundError('bad_answer', `${where} does not answer in HTTP`, error)
  const closed = `${where} closed the connection ${answered ? 'amid its answer' : 'without an answer'}`
  const words: Record<string, string> = {
    ECONNREFUSED: `${where} refuses connections`,
    EHOSTUNREACH: `${where} cannot be reached`,
    ENETUNREACH: `${where} cannot be reached`,
    EADDRNOTAVAIL: `${where} cannot be reached`,
    ETIMEDOUT: `${where} does not answer`,
  }
  return new OutboundError(
    'connection',
    cut || CLOSED.has(code)
      ? closed
      : (words[code] ?? `The connection to ${where} failed: ${messageOf(error)}`),
    error,
  )
}
