import type { Queryable } from '../platform/db.ts'
import { join, sql } from '../platform/sql.ts'
import { chainSql } from './chain-sql.ts'
import { chainsBetween } from './chains.ts'
import type { NodeRef, NodeType } from './pairs.ts'

/** The ids of everything of a type that the start is bound to now, directly or through groups. */
export async function reachedIds(
  db: Queryable,
  organizationId: string,
  start: NodeRef,
  type: NodeType,
): Promise<string[]> {
  const ends = chainsBetween(start.type, type).map((chain) => {
    const { from, where, end } = chainSql(organizationId, chain, sql`${start.id}::text`)
    return sql`select ${end}::text as id from ${from} where ${where}`
  })
  if (ends.length === 0) return []
  const rows = await db.many<{ id: string }>(
    sql`select distinct id from (${join(ends, ' union all ')}) every order by id`,
  )
  return rows.map(({ id }) => id)
}
