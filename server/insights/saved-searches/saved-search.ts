import { AppError, invalid } from '../../platform/errors.ts'
import type { EventLimits } from '../../platform/limits.ts'
import { readEventQuery } from '../query/event-query.ts'
import { textOf } from '../scalars.ts'
import type { SavedSearchWrite } from './schema.ts'

const UNITS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1000]
const DURATION = /^P(?=\d|T\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
/** Longer than any retention. */
const MAX_DURATION_MS = 20 * 366 * 86_400_000

/** ISO 8601 without months and years, whose length varies. Milliseconds, or null if invalid. */
export function readDuration(raw: unknown): number | null {
  const match = typeof raw === 'string' ? DURATION.exec(raw) : null
  if (!match) return null
  const length = UNITS.reduce((sum, unit, at) => sum + unit * Number(match[at + 1] ?? 0), 0)
  return length > 0 && length <= MAX_DURATION_MS ? length : null
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

function checkTimes(query: SavedSearchWrite['query']): void {
  const { range, start_time, end_time } = query
  if (isAbsent(range) === isAbsent(start_time)) {
    throw invalid('bad_range', 'either query.range or query.start_time is required, not both')
  }
  if (isAbsent(range)) return
  if (readDuration(range) === null)
    throw invalid('bad_range', 'query.range must be a duration such as PT24H or P7D')
  if (!isAbsent(end_time))
    throw invalid('bad_end_time', 'query.end_time requires query.start_time, not query.range')
}

/** The body of POST /events that runs the query at a given time. */
export function bodyOf(query: SavedSearchWrite['query'], now: number): Record<string, unknown> {
  const { range, ...body } = query
  if (isAbsent(range)) return body
  return { ...body, start_time: new Date(now - (readDuration(range) ?? 0)).toISOString() }
}

/**
 * The query as stored: unknown members are dropped. It is validated by the parsers of POST /events, so that a saved
 * search can always run.
 */
export function readSavedQuery(
  query: SavedSearchWrite['query'],
  now: number,
  max: EventLimits,
): SavedSearchWrite['query'] {
  checkTimes(query)
  const { service, search_term, fields, sort, range, start_time, end_time } = query
  if (!isAbsent(sort) && !/^(asc|desc)$/i.test(textOf(sort)))
    throw invalid('bad_sort', 'query.sort must be ASC or DESC')
  try {
    readEventQuery(bodyOf(query, now), now, max)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalid(error.reason, `query: ${error.message}`, { cause: error })
  }
  const kept = { service, search_term, fields, sort, range, start_time, end_time }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => !isAbsent(value)))
}
