import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { unauthenticated } from '../errors.ts'
import { type Authenticate, stillAdmitted } from './authorize.ts'

/** Whoever takes nothing for this long gives the place to others. */
const STALLED_MS = 120_000

const COMPRESSORS: Record<'br' | 'gzip', () => Transform> = {
  // Higher levels take many times as long for little.
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
}
type Encoding = keyof typeof COMPRESSORS

/** The content coding that the client prefers; among equals, the smaller one. Undefined: as it is. */
export function contentCoding(accepted: string | undefined): Encoding | undefined {
  const headers = { 'accept-encoding': accepted ?? '' }
  const preferred = ['br', 'gzip']
  // Its types do not know the second argument.
  const negotiator: {
    encoding(offers: string[], options: { preferred: string[] }): string | undefined
  } = new Negotiator({ headers })
  const encoding = negotiator.encoding([...preferred, 'identity'], { preferred })
  return encoding === 'br' || encoding === 'gzip' ? encoding : undefined
}

/**
 * A file that broke off must not look like a short one. Without chunks (HTTP/1.0, as some proxies speak it) an
 * orderly end of the connection would; a reset does not.
 */
function breakOff(raw: ServerResponse): void {
  const { socket } = raw
  if (socket instanceof Socket && socket.remoteFamily !== undefined) socket.resetAndDestroy()
  raw.destroy()
}

/** Breaks off before the pipeline hears of the failure: it would close the connection in order. */
async function* guarded(text: AsyncIterable<string>, raw: ServerResponse): AsyncGenerator<string> {
  try {
    yield* text
  } catch (error) {
    breakOff(raw)
    throw error
  }
}

/** Whatever is still to come is not for those whose key or session has ended meanwhile. */
export async function checkAdmitted(
  request: FastifyRequest,
  authenticate: Authenticate,
): Promise<void> {
  if (!(await stillAdmitted(request, authenticate)))
    throw unauthenticated('access_ended', 'Unauthorized: the credential is no longer valid')
}

interface FileAnswer {
  /** Without a charset. */
  type: string
  name: string
  /** The next piece is asked for when the client has taken the one before. */
  text: AsyncIterable<string>
  /** Request headers, beside Accept-Encoding, that the file depends on. */
  vary?: string
  stalledMs?: number
}

/**
 * Answers with a file of any length. When it cannot be finished, or the client takes nothing for too long, the
 * connection breaks off and this rejects.
 */
export async function answerWithFile(
  reply: FastifyReply,
  { type, name, text, vary, stalledMs = STALLED_MS }: FileAnswer,
): Promise<void> {
  const { raw, request } = reply
  const encoding = contentCoding(request.headers['accept-encoding']?.toString())
  const compressor = encoding === undefined ? [] : [COMPRESSORS[encoding]()]
  reply.hijack()
  const headers: OutgoingHttpHeaders = {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': `${type}; charset=utf-8`,
    'content-disposition': `attachment; filename="${name}"`,
    vary: vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`,
    ...(compressor.length > 0 && { 'content-encoding': encoding }),
  }
  raw.writeHead(200, headers)
  // Without a listener for it, the server destroys a connection on which nothing moves.
  if (raw.socket instanceof Socket) raw.socket.setTimeout(stalledMs)
  const source = Readable.from(guarded(text, raw), { objectMode: false })
  await pipeline([source, ...compressor, raw])
}
