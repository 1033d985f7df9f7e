import { codeOf } from '../platform/errors.ts'
import { OutboundError, type OutboundProblem } from '../platform/outbound/errors.ts'

/**
 * What the caller should do:
 *  - `transient`: try again later, after `retryAfterMs` at the earliest
 *  - `not_found`: the resource is gone; create it again, or forget it
 *  - `exists`: another resource has this name; find it and adopt it
 *  - `rejected`: the same request will fail again; show it to an administrator
 *  - `misconfigured`: every request will fail; stop until the connection is corrected
 */
export type ScimFailureKind = 'transient' | 'not_found' | 'exists' | 'rejected' | 'misconfigured'

interface FailureExtras {
  status?: number
  retryAfterMs?: number
  detail?: string
  cause?: unknown
}

/** The message is for the administrator. Neither it nor `detail` holds a secret. */
export class ScimFailure extends Error {
  readonly kind: ScimFailureKind
  /** Absent if no response arrived. */
  readonly status: number | undefined
  /** 0 if the provider named no time. It asks for a pause of all requests, not only of this one. */
  readonly retryAfterMs: number
  /** The provider's own words, shortened. */
  readonly detail: string

  constructor(kind: ScimFailureKind, message: string, extras: FailureExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = 'ScimFailure'
    this.kind = kind
    this.status = extras.status
    this.retryAfterMs = extras.retryAfterMs ?? 0
    this.detail = extras.detail ?? ''
  }
}

const KIND_OF: Record<OutboundProblem, ScimFailureKind> = {
  bad_url: 'misconfigured',
  refused_address: 'misconfigured',
  unknown_host: 'misconfigured',
  tls: 'misconfigured',
  bad_redirect: 'misconfigured',
  connection: 'transient',
  timeout: 'transient',
  bad_answer: 'transient',
  too_large: 'rejected',
}

/** No response arrived. Returns errors that are not about the provider unchanged. */
export function unanswered(error: unknown, to: string): unknown {
  const failure = (kind: ScimFailureKind, words: string) =>
    new ScimFailure(kind, `Could not ${to}: ${words}`, { cause: error })
  // undici refuses to send it.
  if (codeOf(error) === 'UND_ERR_INVALID_ARG')
    return failure('misconfigured', 'the credentials contain characters that HTTP does not allow')
  if (!(error instanceof OutboundError)) return error
  // The resolver is unavailable, so the name may be right.
  const unresolved = codeOf(error.cause) === 'EAI_AGAIN'
  return failure(unresolved ? 'transient' : KIND_OF[error.problem], error.message)
}
