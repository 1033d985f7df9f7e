import type { Queryable } from '../platform/db/index.ts'
import { join, literal, type Sql, sql } from '../platform/db/sql.ts'
import { hopsOf, type Moment, pathsBetween } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import type { NodeRef } from './pairs.ts'

interface GrantedEdge {
  near: NodeRef
  far: NodeRef
  attributes: Record<string, unknown> | null
  since: string
  until: string | null
  event: string | null
}

/** Includes deleted nodes, which a past instant may refer to. */
export async function knownNodes(
  db: Queryable,
  organizationId: string,
  nodes: NodeRef[],
): Promise<NodeRef[]> {
  return db.many<NodeRef>(sql`
    select n.type, n.id from nodes n
      join unnest(${nodes.map(({ type }) => type)}::text[], ${nodes.map(({ id }) => id)}::text[]) as w (type, id)
        on n.type = w.type and n.id = w.id
     where n.organization_id = ${organizationId}`)
}

const instant = (column: Sql): Sql =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Every path along the chains from one node to another, edge by edge, with the events that granted them. */
export async function grantedPaths(
  db: Queryable,
  organizationId: string,
  start: NodeRef,
  end: NodeRef,
  chains: readonly Chain[],
  at: Moment,
): Promise<GrantedEdge[][]> {
  const paths = chains.map((chain, nth) => {
    const hops = hopsOf(organizationId, chain, at)
    const edges = hops.map(
      ({ edge, near, far, from, to }) => sql`json_build_object(
        'near', json_build_object('type', ${literal(from)}, 'id', ${near}),
        'far', json_build_object('type', ${literal(to)}, 'id', ${far}),
        'attributes', ${edge}.attributes, 'since', ${instant(sql`${edge}.valid_from`)},
        'until', ${instant(sql`${edge}.valid_until`)}, 'event', ${edge}.granted_by)`,
    )
    return sql`${nth === 0 ? sql`` : sql`union all`} select json_build_array(${join(edges, ', ')}) as path
      from ${pathsBetween(hops, sql`${start.id}::text`, sql`${end.id}::text`)}`
  })
  const rows = await db.many<{ path: GrantedEdge[] }>(join(paths, ' '))
  return rows.map(({ path }) => path)
}
