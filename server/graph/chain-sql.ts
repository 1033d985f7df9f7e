import { identifier, join, literal, type Sql, sql } from '../platform/db/sql.ts'
import type { Chain } from './chains.ts'
import { isForward, memberTypeOf, type NodeType } from './pairs.ts'

/** One edge of a chain: `near` is its end towards the start of the chain, `far` the other one. */
export interface Hop {
  edge: Sql
  near: Sql
  far: Sql
  /** Conditions on its types and its validity; the caller adds those on its ends. */
  holds: Sql
  from: NodeType
  to: NodeType
}

/** The instant at which the graph is read; null is now, which has partial indexes. */
export type Moment = string | null

/** The API has milliseconds, edges have microseconds: an edge that began within the millisecond counts. */
const validAt = (edge: Sql, at: Moment): Sql =>
  at === null
    ? sql`${edge}.valid_until is null`
    : sql`${edge}.valid_from < ${at}::timestamptz + interval '1 millisecond'
        and (${edge}.valid_until is null or ${edge}.valid_until >= ${at}::timestamptz + interval '1 millisecond')`

/** The edges along a chain. Types are literals, so that the planner can use its statistics on them. */
export const hopsOf = (organizationId: string, chain: Chain, at: Moment = null): Hop[] =>
  chain.slice(1).map((to, step) => {
    const from = chain[step]!
    const edge = identifier(`e${step + 1}`)
    const forward = isForward(from, to)
    const [fromType, toType] = forward ? [from, to] : [to, from]
    return {
      edge,
      near: forward ? sql`${edge}.from_id` : sql`${edge}.to_id`,
      far: forward ? sql`${edge}.to_id` : sql`${edge}.from_id`,
      holds: sql`${edge}.organization_id = ${organizationId} and ${edge}.from_type = ${literal(fromType)}
        and ${edge}.to_type = ${literal(toType)} and ${validAt(edge, at)}`,
      from,
      to,
    }
  })

/** A FROM and WHERE clause with one row for each path from the start. */
export function pathsFrom(hops: Hop[], startId: Sql): Sql {
  const conditions = hops.map(
    ({ near, holds }, at) => sql`${near} = ${hops[at - 1]?.far ?? startId} and ${holds}`,
  )
  const edges = join(
    hops.map(({ edge }) => sql`edges ${edge}`),
    ', ',
  )
  return sql`${edges} where ${join(conditions, ' and ')}`
}

/**
 * The same for paths whose two ends are known. A node has few groups, but a group may have many members and associations:
 * memberships are read from the member's side first, and the association between them is then looked up by both ends.
 * OFFSET 0 keeps this order. The planner expects every node to have few edges, and might start anywhere.
 */
export function pathsBetween(hops: Hop[], startId: Sql, endId: Sql): Sql {
  const isMembership = ({ from, to }: Hop) => memberTypeOf(from) === to || memberTypeOf(to) === from
  const association = hops.findIndex((hop) => !isMembership(hop))
  const steps = hops.map((hop, at) => {
    const near = sql`${hop.near} = ${hops[at - 1]?.far ?? startId}`
    const far = sql`${hop.far} = ${hops[at + 1]?.near ?? endId}`
    const ends = at === association ? sql`${near} and ${far}` : at < association ? near : far
    return sql`lateral (select * from edges ${hop.edge} where ${ends} and ${hop.holds} offset 0) ${hop.edge}`
  })
  return join([...steps.toSpliced(association, 1), steps[association]!], ', ')
}
