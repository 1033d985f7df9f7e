import type { Queryable } from '../../platform/db/index.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { Selection } from '../query/event-query.ts'
import { searchCondition } from '../query/search-sql.ts'
import { SERVICES } from '../services.ts'

/** A reader's position; `(timestamp, id)` orders all events. */
export interface EventCursor {
  timestamp: number
  id: string
}

export interface StreamedEvent extends EventCursor {
  document: string
}

const iso = (time: number): string => new Date(time).toISOString()

/** Milliseconds. For the whole installation, and reveals nothing about any tenant. */
export async function readWatermark(db: Queryable): Promise<number> {
  const row = await db.find<{ mark: number }>(
    sql`select round(extract(epoch from event_watermark()) * 1000)::int8 as mark`,
  )
  return row!.mark
}

/**
 * The events after a cursor and before a watermark, which must come from an earlier statement: if it were newer than
 * the snapshot, events committed in between would be skipped for good.
 */
export function readBetween(
  db: Queryable,
  organizationIds: readonly string[],
  { services, term }: Pick<Selection, 'services' | 'term'>,
  after: EventCursor,
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
