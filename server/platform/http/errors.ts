import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { translate } from '../db.ts'
import { AppError, type ErrorKind } from '../errors.ts'
import { refuseOrgId } from './authorize.ts'
import { describeViolations } from './violations.ts'

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition: 412,
  throttled: 429,
  unavailable: 503,
}

/** The words of google.rpc.Code, which v2 bodies carry as `status`. Other 4xx are INVALID_ARGUMENT. */
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

export const ErrorV1 = Type.Object(
  { status: Type.Integer(), code: Type.Integer(), error: Type.String(), message: Type.String() },
  { title: 'ErrorV1' },
)
export const ErrorV2 = Type.Object(
  {
    code: Type.Integer(),
    status: Type.String(),
    message: Type.String(),
    details: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'ErrorV2' },
)
export const ErrorInsights = Type.Object({ message: Type.String() }, { title: 'ErrorInsights' })
/** RFC 6749 §5.2 */
export const ErrorOAuth = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: 'ErrorOAuth' },
)

export type Family = 'v1' | 'v2' | 'insights' | 'oauth'

export function familyOf(url: string): Family {
  const path = url.toLowerCase()
  if (path.startsWith('/insights/')) return 'insights'
  if (path.startsWith('/oauth2/')) return 'oauth'
  if (path.startsWith('/api/v2/') || path.startsWith('/auth/')) return 'v2'
  return 'v1'
}

const FAMILY_SCHEMA = { v1: ErrorV1, v2: ErrorV2, insights: ErrorInsights, oauth: ErrorOAuth }

/** The error answers every route may give, for its `response` map. */
export const errorsOf = (family: Family) => ({
  '4xx': FAMILY_SCHEMA[family],
  '5xx': FAMILY_SCHEMA[family],
})

const OAUTH_ERROR: Record<number, string> = {
  400: 'invalid_request',
  401: 'invalid_client',
  403: 'insufficient_scope',
  503: 'temporarily_unavailable',
}

export function errorBody(
  family: Family,
  status: number,
  message: string,
  details: object[] = [],
): object {
  switch (family) {
    case 'v1':
      return { status, code: status, error: message, message }
    case 'v2':
      return {
        code: status,
        status: RPC_STATUS[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNKNOWN'),
        message,
        details,
      }
    case 'insights':
      return { message }
    case 'oauth':
      return { error: OAUTH_ERROR[status] ?? 'invalid_request', error_description: message }
  }
}

interface Failure {
  status: number
  reason: string
  message: string
  retryAfter?: number | undefined
  details?: object[]
}

function describe(error: unknown): Failure {
  const known = translate(error)
  if (known instanceof AppError) {
    const { reason, message, retryAfter, details } = known
    return { status: STATUS[known.kind], reason, message, retryAfter, details }
  }
  const { statusCode, code, message, validation, validationContext } = known as FastifyError
  if (validation) {
    const told = describeViolations(validation, validationContext)
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolationsList: told.fields },
    ]
    return { status: 400, reason: 'validation', message: told.message, details }
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { status: statusCode, reason: (code ?? 'bad_request').toLowerCase(), message }
  }
  if (statusCode === 503)
    return {
      status: 503,
      reason: 'overloaded',
      message: 'Overloaded; try again shortly',
      retryAfter: 1,
    }
  return {
    status: 500,
    reason: 'internal',
    message: 'Internal error; the log tells more under this request id',
  }
}

/** Logs the one line about a request that failed, and tells what its caller may know. */
export function reportFailure(error: unknown, request: FastifyRequest): Failure {
  const failure = describe(error)
  const { status, reason, message } = failure
  const line = {
    reason,
    status,
    ...((status >= 500 || (error as Error).cause !== undefined) && { err: error }),
  }
  if (status >= 500) request.log.error(line, 'request failed')
  else request.log.info(line, message)
  return failure
}

function onError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { status, message, retryAfter, details } = reportFailure(error, request)
  if (retryAfter !== undefined)
    reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))))
  if (status === 401 && familyOf(request.url) === 'oauth')
    reply.header('www-authenticate', 'Basic realm="gatehouse"')
  return reply.code(status).send(errorBody(familyOf(request.url), status, message, details))
}

export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler(onError)
  app.setNotFoundHandler((request, reply) => {
    refuseOrgId(request)
    const message = `${STATUS_CODES[404]}: there is no ${request.method} ${request.url.split('?')[0]}`
    return reply.code(404).send(errorBody(familyOf(request.url), 404, message))
  })
}
