/** Domain error kinds. Only the HTTP layer maps a kind to a status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'precondition'
  | 'throttled'
  | 'unavailable'

interface ErrorExtras {
  /** Private detail: logged, never sent. */
  cause?: unknown
  /** Seconds after which a retry makes sense. */
  retryAfter?: number
  /** google.rpc detail objects of the v2 error body. */
  details?: object[]
}

export class AppError extends Error {
  readonly kind: ErrorKind
  /** Stable snake_case for machines; tests assert it. */
  readonly reason: string
  readonly retryAfter: number | undefined
  readonly details: object[]

  constructor(kind: ErrorKind, reason: string, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = 'AppError'
    this.kind = kind
    this.reason = reason
    this.retryAfter = extras.retryAfter
    this.details = extras.details ?? []
  }
}

const maker = (kind: ErrorKind) => (reason: string, message: string, extras?: ErrorExtras) =>
  new AppError(kind, reason, message, extras)

export const invalid = maker('invalid')
export const unauthenticated = maker('unauthenticated')
export const forbidden = maker('forbidden')
export const notFound = maker('not_found')
export const conflict = maker('conflict')
export const precondition = maker('precondition')
export const throttled = maker('throttled')
export const unavailable = maker('unavailable')

/** An operator's mistake, such as a bad setting: shown as one line, without a stack trace. */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OperatorError'
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof AggregateError && error.errors.length > 0
    ? messageOf(error.errors[0])
    : error instanceof Error
      ? error.message
      : String(error)

export const codeOf = (error: unknown): string | undefined => {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}
