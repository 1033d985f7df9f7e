import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translate } from '../db/index.ts'
import { AppError } from '../errors.ts'
import { refuseOrgId } from './authorize.ts'
import { errorBody, type Failure, familyOf, frameworkReason, STATUS } from './errors.ts'
import { noteFailure } from './request-log.ts'
import { describeViolations } from './violations.ts'

function describe(error: unknown): Failure {
  const known = translate(error)
  if (known instanceof AppError) {
    const { reason, message, retryAfter, details } = known
    return { status: STATUS[known.kind], reason, message, retryAfter, details }
  }
  const { statusCode, message, validation, validationContext } = known as FastifyError
  if (validation) {
    const violations = describeViolations(validation, validationContext)
    const details = [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolationsList: violations.fields,
      },
    ]
    return { status: 400, reason: 'validation', message: violations.message, details }
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { status: statusCode, reason: frameworkReason(statusCode), message }
  }
  if (statusCode === 503)
    return {
      status: 503,
      reason: frameworkReason(503),
      message: 'Overloaded; try again shortly',
      retryAfter: 1,
    }
  return {
    status: 500,
    reason: frameworkReason(500),
    message: 'Internal error; see the log for this request id',
  }
}

/** Notes why a request failed for its line in the log, and returns the part of the error that its caller may see. */
export function reportFailure(error: unknown, request: FastifyRequest): Failure {
  const failure = describe(error)
  const { status, reason, message } = failure
  const line = {
    reason,
    status,
    ...((status >= 500 || (error as Error).cause !== undefined) && { err: error }),
  }
  noteFailure(request, { line, message })
  return failure
}

function onError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = reportFailure(error, request)
  const { status, retryAfter } = failure
  if (retryAfter !== undefined)
    reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))))
  if (status === 401 && familyOf(request.url) === 'oauth')
    reply.header('www-authenticate', 'Basic realm="gatehouse"')
  return reply.code(status).send(errorBody(familyOf(request.url), failure))
}

export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler(onError)
  app.setNotFoundHandler((request, reply) => {
    refuseOrgId(request)
    const message = `${STATUS_CODES[404]}: no route for ${request.method} ${request.url.split('?')[0]}`
    const failure = { status: 404, reason: frameworkReason(404), message }
    return reply.code(404).send(errorBody(familyOf(request.url), failure))
  })
}
