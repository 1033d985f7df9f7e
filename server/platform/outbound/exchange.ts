import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { codeOf, messageOf } from '../errors.ts'
import type { Destination } from './destination.ts'
import { OutboundError } from './errors.ts'

export interface Limits {
  /** Until the connection stands, with DNS and TLS. */
  connectMs: number
  /** From then until the head of the answer. */
  headersMs: number
  /** All of it, redirects included. */
  totalMs: number
  /** Of the body of the answer. */
  maxBytes: number
}

export interface Message {
  method: string
  headers: Record<string, string>
  body?: string | Buffer | undefined
}

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** The socket asks here instead of DNS, so it can only reach what was checked. */
const pinned =
  ({ addresses }: Destination): LookupFunction =>
  (_, options, done) => {
    if (options.all) done(null, addresses)
    else done(null, addresses[0]!.address, addresses[0]!.family)
  }

export const timedOut = (what: string, ms: number) =>
  new OutboundError('timeout', `${what} within ${ms / 1000} seconds`)

/** Node names what is wrong with a certificate in codes like these, OpenSSL what is wrong with TLS. */
const TLS = /CERT|SSL|TLS|UNABLE_TO_|SELF_SIGNED|EPROTO|HOSTNAME|CRL_/

function explain(error: unknown, where: string): OutboundError {
  if (error instanceof OutboundError) return error
  const code = codeOf(error) ?? ''
  if (TLS.test(code)) {
    const words = messageOf(error).split('\n')[0]
    return new OutboundError('tls', `No secure connection to ${where}: ${words} (${code})`, error)
  }
  if (code.startsWith('HPE_'))
    return new OutboundError('bad_answer', `${where} does not answer in HTTP`, error)
  const words: Record<string, string> = {
    ECONNREFUSED: `${where} refuses connections`,
    ECONNRESET: `${where} closed the connection without an answer`,
    EPIPE: `${where} closed the connection without an answer`,
    EHOSTUNREACH: `${where} cannot be reached`,
    ENETUNREACH: `${where} cannot be reached`,
    EADDRNOTAVAIL: `${where} cannot be reached`,
    ETIMEDOUT: `${where} does not answer`,
  }
  return new OutboundError(
    'connection',
    words[code] ?? `The connection to ${where} failed: ${messageOf(error)}`,
    error,
  )
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new OutboundError('too_large', `The answer is larger than ${maxBytes} bytes`)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) throw tooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export interface Hop {
  destination: Destination
  message: Message
  limits: Limits
  /** False: a connection of its own. */
  agent: HttpAgent | HttpsAgent | false
  ca: string | undefined
  /** Ends it all; its reason is the error. */
  signal: AbortSignal
}

/** One request and its answer. `onSocket` hears whether the connection is an older one. */
export async function exchange(hop: Hop, onSocket: (reused: boolean) => void): Promise<Answer> {
  const { destination, message, limits, agent, signal } = hop
  const { url, host } = destination
  const where = url.host
  const secure = url.protocol === 'https:'
  const give = secure ? httpsRequest : httpRequest
  const request = give(url, {
    method: message.method,
    headers: message.headers,
    agent,
    lookup: pinned(destination),
    ...(secure && {
      ...(hop.ca !== undefined && { ca: hop.ca }),
      // RFC 6066 §3: an address is no server name.
      servername: isIP(host) === 0 ? host : '',
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
    }),
  })
  const stop = () => request.destroy(signal.reason)
  const after = (ms: number, what: string) =>
    setTimeout(() => request.destroy(timedOut(what, ms)), ms)
  let timer = after(limits.connectMs, `No connection to ${where}`)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('error', reject)
      request.once('response', resolve)
      request.once('socket', (socket) => {
        onSocket(request.reusedSocket)
        const connected = () => {
          clearTimeout(timer)
          timer = after(limits.headersMs, `No answer from ${where}`)
        }
        if (request.reusedSocket) connected()
        else socket.once(secure ? 'secureConnect' : 'connect', connected)
      })
      request.end(message.body)
    })
    clearTimeout(timer)
    const body = await readBody(response, limits.maxBytes)
    return { status: response.statusCode ?? 0, headers: response.headers, body }
  } catch (error) {
    request.destroy()
    throw explain(signal.aborted ? signal.reason : error, where)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
