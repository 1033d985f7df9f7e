import { empty, literal, type Sql, sql } from '../platform/db/sql.ts'
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
