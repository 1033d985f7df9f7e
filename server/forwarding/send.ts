import { STATUS_CODES } from 'node:http'
import type { Outbound } from '../platform/outbound/client.ts'
import { OutboundError } from '../platform/outbound/errors.ts'
import { readRetryAfter } from '../platform/outbound/retry.ts'
import { signatureHeaders } from './signature.ts'

const TOTAL_MS = 20_000
const HEADERS_MS = 15_000

export interface Target {
  url: string
  format: 'json' | 'ndjson'
  /** In plain text, newest first. */
  secrets: string[]
}

export interface Outcome {
  delivered: boolean
  http_status: number | null
  duration_ms: number
  error: string | null
  /** 410: the receiver wants no more events. */
  gone: boolean
  retryAfter: number
}

const TYPE = { json: 'application/json', ndjson: 'application/x-ndjson' }

/** Documents are sent as stored; in NDJSON, line breaks between JSON tokens become spaces. */
const bodyOf = (format: 'json' | 'ndjson', documents: readonly string[]): string =>
  format === 'json'
    ? `[${documents.join(',')}]`
    : documents.map((document) => `${document.replace(/[\r\n]+/g, ' ')}\n`).join('')

/** Sends one signed request. Never rejects: every failure is an outcome. */
export async function send(
  outbound: Outbound,
  { url, format, secrets }: Target,
  webhookId: string,
  documents: readonly string[],
  now: () => number,
): Promise<Outcome> {
  const started = performance.now()
  const outcome = (http_status: number | null, error: string | null, retryAfter = 0): Outcome => ({
    delivered: error === null,
    http_status,
    duration_ms: Math.round(performance.now() - started),
    error,
    gone: http_status === 410,
    retryAfter,
  })
  const body = bodyOf(format, documents)
  try {
    const { status, headers } = await outbound.request(url, {
      method: 'POST',
      headers: {
        'content-type': TYPE[format],
        ...signatureHeaders(secrets, webhookId, now(), body),
      },
      body,
      repeatable: true,
      totalMs: TOTAL_MS,
      headersMs: HEADERS_MS,
    })
    if (status >= 200 && status < 300) return outcome(status, null)
    const words = `The receiver answered ${status} ${STATUS_CODES[status] ?? ''}`.trim()
    return outcome(status, words, readRetryAfter(headers['retry-after'], now()))
  } catch (error) {
    if (error instanceof OutboundError) return outcome(null, error.message)
    throw error
  }
}
