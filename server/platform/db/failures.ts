import { AppError, codeOf, invalid, unavailable } from '../errors.ts'

const CONNECTION_LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08006',
  '53300',
])
const CONNECTION_LOST_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Cannot use a pool after/

/** Maps database errors to a status and reason: 503 when it is unavailable, 400 for text it cannot store. */
export function translate(error: unknown): unknown {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  const lost =
    (code !== undefined && CONNECTION_LOST.has(code)) ||
    (error instanceof Error && CONNECTION_LOST_TEXT.test(error.message))
  if (lost) {
    return unavailable(
      'database_unavailable',
      'The database is temporarily unavailable; try again shortly',
      {
        cause: error,
        retryAfter: 1,
      },
    )
  }
  // U+0000 and lone surrogates in JSON: valid in JavaScript strings, not in PostgreSQL.
  const unstorable =
    code === '22021' ||
    code === '22P05' ||
    (code === '22P02' && error instanceof Error && /json/.test(error.message))
  if (unstorable) {
    const message = 'A value contains a character that cannot be stored, such as U+0000'
    return invalid('bad_character', message, { cause: error })
  }
  // Deadlock or serialization failure: PostgreSQL aborted this transaction, and a retry can succeed.
  if (code === '40P01' || code === '40001') {
    return unavailable('conflicting_change', 'Conflict with a concurrent change; try again', {
      cause: error,
      retryAfter: 1,
    })
  }
  if (code === '53100' || code === 'ENOSPC') {
    const message = 'The database disk is full; writes fail until space is freed'
    return unavailable('storage_full', message, { cause: error, retryAfter: 30 })
  }
  if (code === '53200') {
    const message = 'The database ran out of memory for this request; try again shortly'
    return unavailable('database_out_of_memory', message, { cause: error, retryAfter: 5 })
  }
  if (code === '57014') {
    return unavailable(
      'statement_timeout',
      'The database took too long for this request; narrow it or try again later',
      { cause: error, retryAfter: 5 },
    )
  }
  return error
}

/** True when a unique index (the named one, if given) rejected the row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    codeOf(error) === '23505' &&
    (constraint === undefined || (error as { constraint?: string }).constraint === constraint)
  )
}

/** True when a not-null column rejected the row. */
export function isNullViolation(error: unknown, table: string, column: string): boolean {
  const refused = error as { table?: string; column?: string }
  return codeOf(error) === '23502' && refused.table === table && refused.column === column
}
