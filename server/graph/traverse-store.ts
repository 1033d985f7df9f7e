import type { Tx } from '../platform/db/index.ts'
import { prepared, type Sql, sql } from '../platform/db/sql.ts'
import type { Resource } from '../platform/list/conditions.ts'
import type { ListQuery } from '../platform/list/query.ts'
import type { Chain } from './chains.ts'
import { membersSql } from './counts-sql.ts'
import { memberTypeOf, type NodeRef } from './pairs.ts'
import { pathsSql } from './paths-sql.ts'
import { groupTables, isDirect, reachableSql } from './reachable-sql.ts'
import type { GraphConnection } from './schema.ts'

/** The fields that a traversal can be filtered and sorted by. */
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
  /** Whether the start exists. */
  known: boolean
  total: number
  results: Reachable[]
}

interface Question {
  start: NodeRef
  chains: readonly Chain[]
  list: ListQuery
  /** Sorted by id, without a filter. */
  plain: boolean
}

/** Collects and counts all reachable ids, and builds the paths of one page. */
export function traversalSql(
  organizationId: string,
  { start, chains, list, plain }: Question,
): Sql {
  // A single edge is counted and paged along its index; other chains would be followed twice.
  const materialized = isDirect(chains) ? sql`not materialized` : sql`materialized`
  const [chain, ...others] = chains
  const isMembers = plain && others.length === 0 && chain && memberTypeOf(chain[0]) === chain[1]
  // The order of the index: neither column is ever null.
  const orderBy = plain ? sql`r.id, r.type` : list.orderBy
  return sql`
    with ${groupTables(organizationId, start, chains)}
    reachable as ${materialized} (
      ${reachableSql(organizationId, start, chains, list.where)}
    ),
    page as materialized (
      select r.type, r.id from reachable r order by ${orderBy} limit ${list.limit} offset ${list.skip}
    ),
    ${pathsSql(organizationId, start, chains)}
    select
      exists (
        select from nodes where organization_id = ${organizationId} and type = ${start.type}
           and id = ${start.id} and deleted_at is null
      ) as known,
      ${isMembers ? membersSql(organizationId, chain[0], sql`${start.id}`) : sql`(select count(*) from reachable)`} as total,
      coalesce((
        select json_agg(json_build_object('type', r.type, 'id', r.id, 'paths', r.paths) order by ${orderBy})
          from (select type, id, json_agg(path order by chain) as paths from paths group by type, id) r
      ), '[]'::json) as results`
}

/** The nodes that the chains reach from the start, in one statement. */
export async function traverse(
  tx: Tx,
  organizationId: string,
  question: Question,
): Promise<Traversal> {
  const { chains, plain } = question
  const statement = traversalSql(organizationId, question)
  // Planning takes longer than running. Filters, orders and lists of targets have too many texts to prepare.
  const fewTexts = plain && (chains.length === 1 || chains.some((chain) => chain.length > 2))
  const [, row] = await Promise.all([
    // Enough to hash the ids of 100,000 users in memory.
    tx.run(sql`set local work_mem = '32MB'`),
    tx.one<Traversal>(fewTexts ? prepared(statement) : statement),
  ])
  return row!
}
