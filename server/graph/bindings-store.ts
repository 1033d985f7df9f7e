import type { Tx } from '../platform/db/index.ts'
import { empty, identifier, join, literal, type Sql, sql } from '../platform/db/sql.ts'
import { hopsOf, pathsFrom } from './chain-sql.ts'
import { type Chain, chainsBetween } from './chains.ts'
import { groupTypeOf, type NodeType } from './pairs.ts'

/** A current connection between two nodes: an association, directly or through groups, or a membership. */
export interface Binding {
  from: string
  type: NodeType
  to: string
  direct: boolean
  /** Groups on the paths: those of the one end, and those of the other. */
  groups: string[]
  targetGroups: string[]
}

/** Rows fetched from the cursor at once: memory stays bounded, whatever the size of the result. */
const BATCH = 1000
const CURSOR = identifier('bindings')
/** BATCH rows; FETCH takes no parameter. */
const NEXT = sql`fetch 1000 from ${CURSOR}`

function pathsOf(organizationId: string, chain: Chain, ids: readonly string[]): Sql {
  const hops = hopsOf(organizationId, chain)
  const [start, end] = [chain[0], chain.at(-1)!]
  const passed = (group: NodeType | undefined): Sql =>
    hops.slice(0, -1).find(({ to }) => to === group)?.far ?? sql`null`
  return sql`
    select ${hops[0]!.near}::text as start_id, ${literal(end)}::text as type, ${hops.at(-1)!.far}::text as end_id,
           ${hops.length === 1}::boolean as direct, ${passed(groupTypeOf(start))}::text as start_group,
           ${passed(groupTypeOf(end))}::text as end_group
      from ${pathsFrom(hops, sql`any(${ids}::text[])`)}`
}

async function* readBindings(
  tx: Tx,
  organizationId: string,
  chains: readonly Chain[],
  ids: readonly string[],
): AsyncGenerator<Binding[]> {
  const paths = chains.map(
    (chain, at) => sql`${at === 0 ? empty : sql`union all`} ${pathsOf(organizationId, chain, ids)}`,
  )
  // The aggregation is complete before the first row arrives. Only background jobs read bindings.
  await tx.run(sql`set local statement_timeout = '5min'`)
  await tx.run(sql`
    declare ${CURSOR} no scroll cursor for
    select start_id as "from", type, end_id as "to", bool_or(direct) as direct,
           array_remove(array_agg(distinct start_group), null) as groups,
           array_remove(array_agg(distinct end_group), null) as "targetGroups"
      from (${join(paths, ' ')}) paths
     group by start_id, type, end_id order by start_id, type, end_id`)
  for (let full = true; full; ) {
    const found = await tx.many<Binding>(NEXT)
    full = found.length === BATCH
    if (found.length > 0) yield found
  }
  await tx.run(sql`close ${CURSOR}`)
}

/** The nodes of the given types that these are bound to, ordered by id. One cursor at a time in a transaction. */
export const bindingsOf = (
  tx: Tx,
  organizationId: string,
  start: NodeType,
  ids: readonly string[],
  types: readonly NodeType[],
): AsyncGenerator<Binding[]> => {
  const chains = types.flatMap((type) => chainsBetween(start, type))
  return readBindings(tx, organizationId, chains, ids)
}

/** The groups that these nodes are members of. */
export const membershipsOf = (
  tx: Tx,
  organizationId: string,
  member: NodeType,
  ids: readonly string[],
): AsyncGenerator<Binding[]> =>
  readBindings(tx, organizationId, [[member, groupTypeOf(member)!]], ids)
