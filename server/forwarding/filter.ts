import { readEventQuery, readSelection, type Selection } from '../insights/index.ts'
import { invalid } from '../platform/errors.ts'
import type { EventLimits } from '../platform/limits.ts'

export type Filter = Pick<Selection, 'services' | 'term'>
export type EventCursor = { timestamp: number; id: string }

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** The cursor before every event of that millisecond. */
export const startOf = (timestamp: number): EventCursor => ({ timestamp, id: FIRST_ID })

export const isAfter = (a: EventCursor, b: EventCursor): boolean =>
  a.timestamp > b.timestamp || (a.timestamp === b.timestamp && a.id > b.id)

/** Parses a filter by the rules of event queries. */
export function readFilter(
  service: unknown,
  search_term: unknown,
  now: number,
  max: EventLimits,
): Filter {
  const start_time = new Date(now).toISOString()
  const { services, term } = readSelection({ service, search_term, start_time }, now, max)
  return { services, term }
}

const badFrom =
  'from must be a past time of the form yyyy-mm-ddTHH:mm:ssZ, or [milliseconds, "id"] as in X-Search_after'

/** Parses a time, or the cursor of an event as queries return it. */
export function readCursor(from: unknown, now: number, max: EventLimits): EventCursor {
  const asQuery = (body: object) => readEventQuery({ service: ['all'], ...body }, now, max)
  const start_time = new Date(now).toISOString()
  try {
    if (typeof from === 'string') return startOf(asQuery({ start_time: from }).from)
    const { after } = asQuery({ start_time, search_after: from })
    if (after && after.timestamp <= now) return after
  } catch (error) {
    throw invalid('bad_from', badFrom, { cause: error })
  }
  throw invalid('bad_from', badFrom)
}
