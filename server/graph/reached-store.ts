import type { Queryable } from '../platform/db.ts'
import { sql } from '../platform/sql.ts'
import { chainsBetween } from './chains.ts'
import type { NodeRef, NodeType } from './pairs.ts'
import { reachedSql } from './reached-sql.ts'

/** The ids of everything of a type that the start is bound to now, directly or through groups. */
export async function reachedIds(
  db: Queryable,
  organizationId: string,
  start: NodeRef,
  type: NodeType,
): Promise<string[]> {
  const reached = reachedSql(organizationId, start, chainsBetween(start.type, type))
  const rows = await db.many<{ id: string }>(sql`select id from (${reached}) r order by id`)
  return rows.map(({ id }) => id)
}

export const systemsOfCommand = (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<string[]> => reachedIds(db, organizationId, { type: 'command', id }, 'system')
