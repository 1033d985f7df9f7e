import { literal, type Sql, sql } from '../platform/sql.ts'
import type { NodeType } from './pairs.ts'

/** Kept by triggers: see migration 0021. */
const counted = (organizationId: string, type: NodeType, id: Sql): Sql =>
  sql`(select coalesce(sum(change), 0)::bigint from graph_counts
        where organization_id = ${organizationId} and type = ${literal(type)} and id = ${id})`

/** How many members a group has. */
export const membersSql = (organizationId: string, group: NodeType, id: Sql): Sql =>
  counted(organizationId, group, id)

/** How many nodes there are of a type that can be in groups. */
export const livingSql = (organizationId: string, member: NodeType): Sql =>
  counted(organizationId, member, sql`''`)
