import { type Sql, sql } from '../db/sql.ts'

/**
 * The number of records of a type that are not deleted, without reading them. Each has a node, and the graph keeps the
 * number of nodes (server/graph/counts-sql.ts).
 */
export const totalOf = (
  organizationId: string,
  type: 'user' | 'system' | 'user_group' | 'system_group',
): Sql => sql`
  select coalesce(sum(nodes), 0)::bigint as total from node_counts
   where organization_id = ${organizationId} and type = ${type}`
