import { literal, type Sql, sql } from '../platform/sql.ts'
import type { NodeType } from './pairs.ts'

/** How many members a group has; kept by triggers (migration 0021). */
export const membersSql = (organizationId: string, group: NodeType, id: Sql): Sql =>
  sql`(select coalesce(sum(change), 0)::bigint from member_counts
        where organization_id = ${organizationId} and type = ${literal(group)} and id = ${id})`

/** The same, and a `version` that is another one after every change of them: who wrote those rows (migration 0022). */
export const countedSql = (organizationId: string, group: NodeType, id: Sql): Sql =>
  sql`select coalesce(sum(change), 0)::bigint as size, coalesce(string_agg('.' || xmin, '' order by nr), '') as version
        from member_counts where organization_id = ${organizationId} and type = ${literal(group)} and id = ${id}`

/** How many living nodes of a type there are. */
export const livingSql = (organizationId: string, type: NodeType): Sql =>
  sql`(select count(*) from nodes
        where organization_id = ${organizationId} and type = ${literal(type)} and deleted_at is null)`
