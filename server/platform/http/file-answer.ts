import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { unauthenticated } from '../errors.ts'
import { type Authenticate, stillAdmitted } from './authorize.ts'

/** A client that reads nothing for this long is disconnected, to free its slot. */
const STALLED_MS = 120_000

const COMPRESSORS: Record<'br' | 'gzip', () => Transform> = {
  // Higher levels take many times as long for little gain.
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
}
type Encoding = keyof typeof COMPRESSORS

/** The client's preferred content coding; among equals, the one that compresses better. Undefined for identity. */
export function contentCoding(accepted: string | undefined): Encoding | undefined {
  const headers = { 'accept-encoding': accepted ?? '' }
  const preferred = ['br', 'gzip']
  // Its types lack the second argument.
  const negotiator: {
    encoding(offers: string[], options: { preferred: string[] }): string | undefined
  } = new Negotiator({ headers })
  const encoding = negotiator.encoding([...preferred, 'identity'], { preferred })
  return encoding === 'br' || encoding === 'gzip' ? encoding : undefined
}

/**
 * A truncated file must not look complete. Without chunked encoding (HTTP/1.0, as some proxies use) a normal close
 * would; a reset does not.
 */
function breakOff(raw: ServerResponse): void {
  const { socket } = raw
  if (socket instanceof Socket && socket.remoteFamily !== undefined) socket.resetAndDestroy()
  raw.destroy()
}

/** Resets before the pipeline sees the failure: it would close the connection normally. */
async function* guarded(text: AsyncIterable<string>, raw: ServerResponse): AsyncGenerator<string> {
  try {
    yield* text
  } catch (error) {
    breakOff(raw)
    throw error
  }
}

/** Stops the response when its credential has expired or been revoked meanwhile. */
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
  /** The next chunk is pulled when the client has read the one before. */
  text: AsyncIterable<string>
  /** Request headers that the file depends on, besides Accept-Encoding. */
  vary?: string
  stalledMs?: number
}

/**
 * Responds with a file of any length. If it cannot be completed, or the client stalls for too long, the connection is
 * reset and this rejects.
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
  // Without a timeout listener the server destroys an idle connection.
  if (raw.socket instanceof Socket) raw.socket.setTimeout(stalledMs)
  const source = Readable.from(guarded(text, raw), { objectMode: false })
  await pipeline([source, ...compressor, raw])
}
