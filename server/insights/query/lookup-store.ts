import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import { isIngested, NOT_INGESTED } from '../ingest/ingested.ts'
import { narrow, rangesOf } from './ranges.ts'
import { searchCondition } from './search-sql.ts'
import type { Term } from './search-tree.ts'

/** An id is created before its transaction commits, and the database's clock may differ from ours. */
const SLACK_MS = 5 * 60_000

const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

/**
 * Documents of the service's own events by id; events past their retention are missing. The ids contain their time
 * (RFC 9562 §5.7), which narrows the index scan.
 */
export async function findEvents(
  db: Queryable,
  organizationId: string,
  ids: string[],
): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const unique = [...new Set(ids)]
  const from = unique.map((id) => new Date(timeOf(id) - SLACK_MS).toISOString())
  const to = unique.map((id) => new Date(timeOf(id) + SLACK_MS).toISOString())
  const rows = await db.many<{ id: string; document: string }>(sql`
    select e.id, e.document
      from unnest(${unique}::uuid[], ${from}::timestamptz[], ${to}::timestamptz[]) as w (id, from_time, to_time)
      join events e on e.organization_id = ${organizationId} and e.id = w.id
       and e.timestamp >= w.from_time and e.timestamp <= w.to_time`)
  const documents = rows.map(({ id, document }) => [id, JSON.parse(document)] as const)
  // An ingested event may have the same id at another time.
  return new Map(documents.filter(([, document]) => !isIngested(document)))
}

const is = (field: string, values: string[]): Term => ({
  type: 'leaf',
  field,
  kinds: ['string'],
  operator: 'in',
  values,
})

/** The service's first own event of these types about a resource after an instant, if any. */
export async function firstEventAfter(
  db: Queryable,
  organizationId: string,
  resourceId: string,
  eventTypes: string[],
  instant: Date,
): Promise<Record<string, unknown> | undefined> {
  const term: Term = {
    type: 'and',
    terms: [is('resource.id', [resourceId]), is('event_type', eventTypes), NOT_INGESTED],
  }
  const time = { from: instant.getTime() + 1, until: Date.now() + SLACK_MS }
  const ranges = await narrow(db, await rangesOf(db, [organizationId], term, time), term)
  for (const { from, until } of ranges) {
    const row = await db.one<{ document: string }>(sql`
      select e.document from events e
       where e.organization_id = ${organizationId} and ${searchCondition(term)}
         and e.timestamp >= ${new Date(from)}::timestamptz and e.timestamp < ${new Date(until)}::timestamptz
       order by e.timestamp, e.id limit 1`)
    if (row) return JSON.parse(row.document)
  }
  return undefined
}
