import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { AnswerBody } from '../../platform/outbound/hop.ts'
import { detailOf, readContent, retryAfterOf } from '../../scim/index.ts'
import { SourceFailure } from './failures.ts'
import type { Format } from './settings.ts'

interface Response {
  status: number
  headers: IncomingHttpHeaders
  body: AnswerBody
}

const OVERLOADED = new Set([408, 425, 429])

function failureOf(status: number, detail: string) {
  const words = (text: string) => `${text}${detail && `: ${detail}`} (${status})`
  if (status < 400)
    return ['misconfigured', `The source redirects; use the final URL (${status})`] as const
  if (status === 401) return ['misconfigured', words('The source refused our credentials')] as const
  if (status === 403) return ['misconfigured', words('The source does not let us read')] as const
  if (status === 404 || status === 405 || status === 410)
    return ['misconfigured', words('The source has no list at this URL')] as const
  if (status === 429) return ['transient', words('The source limits the rate of requests')] as const
  if (OVERLOADED.has(status) || (status >= 500 && status !== 501))
    return ['transient', words('The source failed')] as const
  const reason = detail || (STATUS_CODES[status] ?? 'no reason given').toLowerCase()
  return ['rejected', `The source refused the request: ${reason} (${status})`] as const
}

/** The failure that a response other than 2xx stands for. */
export async function refusal(
  { status, headers, body }: Response,
  redact: (text: string) => string,
  now: number,
): Promise<SourceFailure> {
  const content = await readContent(body)
  const [kind, message] = failureOf(status, detailOf({ status, headers, content }, redact))
  return new SourceFailure(kind, message, { status, retryAfterMs: retryAfterOf(headers, now) })
}

const ACCEPTED: Record<Format, { accept: string; types: RegExp; words: string }> = {
  json: { accept: 'application/json', types: /json|javascript/, words: 'JSON' },
  jsonl: {
    accept: 'application/x-ndjson, application/jsonl, application/json;q=0.9',
    types: /json/,
    words: 'JSON Lines',
  },
  csv: { accept: 'text/csv', types: /csv|tab-separated|excel/, words: 'CSV' },
}

export const acceptOf = (format: Format): string => `${ACCEPTED[format].accept}, */*;q=0.1`

/** Says nothing about the content. */
const UNTYPED = /^(|text\/plain|(application|binary)\/octet-stream|application\/download)$/

const webPage = (status: number) =>
  new SourceFailure('misconfigured', `The source answers with a web page (${status})`, { status })

/** Returns the charset. */
export function checkType({ status, headers }: Response, format: Format): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const { types, words } = ACCEPTED[format]
  const mime = type.trim()
  if (mime === 'text/html' || mime === 'application/xhtml+xml') throw webPage(status)
  if (!UNTYPED.test(mime) && !types.test(mime))
    throw new SourceFailure('misconfigured', `The source sends ${mime} instead of ${words}`, {
      status,
    })
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw new SourceFailure('misconfigured', `The source sends ${encoding}, though not asked to`)
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)/.exec(one)?.[1])
  return charset.find((found) => found !== undefined) ?? 'utf-8'
}

/** Sign-in pages are sent with any content type. */
export async function* refuseWebPages(
  text: AsyncIterable<string>,
  status: number,
): AsyncGenerator<string> {
  let started = false
  for await (const piece of text) {
    const first = piece.trimStart()[0]
    if (!started && first === '<') throw webPage(status)
    started ||= first !== undefined
    yield piece
  }
}
