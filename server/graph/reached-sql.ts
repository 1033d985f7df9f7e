import { empty, join, literal, type Sql, sql } from '../platform/sql.ts'
import { hopsOf, waysFrom } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import { memberTypeOf, type NodeRef, type NodeType } from './pairs.ts'

/** How many of the smallest ids are needed; null for all. */
type Bound = number | null

const union = (parts: Sql[]): Sql =>
  join(
    parts.map((part, at) => (at === 0 ? part : sql`union all ${part}`)),
    ' ',
  )
const smallest = (bound: Bound): Sql =>
  bound === null ? empty : sql`order by 1 limit ${bound}::bigint`

function endsOf(organizationId: string, start: NodeRef, chain: Chain, bound: Bound = null): Sql {
  const hops = hopsOf(organizationId, chain)
  // A single edge leads to each end once; bounded lists must not be filled with repetitions.
  const distinct = bound !== null && chain.length > 2 ? sql`distinct` : empty
  return sql`select ${distinct} ${hops.at(-1)!.far}::text as id
    from ${waysFrom(hops, sql`${start.id}::text`)} ${smallest(bound)}`
}

/** The members of all groups that the chains lead to; each group is opened once, however many ways lead there. */
function membersBehind(organizationId: string, start: NodeRef, chains: Chain[], bound: Bound): Sql {
  const [group, member] = chains[0]!.slice(-2) as [NodeType, NodeType]
  const groups = chains.map((chain) =>
    endsOf(organizationId, start, chain.slice(0, -1) as unknown as Chain),
  )
  return sql`select m.id from (select distinct id from (${union(groups)}) ways) g,
    lateral (select e.to_id::text as id from edges e
              where e.organization_id = ${organizationId} and e.from_type = ${literal(group)} and e.from_id = g.id
                and e.to_type = ${literal(member)} and e.valid_until is null
              ${bound === null ? sql`offset 0` : sql`order by e.to_id limit ${bound}::bigint`}) m`
}

/**
 * Selects `type` and `id` of everything that the chains reach from the start, each once. With a bound: at least so many
 * of the smallest ids, if there are as many; members stand in the order of their ids in the index, so of a large group
 * only these are read.
 */
export function reachedSql(
  organizationId: string,
  start: NodeRef,
  chains: readonly Chain[],
  bound: Bound = null,
): Sql {
  if (chains.length === 0) return sql`select null::text as type, null::text as id where false`
  const opens = (chain: Chain) =>
    chain.length > 2 && memberTypeOf(chain.at(-2)!) === chain.at(-1) ? chain.slice(-2).join() : null
  const behind = Map.groupBy(chains.filter(opens), opens)
  const parts = [
    ...chains
      .filter((chain) => !opens(chain))
      .map((chain) => ({ chain, ends: endsOf(organizationId, start, chain, bound) })),
    ...[...behind.values()].map((chains) => ({
      chain: chains[0]!,
      ends: membersBehind(organizationId, start, chains, bound),
    })),
  ]
  const byType = Map.groupBy(parts, ({ chain }) => chain.at(-1)!)
  return union(
    [...byType].map(([type, parts]) => {
      const ends = parts.map(({ ends }) => sql`select id from (${ends}) ends`)
      const distinct = parts.every(({ chain }) => chain.length === 2) ? empty : sql`distinct`
      return sql`select ${literal(type)}::text as type, id from (select ${distinct} id from (${union(ends)}) every) once`
    }),
  )
}
