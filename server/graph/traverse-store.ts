import type { Tx } from '../platform/db/index.ts'
import { empty, identifier, join, literal, prepared, type Sql, sql } from '../platform/db/sql.ts'
import type { Resource } from '../platform/list/conditions.ts'
import type { ListQuery } from '../platform/list/query.ts'
import { hopsOf, waysBetween } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import type { NodeRef } from './pairs.ts'
import { isOpened, leftOut, openedSql, reachableSql, totalSql } from './reachable-sql.ts'
import type { GraphConnection } from './schema.ts'

/** What a traversal may be filtered and sorted by. */
export const reachableResource: Resource = {
  fields: {
    object_id: { column: sql`r.id`, kind: 'string' },
    id: { column: sql`r.id`, kind: 'string' },
    type: { column: sql`r.type`, kind: 'string' },
  },
  defaultSort: 'object_id',
  tieBreak: sql`r.type`,
}

interface Reachable {
  type: string
  id: string
  paths: GraphConnection[][]
}

export interface Traversal {
  /** False when the start is not there. */
  known: boolean
  total: number
  results: Reachable[]
}

/** Each way to `r` as the list of connections that the API shows, with the attributes of the nodes it passes. */
function pathsOf(organizationId: string, start: NodeRef, chain: Chain): Sql {
  const hops = hopsOf(organizationId, chain)
  const nodes = hops.map(({ to, far }, at) => {
    const node = identifier(`n${at + 1}`)
    return sql`lateral (select attributes from nodes where organization_id = ${organizationId}
      and type = ${literal(to)} and id = ${far} offset 0) ${node}`
  })
  const connections = hops.map(({ edge, far, to }, at) => {
    const node = identifier(`n${at + 1}`)
    return sql`json_build_object('attributes', ${edge}.attributes, 'to',
      json_build_object('attributes', ${node}.attributes, 'id', ${far}, 'type', ${literal(to)}))`
  })
  return sql`
    select json_build_array(${join(connections, ', ')}) as path
      from ${waysBetween(hops, sql`${start.id}::text`, sql`r.id`, isOpened(chain, hops.at(-1)!.near))}, ${join(nodes, ', ')}
     where r.type = ${literal(chain.at(-1)!)}`
}

interface Question {
  start: NodeRef
  chains: readonly Chain[]
  list: ListQuery
  /** In the order of the ids, without a filter: the page can be read from the indexes alone. */
  plain: boolean
}

/** Counts from the indexes, and finds no more ids than the page needs; paths are put together for the page alone. */
function statementOf(organizationId: string, { start, chains, list, plain }: Question): Sql {
  const paths = chains.map(
    (chain, at) =>
      sql`${at === 0 ? empty : sql`union all`} ${pathsOf(organizationId, start, chain)}`,
  )
  const reachable = plain
    ? reachableSql(organizationId, start, chains, { page: list })
    : reachableSql(organizationId, start, chains, { where: list.where })
  const skip = plain
    ? sql`${list.skip}::bigint - ${leftOut(chains, list.skip)}`
    : sql`${list.skip}::bigint`
  const total = plain
    ? totalSql(organizationId, start, chains)
    : sql`(select count(*) from reachable r)`
  return sql`
    with ${openedSql(organizationId, start, chains)}
    reachable as materialized (${reachable})
    select exists (select from nodes where organization_id = ${organizationId} and type = ${start.type}
                     and id = ${start.id} and deleted_at is null) as known,
           ${total} as total,
           coalesce((select json_agg(json_build_object('type', r.type, 'id', r.id, 'paths',
                         (select json_agg(path) from (${paths.length === 0 ? sql`select null::json as path` : join(paths, ' ')}) ways))
                       order by ${list.orderBy})
                       from (select r.type, r.id from reachable r
                              order by ${list.orderBy} limit ${list.limit} offset ${skip}) r), '[]'::json) as results`
}

/** Everything that the chains reach from the start: one statement. */
export async function traverse(
  tx: Tx,
  organizationId: string,
  question: Question,
): Promise<Traversal> {
  const { chains, plain } = question
  const statement = statementOf(organizationId, question)
  // It takes longer to plan than to run. Filters, orders and lists of targets come in any number of forms.
  const fewTexts = plain && (chains.length === 1 || chains.some((chain) => chain.length > 2))
  // Room for the ids of a hundred thousand users.
  const [, row] = await Promise.all([
    tx.run(sql`set local work_mem = '32MB'`),
    tx.one<Traversal>(fewTexts ? prepared(statement) : statement),
  ])
  return row!
}
