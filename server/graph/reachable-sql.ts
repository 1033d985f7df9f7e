import { empty, identifier, join, literal, type Sql, sql } from '../platform/db/sql.ts'
import { hopsOf, pathsFrom } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import { memberTypeOf, type NodeRef, type NodeType } from './pairs.ts'

export const unionAll = (parts: Sql[]): Sql =>
  join(
    parts.map((part, at) => (at === 0 ? part : sql`union all ${part}`)),
    ' ',
  )

/** Whether a chain ends by expanding a group into its members. */
export const expandsGroup = (chain: Chain): boolean =>
  chain.length > 2 && memberTypeOf(chain.at(-2)!) === chain.at(-1)

/** A chain up to and including its association. */
const withoutMembers = (chain: Chain): Chain =>
  expandsGroup(chain) ? (chain.slice(0, -1) as unknown as Chain) : chain

/** Whether a chain begins in a group that the start is a member of. */
export const throughGroup = (chain: Chain): boolean => withoutMembers(chain).length > 2

/** Whether all chains are single edges: then each end is found once. */
export const isDirect = (chains: readonly Chain[]): boolean =>
  chains.every((chain) => chain.length === 2)

/** CTE (group_id, id): the associations of the start's groups along a chain. */
export const associationsOf = (chain: Chain): Sql =>
  identifier(withoutMembers(chain).slice(1).join('_to_'))

/** CTE (id): the groups that chains expand, each once. */
export const expandedGroups = (group: NodeType): Sql => identifier(`${group}s`)

const byExpandedGroup = (chains: readonly Chain[]) =>
  Map.groupBy(chains.filter(expandsGroup), (chain) => chain.at(-2)!)

/** Selects the ids at the end of a chain that expands no group, once for each path. */
function endsOf(organizationId: string, start: NodeRef, chain: Chain): Sql {
  if (throughGroup(chain)) return sql`select id from ${associationsOf(chain)}`
  const hops = hopsOf(organizationId, chain)
  return sql`select ${hops[0]!.far}::text as id from ${pathsFrom(hops, sql`${start.id}::text`)}`
}

/**
 * The CTEs that `reachableSql` and `pathsSql` refer to, each with a trailing comma. They are materialized because the
 * planner expects every node to have few edges, and would join them in any order.
 */
export function groupTables(organizationId: string, start: NodeRef, chains: readonly Chain[]): Sql {
  const associations = chains.filter(throughGroup).map((chain) => {
    const hops = hopsOf(organizationId, withoutMembers(chain))
    return sql`
      ${associationsOf(chain)} as materialized (
        select ${hops[0]!.far}::text as group_id, ${hops[1]!.far}::text as id
          from ${pathsFrom(hops, sql`${start.id}::text`)}
      ),`
  })
  const expanded = [...byExpandedGroup(chains)].map(([group, chains]) => {
    const ids = chains.map((chain) => endsOf(organizationId, start, withoutMembers(chain)))
    return sql`
      ${expandedGroups(group)} as materialized (select distinct id from (${unionAll(ids)}) ids),`
  })
  return join([...associations, ...expanded], ' ')
}

/** Selects `id` and `type` of each node that the chains reach from the start, once; `where` is about a row `r` of these. */
export function reachableSql(
  organizationId: string,
  start: NodeRef,
  chains: readonly Chain[],
  where: Sql = sql`true`,
): Sql {
  const byType = Map.groupBy(chains, (chain) => chain.at(-1)!)
  const nodes = [...byType].map(([type, chains]) => {
    const ends = chains
      .filter((chain) => !expandsGroup(chain))
      .map((chain) => endsOf(organizationId, start, chain))
    const members = [...byExpandedGroup(chains).keys()].map((group) => {
      const hops = hopsOf(organizationId, [group, type])
      return sql`select ${hops[0]!.far}::text as id
        from ${expandedGroups(group)} g, ${pathsFrom(hops, sql`g.id`)}`
    })
    const distinct = isDirect(chains) ? empty : sql`distinct`
    return sql`select ${distinct} id, ${literal(type)}::text as type
      from (${unionAll([...ends, ...members])}) ids`
  })
  const none = sql`select null::text as id, null::text as type where false`
  return sql`select r.id, r.type from (${nodes.length > 0 ? unionAll(nodes) : none}) r where ${where}`
}
