import { join, literal, type Sql, sql } from '../platform/sql.ts'
import { hopsOf, waysFrom } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import { memberTypeOf, type NodeRef, type NodeType } from './pairs.ts'

const union = (parts: Sql[]): Sql =>
  join(
    parts.map((part, at) => (at === 0 ? part : sql`union all ${part}`)),
    ' ',
  )

function endsOf(organizationId: string, start: NodeRef, chain: Chain): Sql {
  const hops = hopsOf(organizationId, chain)
  return sql`select ${hops.at(-1)!.far}::text as id from ${waysFrom(hops, sql`${start.id}::text`)}`
}

/** The members of all groups that the chains lead to; each group is opened once, however many ways lead there. */
function membersBehind(organizationId: string, start: NodeRef, chains: Chain[]): Sql {
  const [group, member] = chains[0]!.slice(-2) as [NodeType, NodeType]
  const groups = chains.map((chain) =>
    endsOf(organizationId, start, chain.slice(0, -1) as unknown as Chain),
  )
  return sql`select m.id from (select distinct id from (${union(groups)}) ways) g,
    lateral (select e.to_id::text as id from edges e
              where e.organization_id = ${organizationId} and e.from_type = ${literal(group)} and e.from_id = g.id
                and e.to_type = ${literal(member)} and e.valid_until is null offset 0) m`
}

/** Selects `type` and `id` of everything that the chains reach from the start, each once. */
export function reachedSql(organizationId: string, start: NodeRef, chains: readonly Chain[]): Sql {
  if (chains.length === 0) return sql`select null::text as type, null::text as id where false`
  const opens = (chain: Chain) =>
    chain.length > 2 && memberTypeOf(chain.at(-2)!) === chain.at(-1) ? chain.slice(-2).join() : null
  const behind = Map.groupBy(chains.filter(opens), opens)
  const parts = [
    ...chains
      .filter((chain) => !opens(chain))
      .map((chain) => ({ chain, ends: endsOf(organizationId, start, chain) })),
    ...[...behind.values()].map((chains) => ({
      chain: chains[0]!,
      ends: membersBehind(organizationId, start, chains),
    })),
  ]
  const typed = parts.map(
    ({ chain, ends }) =>
      sql`select ${literal(chain.at(-1)!)}::text as type, id from (${ends}) ends`,
  )
  // A single edge leads to each end once.
  const distinct = chains.every((chain) => chain.length === 2) ? sql`` : sql`distinct`
  return sql`select ${distinct} type, id from (${union(typed)}) every`
}
