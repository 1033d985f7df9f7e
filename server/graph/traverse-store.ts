import type { Queryable } from '../platform/db.ts'
import type { Resource } from '../platform/list/conditions.ts'
import type { ListQuery } from '../platform/list/query.ts'
import { identifier, join, literal, type Sql, sql } from '../platform/sql.ts'
import { chainSql } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import type { NodeRef } from './pairs.ts'
import type { GraphConnection } from './schema.ts'

/** What a traversal may be filtered and sorted by. */
export const reachedResource: Resource = {
  fields: {
    object_id: { column: sql`r.id`, kind: 'string' },
    id: { column: sql`r.id`, kind: 'string' },
    type: { column: sql`r.type`, kind: 'string' },
  },
  defaultSort: 'object_id',
  tieBreak: sql`r.type`,
}

export interface Reached {
  type: string
  id: string
  paths: GraphConnection[][]
}

export interface Traversal {
  /** False when the start is not there. */
  known: boolean
  total: number
  results: Reached[]
}

const union = (parts: Sql[]): Sql => {
  const marked = parts.map((part, at) => (at === 0 ? part : sql`union all ${part}`))
  return join(marked, ' ')
}

/** One way to `p` as the list of connections that the API shows, with the attributes of the nodes it passes. */
function pathOf(organizationId: string, start: NodeRef, chain: Chain): Sql {
  const { from, where, hops, end } = chainSql(organizationId, chain, sql`${start.id}::text`)
  const column = (name: string, at: number) => identifier(`${name}${at + 1}`)
  const columns = hops.map(
    ({ edge, far }, at) =>
      sql`${far} as ${column('id', at)}, ${edge}.attributes as ${column('attributes', at)}`,
  )
  const nodes = hops.map(({ type }, at) => {
    const node = column('n', at)
    return sql`join nodes ${node} on ${node}.organization_id = ${organizationId}
      and ${node}.type = ${literal(type)} and ${node}.id = ${column('way.id', at)}`
  })
  const connections = hops.map(({ type }, at) => {
    const node = column('n', at)
    return sql`json_build_object('attributes', ${column('way.attributes', at)}, 'to',
      json_build_object('attributes', ${node}.attributes, 'id', ${node}.id, 'type', ${literal(type)}))`
  })
  return sql`
    select json_build_array(${join(connections, ', ')}) as path
      from (select ${join(columns, ', ')} from ${from}
             where p.type = ${literal(chain.at(-1)!)} and ${where} and ${end} = p.id) way
      ${join(nodes, ' ')}`
}

/**
 * Everything that the chains reach from the start: one statement. All ids are gathered and counted from the indexes;
 * paths are put together for the page alone.
 */
export async function traverse(
  db: Queryable,
  organizationId: string,
  start: NodeRef,
  chains: readonly Chain[],
  list: ListQuery,
): Promise<Traversal> {
  const ends = chains.map((chain) => {
    const { from, where, end } = chainSql(organizationId, chain, sql`${start.id}::text`)
    return sql`select ${literal(chain.at(-1)!)}::text as type, ${end}::text as id from ${from} where ${where}`
  })
  // A single edge leads to each end once.
  const distinct = chains.every((chain) => chain.length === 2) ? sql`` : sql`distinct`
  const reached =
    ends.length === 0
      ? sql`select null::text as type, null::text as id where false`
      : sql`select ${distinct} type, id from (${union(ends)}) every`
  const paths =
    chains.length === 0
      ? sql`select null::json as path`
      : union(chains.map((chain) => pathOf(organizationId, start, chain)))
  const row = await db.one<Traversal>(sql`
    with reached as materialized (${reached}),
    page as (
      select r.type, r.id, row_number() over (order by ${list.orderBy}) as at
        from reached r where ${list.where}
       order by ${list.orderBy} limit ${list.limit} offset ${list.skip}
    )
    select exists (select from nodes where organization_id = ${organizationId} and type = ${start.type}
                     and id = ${start.id} and deleted_at is null) as known,
           (select count(*) from reached r where ${list.where}) as total,
           coalesce((select json_agg(json_build_object('type', p.type, 'id', p.id,
                       'paths', (select json_agg(path) from (${paths}) ways)) order by p.at)
                       from page p), '[]'::json) as results`)
  return row!
}
