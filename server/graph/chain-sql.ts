import { identifier, join, literal, type Sql, sql } from '../platform/db/sql.ts'
import type { Chain } from './chains.ts'
import { isForward, memberTypeOf, type NodeType } from './pairs.ts'

/** One edge of a chain, with its ends named from the side the chain comes from. */
export interface Hop {
  edge: Sql
  near: Sql
  far: Sql
  /** Its type and that it holds at the moment; its ends are for whoever joins it. */
  holds: Sql
  from: NodeType
  to: NodeType
}

/** The moment a graph is looked at; null is now, which has indexes of its own. */
export type Moment = string | null

/** Moments come in milliseconds: an edge of that millisecond counts. */
const validAt = (edge: Sql, at: Moment): Sql =>
  at === null
    ? sql`${edge}.valid_until is null`
    : sql`${edge}.valid_from < ${at}::timestamptz + interval '1 millisecond'
        and (${edge}.valid_until is null or ${edge}.valid_until >= ${at}::timestamptz + interval '1 millisecond')`

/** The edges along a chain. Types stand in the text, where the planner can see them. */
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

/** What stands after FROM for a row per way from the start: each edge where the one before it ended. */
export function waysFrom(hops: Hop[], startId: Sql): Sql {
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
 * The same for ways whose both ends are known. Members have few groups but groups may have many members and much
 * bound to them, so memberships are read from the side of the member, and the association between is looked up. Each
 * step is a subquery of its own that OFFSET 0 keeps as it stands: the planner, which takes every list for short, would
 * start anywhere.
 */
export function waysBetween(hops: Hop[], startId: Sql, endId: Sql): Sql {
  const steps = hops.map((hop, at) => ({
    ...hop,
    isMembership: memberTypeOf(hop.from) === hop.to || memberTypeOf(hop.to) === hop.from,
    near:
      at === 0 ? { column: hop.near, is: startId } : { column: hop.near, is: hops[at - 1]!.far },
    far:
      at === hops.length - 1
        ? { column: hop.far, is: endId }
        : { column: hop.far, is: hops[at + 1]!.near },
    last: at === hops.length - 1,
  }))
  const association = steps.find(({ isMembership }) => !isMembership) ?? steps[0]!
  const others = steps.filter((step) => step !== association)
  const step = ({ edge, holds }: Hop, conditions: Sql[]) =>
    sql`lateral (select * from edges ${edge} where ${join([...conditions, holds], ' and ')} offset 0) ${edge}`
  const equal = ({ column, is }: { column: Sql; is: Sql }) => sql`${column} = ${is}`
  return join(
    [
      ...others.map((other) =>
        step(hops[steps.indexOf(other)]!, [equal(other.last ? other.far : other.near)]),
      ),
      step(hops[steps.indexOf(association)]!, [equal(association.near), equal(association.far)]),
    ],
    ', ',
  )
}
