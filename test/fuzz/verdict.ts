import { Ajv } from 'ajv'
import {
  ErrorInsights,
  ErrorOAuth,
  ErrorV1,
  ErrorV2,
  familyOf,
} from '../../server/platform/http/errors.ts'

const ajv = new Ajv({ strict: false })
const BODIES = {
  v1: ajv.compile(ErrorV1),
  v2: ajv.compile(ErrorV2),
  insights: ajv.compile(ErrorInsights),
  oauth: ajv.compile(ErrorOAuth),
}

/** Internals that must not leak: stacks, files, engines. */
const INTERNAL =
  /\n\s+at |\.[jt]s:\d+|node_modules|node:internal|\b(Type|Reference|Syntax|Range|URI)Error\b|FST_ERR|is not a function|Cannot (read|convert)|of undefined|syntax error at|violates |relation "|column "|invalid input syntax|PostgreSQL/

/** API paths; browser pages have other errors. */
const PROGRAMS = /^\/(api|insights|auth|oauth2)\//i

export interface Answer {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Faults of a response, independent of the request. */
export function faultsOf(url: string, { statusCode, headers, body }: Answer): string[] {
  const faults: string[] = []
  if (statusCode >= 500) faults.push(`answered ${statusCode}`)
  // Records contain user-supplied text, so check only errors.
  if (statusCode >= 400 && INTERNAL.test(body)) faults.push('leaks internals')
  if (statusCode >= 400 && PROGRAMS.test(url)) {
    const type = String(headers['content-type'])
    if (!/^application\/json(;|$)/.test(type)) faults.push(`its content type is ${type}`)
    if (!BODIES[familyOf(url)](parsed(body))) faults.push('its body is not that of its API family')
  }
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('has no security headers')
  return faults
}
