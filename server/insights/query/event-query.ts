import { invalid } from '../../platform/errors.ts'
import type { EventLimits } from '../../platform/limits.ts'
import { isKnown } from '../fields.ts'
import { numberOf, shown, textOf } from '../scalars.ts'
import { SERVICES, type Service, serviceOf } from '../services.ts'
import { isTime, parseTime } from '../times.ts'
import { readSearchTerm } from './search-term.ts'
import type { Term } from './search-tree.ts'

const DEFAULT_LIMIT = 1000
const MAX_ROWS = 10_000

/** The selection common to all queries of the API. */
export interface Selection {
  services: readonly Service[]
  /** Milliseconds; both ends inclusive. */
  from: number
  /** Null for the watermark, the latest stable time (design D7). */
  to: number | null
  term: Term | null
}

export interface EventQuery extends Selection {
  limit: number
  sort: 'ASC' | 'DESC'
  fields: string[] | null
  after: { timestamp: number; id: string } | null
  skip: number
}

type Body = Record<string, unknown>

function readServices(raw: unknown, max: number): readonly Service[] {
  const names = Array.isArray(raw) ? raw : typeof raw === 'string' ? [raw] : []
  const supported = ['all', ...SERVICES].join(', ')
  if (names.length === 0) {
    throw invalid(
      'service_missing',
      `service must be a list of services; supported are ${supported}`,
    )
  }
  if (names.length > max)
    throw invalid('too_many_services', `service: at most ${max} names are allowed`)
  if (names.some((name) => textOf(name).toLowerCase() === 'all')) return SERVICES
  const services = names.map((name) => {
    const service = serviceOf(textOf(name))
    if (!service) {
      throw invalid(
        'unknown_service',
        `service: unknown service ${shown(name)}; supported are ${supported}`,
      )
    }
    return service
  })
  return [...new Set(services)]
}

const seconds = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

function readTimes(body: Body, now: number): { from: number; to: number | null } {
  const from = parseTime(body.start_time)
  if (from === null) {
    throw invalid(
      'bad_start_time',
      'start_time is missing or not a date of the form yyyy-mm-ddTHH:mm:ssZ',
    )
  }
  if (from > now) throw invalid('start_in_future', 'start_time must not be in the future')
  if (body.end_time === undefined || body.end_time === null || body.end_time === '')
    return { from, to: null }
  const to = parseTime(body.end_time)
  if (to === null)
    throw invalid('bad_end_time', 'end_time is not a date of the form yyyy-mm-ddTHH:mm:ssZ')
  if (to < from) {
    throw invalid(
      'end_before_start',
      `Start Time not after End Time ${seconds(from)} > ${seconds(to)}`,
    )
  }
  return { from, to }
}

/** Invalid values give the default, as specified; X-Limit shows it. */
function readLimit(raw: unknown): number {
  if (typeof raw !== 'number' || !Number.isInteger(raw) || raw < 1) return DEFAULT_LIMIT
  return Math.min(raw, MAX_ROWS)
}

function readFields(raw: unknown, max: EventLimits): string[] | null {
  if (raw === undefined || raw === null) return null
  if (!Array.isArray(raw) || raw.some((name) => typeof name !== 'string')) {
    throw invalid('bad_fields', 'fields must be a list of field names')
  }
  if (raw.length === 0) throw invalid('empty_fields', 'fields must not be an empty list')
  const names = [...new Set<string>(raw)]
  const { fieldLength } = max
  if (names.length > max.fields)
    throw invalid('too_many_fields', `fields: at most ${max.fields} names are allowed`)
  if (names.some((name) => name.length > fieldLength))
    throw invalid('bad_fields', `fields: a name may have at most ${fieldLength} characters`)
  const known = names.filter(isKnown)
  if (known.length === 0)
    throw invalid('unknown_fields', `fields: none of ${names.join(', ')} is a known field`)
  return known
}

/** Numbers may come as strings; an unknown id is still a valid cursor. */
function readAfter(raw: unknown): EventQuery['after'] {
  if (raw === undefined || raw === null || (Array.isArray(raw) && raw.length === 0)) return null
  const bad = () =>
    invalid('bad_search_after', 'search_after must be the value of the X-Search_after header')
  if (!Array.isArray(raw) || raw.length !== 2) throw bad()
  const timestamp = numberOf(raw[0])
  const id = textOf(raw[1]).toLowerCase()
  if (
    !Number.isInteger(timestamp) ||
    !isTime(timestamp) ||
    !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
  )
    throw bad()
  return { timestamp, id }
}

export function readSelection(body: Body, now: number, max: EventLimits): Selection {
  const services = readServices(body.service, max.services)
  const term = readSearchTerm(body.search_term, services, max)
  return { services, ...readTimes(body, now), term }
}

export function readEventQuery(body: Body, now: number, max: EventLimits): EventQuery {
  const skip = numberOf(body.skip)
  return {
    ...readSelection(body, now, max),
    limit: readLimit(body.limit),
    sort: textOf(body.sort).toUpperCase() === 'DESC' ? 'DESC' : 'ASC',
    fields: readFields(body.fields, max),
    after: readAfter(body.search_after),
    skip: Number.isSafeInteger(skip) && skip > 0 ? skip : 0,
  }
}
