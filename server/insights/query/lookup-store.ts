import type { Snapshot } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'

const iso = (time: number): string => new Date(time).toISOString()

/** Events that are not sealed, by id; the time narrows the index scan. */
export const findOpenById = (
  db: Snapshot,
  organizationId: string,
  wanted: readonly { id: string; from: number; to: number }[],
): Promise<{ id: string; document: string }[]> =>
  db.many(sql`
    select e.id, e.document
      from unnest(${wanted.map(({ id }) => id)}::uuid[], ${wanted.map(({ from }) => iso(from))}::timestamptz[],
                  ${wanted.map(({ to }) => iso(to))}::timestamptz[]) as w (id, from_time, to_time)
      join events e on e.organization_id = ${organizationId} and e.id = w.id
       and e.timestamp >= w.from_time and e.timestamp <= w.to_time`)
