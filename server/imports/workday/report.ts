import { invalid } from '../../platform/errors.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { OutboundError } from '../../platform/outbound/errors.ts'
import { readEntries } from './entries.ts'

const MAX_REPORT_BYTES = 67_108_864
/** Workday runs the report before it answers. */
const HEADERS_MS = 60_000
const TOTAL_MS = 180_000
const CONCURRENCY = 2

export interface Credentials {
  username: string
  password: string
}

interface Report {
  url: string
  credentials: Credentials
  /** Requests with the same key share a limit. */
  key: string
}

/** Without it Workday answers in XML. */
export function checkFormat(reportUrl: string): void {
  const format = URL.parse(reportUrl)?.searchParams.get('format') ?? 'json'
  if (format.toLowerCase() !== 'json')
    throw invalid('bad_url', 'reportUrl: the report must be read as JSON, with format=json')
}

function addressOf(reportUrl: string): string {
  const url = new URL(reportUrl)
  if (!url.searchParams.has('format')) url.searchParams.set('format', 'json')
  return url.href
}

const unavailable = (why: string, cause?: unknown) =>
  invalid('report_unavailable', `The report cannot be read: ${why}`, { cause })

function checkStatus(status: number): void {
  if (status === 401 || status === 403)
    throw invalid(
      'report_refused',
      `The report cannot be read: its server refused the user name or password (status ${status})`,
    )
  if (status !== 200) throw unavailable(`its server responded with status ${status}`)
}

/** The entries of the report. Every failure of its server is an AppError; leaving the iteration closes the connection. */
export async function* readReport(
  outbound: Outbound,
  { url, credentials: { username, password }, key }: Report,
): AsyncGenerator<Record<string, unknown>> {
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  try {
    const { status, body } = await outbound.stream(addressOf(url), {
      headers: { accept: 'application/json', authorization: `Basic ${basic}` },
      headersMs: HEADERS_MS,
      totalMs: TOTAL_MS,
      maxBytes: MAX_REPORT_BYTES,
      throttle: { key, concurrency: CONCURRENCY },
    })
    try {
      checkStatus(status)
      yield* readEntries(body)
    } finally {
      body.destroy()
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw unavailable(error.message, error.cause)
  }
}
