import { DAYS } from './generator.ts'

/** A query, once over the API and once as SQL on the plain table. */
export interface Case {
  name: string
  path: 'events' | 'events/interval' | 'events/count' | 'events/distinct'
  body: Record<string, unknown>
  /** Follows `where organization_id = $1 and timestamp >= $2`. */
  where: string
  values: unknown[]
  /** Events of a page. */
  limit: number
  /** The step of an interval, or the expression of distinct values. */
  group?: string
  gzip?: true
  /** Required speedup; null if design §5 sets no goal. */
  goal: number | null
}

const term = (...terms: object[]) => ({ search_term: { and: terms } })

export const since = (now = Date.now()): string =>
  new Date(now - (DAYS + 1) * 86_400_000).toISOString()

/** Addresses of one network after the other. */
const addresses = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, at) => `203.0.${(at * 7) % 256}.${Math.floor((at * 7) / 256) % 256}`,
  )

const oneOf = (count: number): Case => ({
  name: `in, ${count.toLocaleString('en')} values`,
  path: 'events',
  body: { limit: 1000, ...term({ field: 'client_ip', operator: 'in', value: addresses(count) }) },
  where: "document->>'client_ip' = any($3)",
  values: [addresses(count)],
  limit: 1000,
  goal: 12,
})

const failed = term({ field: 'success', operator: 'eq', value: false })
const FAILED = "document->'success' = 'false'"
const USERNAME = "document->'initiated_by'->>'username'"

/** `rare` is a user who rarely signs in; `middle` is a cursor halfway through the events. */
export const casesOf = (rare: string, middle: [number, string]): Case[] => [
  {
    name: 'page of 1,000',
    path: 'events',
    body: { limit: 1000 },
    where: 'true',
    values: [],
    limit: 1000,
    goal: null,
  },
  {
    name: 'page of 10,000',
    path: 'events',
    body: { limit: 10_000 },
    where: 'true',
    values: [],
    limit: 10_000,
    goal: 3,
  },
  {
    name: 'deep page of 1,000',
    path: 'events',
    body: { limit: 1000, search_after: middle },
    where: '(timestamp, id) > (to_timestamp($3::float8 / 1000), $4::uuid)',
    values: middle,
    limit: 1000,
    goal: null,
  },
  {
    name: 'equality on a nested field, few matches',
    path: 'events',
    body: { limit: 1000, ...term({ field: 'initiated_by.username', operator: 'eq', value: rare }) },
    where: "document->'initiated_by'->>'username' = $3",
    values: [rare],
    limit: 1000,
    goal: 80,
  },
  {
    name: 'contains, few matches',
    path: 'events',
    body: {
      limit: 1000,
      ...term({ field: 'error_message', operator: 'contains', value: 'was revoked' }),
    },
    where: "document->>'error_message' like $3",
    values: ['%was revoked%'],
    limit: 1000,
    goal: 80,
  },
  {
    name: 'contains, no match',
    path: 'events',
    body: {
      limit: 1000,
      ...term({ field: 'error_message', operator: 'contains', value: 'out of cheese' }),
    },
    where: "document->>'error_message' like $3",
    values: ['%out of cheese%'],
    limit: 1000,
    goal: 80,
  },
  {
    name: 'not_in and startsWith, several hundred matches',
    path: 'events',
    body: {
      limit: 1000,
      ...term(
        { field: 'event_type', operator: 'not_in', value: ['sso_auth', 'radius_auth'] },
        { field: 'client_ip', operator: 'startsWith', value: '203.0.17.' },
      ),
    },
    where: "document->>'event_type' <> all($3) and document->>'client_ip' like $4",
    values: [['sso_auth', 'radius_auth'], '203.0.17.%'],
    limit: 1000,
    goal: 12,
  },
  oneOf(50),
  oneOf(400),
  oneOf(10_000),
  {
    name: 'histogram of 90 days',
    path: 'events/interval',
    body: { interval_unit: 'd' },
    where: 'true',
    values: [],
    limit: 0,
    group: '1 day',
    goal: 4,
  },
  {
    name: 'histogram by hour',
    path: 'events/interval',
    body: { interval_unit: 'h' },
    where: 'true',
    values: [],
    limit: 0,
    group: '1 hour',
    goal: 4,
  },
  {
    name: 'histogram of 90 days, with a term',
    path: 'events/interval',
    body: { interval_unit: 'd', ...failed },
    where: FAILED,
    values: [],
    limit: 0,
    group: '1 day',
    goal: 40,
  },
  {
    name: 'count of a service',
    path: 'events/count',
    body: { service: ['sso'] },
    where: "service = 'sso'",
    values: [],
    limit: 0,
    goal: 40,
  },
  {
    name: 'count, with a term',
    path: 'events/count',
    body: { ...failed },
    where: FAILED,
    values: [],
    limit: 0,
    goal: 40,
  },
  {
    name: 'distinct user names',
    path: 'events/distinct',
    body: { field: 'initiated_by.username' },
    where: 'true',
    values: [],
    limit: 0,
    group: USERNAME,
    goal: 10,
  },
  {
    name: 'distinct user names, with a term',
    path: 'events/distinct',
    body: { field: 'initiated_by.username', ...failed },
    where: FAILED,
    values: [],
    limit: 0,
    group: USERNAME,
    goal: 10,
  },
]
