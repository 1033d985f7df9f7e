import { empty, literal, prepared, type Sql, sql } from '../platform/db/sql.ts'
import type { NodeType } from './pairs.ts'

/**
 * Wraps an INSERT (+1) or UPDATE (-1) of edges so that the same statement records the change in group sizes: counts
 * cannot drift from edges. `member_counts` is an append-only ledger, because concurrent changes to one group would queue
 * behind the row lock of a counter; a job compacts it. Returns the attributes of the changed edges.
 */
export const counted = (change: 1 | -1, statement: Sql, before: Sql = empty): Sql => sql`
  with ${before} changed as (${statement} returning organization_id, from_type, from_id, to_type, to_id, attributes),
  sizes as (
    insert into member_counts (organization_id, type, id, change)
    select organization_id, from_type, from_id, ${change}::int * count(*) from changed
     where is_membership(from_type, to_type) group by organization_id, from_type, from_id
  )
  select attributes from changed`

/** The number of members of a group. */
export const membersSql = (organizationId: string, group: NodeType, id: Sql): Sql =>
  sql`(select coalesce(sum(change), 0)::bigint from member_counts
        where organization_id = ${organizationId} and type = ${literal(group)} and id = ${id})`

/**
 * Wraps a statement on nodes of one type so that it also records the change in their number. Each concurrent transaction
 * changes a row of its own: one that nobody has locked, or else a new one. So nobody waits, and there are never more
 * rows than there were transactions at once.
 */
export const countedNodes = (
  change: 1 | -1,
  organizationId: string,
  type: NodeType,
  statement: Sql,
): Sql => {
  const counts = sql`organization_id = ${organizationId} and type = ${type}`
  return prepared(sql`
    with changed as (${statement} returning 1),
    change as (select ${change}::int * count(*) as by from changed having count(*) > 0),
    free as (select nr from node_counts where ${counts} limit 1 for update skip locked),
    added as (
      update node_counts c set nodes = c.nodes + change.by from change, free where ${counts} and c.nr = free.nr
    ),
    begun as (
      insert into node_counts (organization_id, type, nodes)
      select ${organizationId}, ${type}, by from change where not exists (select from free)
    )
    select from changed`)
}
