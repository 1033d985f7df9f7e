import type { Queryable } from '../../platform/db/index.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { Selection } from '../query/event-query.ts'
import { searchCondition } from '../query/search-sql.ts'
import { SERVICES } from '../services.ts'

/** Where a reader stands; `(timestamp, id)` orders all events. */
export interface Place {
  timestamp: number
  id: string
}

export interface StreamedEvent extends Place {
  document: string
}

const iso = (time: number): string => new Date(time).toISOString()

/** Milliseconds. Of the whole installation: it names no tenant, and tells nothing about one. */
export async function readWatermark(db: Queryable): Promise<number> {
  const row = await db.find<{ mark: number }>(
    sql`select round(extract(epoch from event_watermark()) * 1000)::int8 as mark`,
  )
  return row!.mark
}

/**
 * The events after a place and before a mark. The mark comes from an earlier statement: what was committed
 * between the look at the data and a later look at the watermark would be skipped for good.
 */
export function readBetween(
  db: Queryable,
  organizationIds: readonly string[],
  { services, term }: Pick<Selection, 'services' | 'term'>,
  after: Place,
  before: number,
  limit: number,
): Promise<StreamedEvent[]> {
  const which =
    services.length === SERVICES.length ? empty : sql`and e.service = any(${[...services]}::text[])`
  return db.many<StreamedEvent>(sql`
    select floor(extract(epoch from p.timestamp) * 1000)::int8 as timestamp, p.id::text as id, p.document
      from unnest(${organizationIds}::text[]) as tenant (id)
     cross join lateral (
       select e.timestamp, e.id, e.document from events e
        where e.organization_id = tenant.id
          and e.timestamp >= ${iso(after.timestamp)}::timestamptz and e.timestamp < ${iso(before)}::timestamptz
          and (e.timestamp, e.id) > (${iso(after.timestamp)}::timestamptz, ${after.id}::uuid)
          ${which} and ${searchCondition(term)}
        order by e.timestamp, e.id
        limit ${limit}
     ) p
     order by p.timestamp, p.id
     limit ${limit}`)
}
