import { identifier, join, literal, type Sql, sql } from '../platform/sql.ts'
import type { Chain } from './chains.ts'
import { isForward, type NodeType } from './pairs.ts'

/** One edge of a chain, with its ends named from the side the chain comes from. */
export interface Hop {
  edge: Sql
  near: Sql
  far: Sql
  type: NodeType
}

export interface ChainSql {
  /** What stands after FROM. */
  from: Sql
  where: Sql
  hops: Hop[]
  /** The id at the end of the chain. */
  end: Sql
}

/** The moment a graph is looked at; null is now, which has indexes of its own. */
export type Moment = string | null

/** Moments come in milliseconds: an edge of that millisecond counts. */
const validAt = (edge: Sql, at: Moment): Sql =>
  at === null
    ? sql`${edge}.valid_until is null`
    : sql`${edge}.valid_from < ${at}::timestamptz + interval '1 millisecond'
        and (${edge}.valid_until is null or ${edge}.valid_until >= ${at}::timestamptz + interval '1 millisecond')`

/** The edges along a chain that starts at `startId`. Types stand in the text, where the planner can see them. */
export function chainSql(
  organizationId: string,
  chain: Chain,
  startId: Sql,
  at: Moment = null,
): ChainSql {
  const hops: Hop[] = []
  const conditions: Sql[] = []
  for (let step = 1; step < chain.length; step++) {
    const [a, b] = [chain[step - 1]!, chain[step]!]
    const edge = identifier(`e${step}`)
    const forward = isForward(a, b)
    const [fromType, toType] = forward ? [a, b] : [b, a]
    const near = forward ? sql`${edge}.from_id` : sql`${edge}.to_id`
    const far = forward ? sql`${edge}.to_id` : sql`${edge}.from_id`
    conditions.push(
      sql`${edge}.organization_id = ${organizationId}`,
      sql`${edge}.from_type = ${literal(fromType)}`,
      sql`${edge}.to_type = ${literal(toType)}`,
      sql`${near} = ${hops.at(-1)?.far ?? startId}`,
      validAt(edge, at),
    )
    hops.push({ edge, near, far, type: b })
  }
  return {
    from: join(
      hops.map(({ edge }) => sql`edges ${edge}`),
      ', ',
    ),
    where: join(conditions, ' and '),
    hops,
    end: hops.at(-1)!.far,
  }
}
