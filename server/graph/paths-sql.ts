import { empty, identifier, join, literal, type Sql, sql } from '../platform/db/sql.ts'
import { type Hop, hopsOf } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import type { NodeRef, NodeType } from './pairs.ts'
import {
  associationsOf,
  expandedGroups,
  expandsGroup,
  throughGroup,
  unionAll,
} from './reachable-sql.ts'

/** CTE (group_id, id, attributes): memberships of the nodes of the page in the groups that chains expand. */
const pageMemberships = (group: NodeType): Sql => identifier(`${group}_members`)

/**
 * Read from the side of the member, who is in few groups while a group may have many members. IS TRUE makes the
 * condition a hashed subplan: as a join, the list of groups would be read again for each row.
 */
function membershipTable(organizationId: string, group: NodeType, member: NodeType): Sql {
  const [{ edge, near, far, holds }] = hopsOf(organizationId, [group, member]) as [Hop]
  return sql`
    ${pageMemberships(group)} as materialized (
      select ${edge}.*
        from page r cross join lateral (
          select ${near}::text as group_id, ${far}::text as id, attributes from edges ${edge}
           where ${far} = r.id and ${holds} and (${near}::text in (select id from ${expandedGroups(group)})) is true
          offset 0
        ) ${edge}
       where r.type = ${literal(member)}
    ),`
}

/**
 * Joins one edge by both of its ends. OFFSET 0 keeps the planner to that look-up: it expects a node to have few edges
 * and would rather read all of them.
 */
const joinEdge = ({ edge, near, far, holds }: Hop, nearId: Sql, farId: Sql): Sql =>
  sql`cross join lateral (
    select attributes from edges ${edge} where ${near} = ${nearId} and ${far} = ${farId} and ${holds} offset 0
  ) ${edge}`

/** Every path along a chain to the nodes of the page, as the list of connections that the API shows. */
function pathsAlong(organizationId: string, start: NodeRef, chain: Chain, nth: number): Sql {
  const hops = hopsOf(organizationId, chain)
  const startId = sql`${start.id}::text`
  const type = literal(chain.at(-1)!)
  const expands = expandsGroup(chain)
  /** Where the association ends: at a group of a node of the page, or at that node itself. */
  const end = expands ? sql`r.group_id` : sql`r.id`
  const groupId = sql`a.group_id`
  const [ids, joins] = throughGroup(chain)
    ? [
        [groupId, end],
        [
          sql`join ${associationsOf(chain)} a on a.id = ${end}`,
          joinEdge(hops[0]!, startId, groupId),
          joinEdge(hops[1]!, groupId, end),
        ],
      ]
    : [[end], [joinEdge(hops[0]!, startId, end)]]
  const connections = hops.map(({ edge, to }, at) => {
    const id = ids[at] ?? sql`r.id`
    const attributes = sql`${at < ids.length ? edge : sql`r`}.attributes`
    const ofNode = sql`(select attributes from nodes
      where organization_id = ${organizationId} and type = ${literal(to)} and id = ${id})`
    return sql`json_build_object('attributes', ${attributes}, 'to',
      json_build_object('attributes', ${ofNode}, 'id', ${id}, 'type', ${literal(to)}))`
  })
  return sql`
    select ${type} as type, r.id, ${literal(String(nth))}::int as chain, json_build_array(${join(connections, ', ')}) as path
      from ${expands ? pageMemberships(chain.at(-2)!) : sql`page`} r ${join(joins, ' ')}
     ${expands ? empty : sql`where r.type = ${type}`}`
}

/** The CTE `paths` (type, id, chain, path) of the nodes in the CTE `page`, and those that it refers to. */
export function pathsSql(organizationId: string, start: NodeRef, chains: readonly Chain[]): Sql {
  const groups = new Map(chains.filter(expandsGroup).map((chain) => [chain.at(-2)!, chain.at(-1)!]))
  const memberships = [...groups].map(([group, member]) =>
    membershipTable(organizationId, group, member),
  )
  const paths = chains.map((chain, nth) => pathsAlong(organizationId, start, chain, nth))
  return sql`${join(memberships, ' ')}
    paths as (${paths.length > 0 ? unionAll(paths) : sql`select type, id, 0 as chain, null::json as path from page`})`
}
