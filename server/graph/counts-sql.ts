import { literal, type Sql, sql } from '../platform/sql.ts'
import type { NodeType } from './pairs.ts'

/** How many members a group has; kept by triggers (migration 0021). */
export const membersSql = (organizationId: string, group: NodeType, id: Sql): Sql =>
  sql`(select coalesce(sum(change), 0)::bigint from member_counts
        where organization_id = ${organizationId} and type = ${literal(group)} and id = ${id})`

/** So many groups are looked up one by one; to find more of them among all others takes less. */
const MANY = 500

/** The rows of `member_counts` for the groups in the table `groups`: the id of a group and a change of its size. */
export function countsSql(organizationId: string, group: NodeType, groups: Sql): Sql {
  const rows = sql`select id::text, change from member_counts where organization_id = ${organizationId} and type = ${literal(group)}`
  const many = sql`(select count(*) > ${MANY} from ${groups})`
  return sql`
    select c.* from ${groups} g, lateral (${rows} and id = g.id offset 0) c where not ${many}
    union all
    ${rows} and ${many} and (id::text in (select id from ${groups})) is true`
}

/** How many living nodes of a type there are. */
export const livingSql = (organizationId: string, type: NodeType): Sql =>
  sql`(select count(*) from nodes
        where organization_id = ${organizationId} and type = ${literal(type)} and deleted_at is null)`
