import { literal, type Sql, sql } from '../platform/sql.ts'
import type { NodeType } from './pairs.ts'

/** How many members a group has; kept by triggers (migration 0021). */
export const membersSql = (organizationId: string, group: NodeType, id: Sql): Sql =>
  sql`(select coalesce(sum(change), 0)::bigint from member_counts
        where organization_id = ${organizationId} and type = ${literal(group)} and id = ${id})`

/** So many groups are looked up one by one; to find more of them among all others takes less. */
const MANY = 500

/**
 * `id`, `size` and `version` of those groups of the table `groups` that have had members. The version is another one
 * after every change of them: who wrote those rows (migration 0022).
 */
export function countedSql(organizationId: string, group: NodeType, groups: Sql): Sql {
  const counted = sql`coalesce(sum(change), 0)::bigint as size, string_agg('.' || xmin, '' order by nr) as version
    from member_counts where organization_id = ${organizationId} and type = ${literal(group)}`
  const many = sql`(select count(*) > ${MANY} from ${groups})`
  return sql`
    select g.id, size, version from ${groups} g, lateral (select ${counted} and id = g.id) c
     where not ${many} and version is not null
    union all
    select id::text, ${counted} and ${many} and (id::text in (select id from ${groups})) is true group by id`
}

/** How many living nodes of a type there are. */
export const livingSql = (organizationId: string, type: NodeType): Sql =>
  sql`(select count(*) from nodes
        where organization_id = ${organizationId} and type = ${literal(type)} and deleted_at is null)`
