import { ScimFailure, type ScimFailureKind } from '../../scim/index.ts'

/**
 * What the caller should do:
 *  - `transient`: try again later, after `retryAfterMs` at the earliest; a few attempts were made already
 *  - `rejected`: the same reading will fail again; show it to an administrator
 *  - `misconfigured`: every reading will fail until the settings or the credentials are corrected
 */
type SourceFailureKind = 'transient' | 'rejected' | 'misconfigured'

/** The message is for the administrator, and holds no secret. */
export class SourceFailure extends Error {
  readonly kind: SourceFailureKind
  /** Absent if no response arrived. */
  readonly status: number | undefined
  /** 0 if the source named no time. */
  readonly retryAfterMs: number

  constructor(
    kind: SourceFailureKind,
    message: string,
    extras: { status?: number | undefined; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = 'SourceFailure'
    this.kind = kind
    this.status = extras.status
    this.retryAfterMs = extras.retryAfterMs ?? 0
  }
}

/** A list that is not there is at another URL. */
const KIND_OF: Record<ScimFailureKind, SourceFailureKind> = {
  transient: 'transient',
  misconfigured: 'misconfigured',
  not_found: 'misconfigured',
  exists: 'rejected',
  rejected: 'rejected',
}

/** Returns errors that are not about the source unchanged. */
export function asSourceFailure(error: unknown): unknown {
  if (!(error instanceof ScimFailure)) return error
  const { kind, message, status, retryAfterMs } = error
  return new SourceFailure(KIND_OF[kind], message, { status, retryAfterMs, cause: error })
}
