import { empty, literal, type Sql, sql } from '../platform/db/sql.ts'
import type { NodeType } from './pairs.ts'

/**
 * Runs a statement that adds (+1) or ends (-1) edges and counts the memberships among them, in one statement: a size
 * and the edges behind it cannot part. Each change adds a row instead of updating a number, so that nobody waits for
 * others who change the same group; a job adds the rows up. Selects the edges that were changed.
 */
export const counted = (change: 1 | -1, statement: Sql, before: Sql = empty): Sql => sql`
  with ${before} changed as (${statement} returning organization_id, from_type, from_id, to_type, to_id, attributes),
  sizes as (
    insert into member_counts (organization_id, type, id, change)
    select organization_id, from_type, from_id, ${change}::int * count(*) from changed
     where is_membership(from_type, to_type) group by organization_id, from_type, from_id
  )
  select attributes from changed`

/** How many members a group has. */
export const membersSql = (organizationId: string, group: NodeType, id: Sql): Sql =>
  sql`(select coalesce(sum(change), 0)::bigint from member_counts
        where organization_id = ${organizationId} and type = ${literal(group)} and id = ${id})`
