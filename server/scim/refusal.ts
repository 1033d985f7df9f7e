import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import { readRetryAfter } from '../platform/outbound/retry.ts'
import type { Answer } from './answer.ts'
import { ScimFailure, type ScimFailureKind } from './failures.ts'
import { isObject, type Json } from './resource.ts'

const MAX_DETAIL = 300
const MAX_RETRY_AFTER_MS = 3_600_000

/** Where error bodies put their words: RFC 7644 §3.12, RFC 6749 §5.2, RFC 9457, and habit, as in SCIM 1.1 (`Errors`). */
const DETAIL_FIELDS = [
  'detail',
  'error_description',
  'message',
  'description',
  'title',
  'error',
  'errors',
  'Errors',
]

/** Removes our secrets from a text of the provider, which may echo a request. */
export type Redact = (text: string) => string

export const redactor =
  (secrets: readonly string[]): Redact =>
  (text) =>
    secrets.reduce((rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest), text)

/** The first words in an error body; some nest them in an object or a list. */
function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  const parts = isObject(value)
    ? DETAIL_FIELDS.map((name) => value[name])
    : Array.isArray(value)
      ? value
      : []
  for (const part of parts) {
    const words = wordsIn(part)
    if (words !== '') return words
  }
  return ''
}

/** Lists of words by field, as Django REST framework and Rails write them. */
function wordsByField(content: Json): string {
  for (const [name, value] of Object.entries(content)) {
    if (name === 'schemas' || !Array.isArray(value) || typeof value[0] !== 'string') continue
    return name === 'non_field_errors' ? value[0] : `${name}: ${value[0]}`
  }
  return ''
}

/** The provider's words about an error, in one short line. */
export function detailOf({ content }: Answer, redact: Redact): string {
  // Redacted before it is cut: half a secret would not be recognized.
  const text = redact(
    isObject(content) ? wordsIn(content) || wordsByField(content) : '',
  ).toWellFormed()
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line
}

export const retryAfterOf = (headers: IncomingHttpHeaders, now: number): number =>
  Math.min(readRetryAfter(headers['retry-after'], now), MAX_RETRY_AFTER_MS)

/** Providers that answer 400 or 422 to a duplicate rarely send a scimType. */
const DUPLICATE = /already|duplicate|unique|in use|taken/i

function kindOf(answer: Answer, method: string, detail: string): ScimFailureKind {
  const { status, content } = answer
  if (status < 400 || status === 401 || status === 403) return 'misconfigured'
  // A collection that is missing, or a web server that knows nothing of SCIM.
  if (status === 404 && (method === 'POST' || content === 'html')) return 'misconfigured'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 409) return 'exists'
  if ([408, 412, 425, 429].includes(status)) return 'transient'
  if (status >= 500) return status === 501 ? 'rejected' : 'transient'
  const scimType = isObject(content) ? content.scimType : undefined
  if (scimType === 'uniqueness') return 'exists'
  const creates = method === 'POST' && (status === 400 || status === 422)
  return creates && DUPLICATE.test(detail) ? 'exists' : 'rejected'
}

function messageFor(kind: ScimFailureKind, status: number, to: string, detail: string): string {
  const words = (text: string) => `${text}${detail && `: ${detail}`} (${status})`
  if (status === 401) return words('The provider refused our credentials')
  if (status === 429) return words('The provider limits the rate of requests')
  if (status < 400) return `The provider redirects; use the final URL (${status})`
  if (kind === 'misconfigured' && status === 404)
    return `The provider has no SCIM service at this base URL (${status})`
  if (kind === 'transient') return words(`The provider failed to ${to}`)
  const reason = detail || (STATUS_CODES[status] ?? 'no reason given').toLowerCase()
  return `The provider refused to ${to}: ${reason} (${status})`
}

/** The failure that a response other than 2xx stands for. */
export function refusal(
  answer: Answer,
  request: { method: string; to: string },
  redact: Redact,
  now: number,
): ScimFailure {
  const { status, headers } = answer
  const detail = detailOf(answer, redact)
  const kind = kindOf(answer, request.method, detail)
  const message = messageFor(kind, status, request.to, detail)
  return new ScimFailure(kind, message, {
    status,
    detail,
    retryAfterMs: retryAfterOf(headers, now),
  })
}
