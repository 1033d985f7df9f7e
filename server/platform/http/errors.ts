import { Type } from 'typebox'
import type { ErrorKind } from '../errors.ts'

export const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition: 412,
  throttled: 429,
  unavailable: 503,
}

/** Names of google.rpc.Code, the `status` of v2 bodies. Other 4xx are INVALID_ARGUMENT. */
const RPC_STATUS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ALREADY_EXISTS',
  412: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

const Reason = Type.String({
  description: 'Stable, machine-readable error code; see docs/reasons.md',
})
export const ErrorV1 = Type.Object(
  {
    status: Type.Integer(),
    code: Type.Integer(),
    error: Type.String(),
    message: Type.String(),
    reason: Reason,
  },
  { title: 'ErrorV1' },
)
export const ErrorV2 = Type.Object(
  {
    code: Type.Integer(),
    status: Type.String(),
    message: Type.String(),
    details: Type.Array(Type.Object({}, { additionalProperties: true })),
    reason: Reason,
  },
  { title: 'ErrorV2' },
)
export const ErrorInsights = Type.Object(
  { message: Type.String(), reason: Reason },
  { title: 'ErrorInsights' },
)
/** RFC 6749 §5.2 */
export const ErrorOAuth = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()), reason: Reason },
  { title: 'ErrorOAuth' },
)

type Family = 'v1' | 'v2' | 'insights' | 'oauth'

export function familyOf(url: string): Family {
  const path = url.toLowerCase()
  if (path.startsWith('/insights/')) return 'insights'
  if (path.startsWith('/oauth2/')) return 'oauth'
  if (path.startsWith('/api/v2/') || path.startsWith('/auth/')) return 'v2'
  return 'v1'
}

const FAMILY_SCHEMA = { v1: ErrorV1, v2: ErrorV2, insights: ErrorInsights, oauth: ErrorOAuth }

/** Error responses common to all routes, for the `response` map. */
export const errorsOf = (family: Family) => ({
  '4xx': FAMILY_SCHEMA[family],
  '5xx': FAMILY_SCHEMA[family],
})

/** Reasons for errors of Node, Fastify and the server that are not an `AppError`. */
export const FRAMEWORK_REASONS: Record<number, string> = {
  400: 'bad_request',
  404: 'route_not_found',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'path_too_long',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  431: 'headers_too_large',
  500: 'internal',
  503: 'overloaded',
}
export const frameworkReason = (status: number): string =>
  FRAMEWORK_REASONS[status] ?? 'bad_request'

const OAUTH_ERROR: Record<number, string> = {
  400: 'invalid_request',
  401: 'invalid_client',
  403: 'insufficient_scope',
  503: 'temporarily_unavailable',
}

/** The public part of an error, for any family. */
export interface Failure {
  status: number
  reason: string
  message: string
  retryAfter?: number | undefined
  details?: object[]
}

export function errorBody(
  family: Family,
  { status, reason, message, details = [] }: Failure,
): object {
  switch (family) {
    case 'v1':
      return { status, code: status, error: message, message, reason }
    case 'v2':
      return {
        code: status,
        status: RPC_STATUS[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNKNOWN'),
        message,
        details,
        reason,
      }
    case 'insights':
      return { message, reason }
    case 'oauth':
      return { error: OAUTH_ERROR[status] ?? 'invalid_request', error_description: message, reason }
  }
}
