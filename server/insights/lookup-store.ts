import type { Queryable } from '../platform/db.ts'
import { sql } from '../platform/sql.ts'

/** An id is made before its transaction commits, and the database's clock may differ from ours. */
const SLACK_MS = 5 * 60_000

const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

/**
 * Documents of events that the service itself wrote, by their ids; those no longer kept are missing. The ids carry their
 * time (RFC 9562 §5.7), which leads to the right place of the index.
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
  return new Map(rows.map(({ id, document }) => [id, JSON.parse(document)]))
}
