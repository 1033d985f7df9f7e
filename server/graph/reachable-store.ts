import type { Queryable } from '../platform/db/index.ts'
import { prepared, sql } from '../platform/db/sql.ts'
import { chainsBetween } from './chains.ts'
import type { NodeRef, NodeType } from './pairs.ts'
import { groupTables, reachableSql } from './reachable-sql.ts'

/** The ids of all nodes of a type that the start is bound to now, directly or through groups. */
export async function reachableIds(
  db: Queryable,
  organizationId: string,
  start: NodeRef,
  type: NodeType,
): Promise<string[]> {
  const chains = chainsBetween(start.type, type)
  const statement = sql`
    with ${groupTables(organizationId, start, chains)}
    reachable as (${reachableSql(organizationId, start, chains)})
    select id from reachable order by id`
  const rows = await db.many<{ id: string }>(prepared(statement))
  return rows.map(({ id }) => id)
}
