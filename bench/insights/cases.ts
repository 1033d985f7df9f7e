import { DAYS } from './generator.ts'

/** A query, once over the API and once as SQL on the plain table. */
export interface Case {
  name: string
  path: 'events' | 'events/interval'
  body: Record<string, unknown>
  /** Follows `where organization_id = $1 and timestamp >= $2`. */
  where: string
  values: unknown[]
  limit: number
  /** Required speedup; null if design §5 sets no goal. */
  goal: number | null
}

const term = (...terms: object[]) => ({ search_term: { and: terms } })

export const since = (now = Date.now()): string =>
  new Date(now - (DAYS + 1) * 86_400_000).toISOString()

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
    goal: 50,
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
    goal: 8,
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
    goal: 8,
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
    goal: null,
  },
  {
    name: 'histogram of 90 days',
    path: 'events/interval',
    body: { interval_unit: 'd' },
    where: 'true',
    values: [],
    limit: 0,
    goal: null,
  },
]
