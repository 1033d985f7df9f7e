import type { Tx } from '../platform/db.ts'
import type { Resource } from '../platform/list/conditions.ts'
import type { ListQuery } from '../platform/list/query.ts'
import { empty, identifier, join, literal, prepared, type Sql, sql } from '../platform/sql.ts'
import { hopsOf, waysBetween } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import type { NodeRef } from './pairs.ts'
import { type Found, type Order, pageOf, type ReachedMemory } from './reached-memory.ts'
import {
  hasVersion,
  isOpened,
  leftOut,
  openedSql,
  reachedSql,
  totalSql,
  versionSql,
} from './reached-sql.ts'
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

export interface Question {
  start: NodeRef
  chains: readonly Chain[]
  list: ListQuery
  /** That of the ids; null if it is another one, or if only some are asked for. */
  order: Order | null
}

/** What is remembered is good for as long as its version is the one that the statement finds. */
interface Recalled {
  isValid: Sql
  /** The ids of the page, if all are known. */
  page: string[] | null
  /** All ids are wanted; whoever asks backwards finds them all anyway. */
  keep: boolean
}

/** With what is told of a traversal that can be remembered. */
interface Answer extends Traversal {
  version?: string
  /** What is remembered is still so, and has the total. */
  valid?: boolean
  ids?: string | null
}

const recall = (found: Found | undefined, list: ListQuery, order: Order): Recalled => ({
  isValid: sql`coalesce((select value from version) = ${found?.version ?? null}::text, false)`,
  page: found?.ids ? pageOf(found.ids, list, order) : null,
  keep: found ? found.ids === undefined : order === 'descending',
})

/**
 * Ids are counted from the indexes, and no more of them found than the page needs, unless all are asked for; paths are put
 * together for the page alone.
 */
function statementOf(
  organizationId: string,
  { start, chains, list, order }: Question,
  recalled: Recalled | null,
): Sql {
  const pageAlone = order === 'ascending' && !recalled?.keep
  const paths = chains.map(
    (chain, at) =>
      sql`${at === 0 ? empty : sql`union all`} ${pathsOf(organizationId, start, chain)}`,
  )
  const reached = pageAlone
    ? reachedSql(organizationId, start, chains, { page: list })
    : reachedSql(organizationId, start, chains, { where: list.where })
  const skip = pageAlone
    ? sql`${list.skip}::bigint - ${leftOut(chains, list.skip)}`
    : sql`${list.skip}::bigint`
  const total = pageAlone
    ? totalSql(organizationId, start, chains)
    : sql`(select count(*) from reached r)`
  const pageUnless = (known: Sql) => sql`
    (select r.type, r.id from reached r where not ${known}
      order by ${list.orderBy} limit ${list.limit} offset case when not ${known} then ${skip} end)`
  const remembered = recalled && {
    with: sql`version as materialized (${versionSql(organizationId, start, chains)}),`,
    columns: sql`(select value from version) as version, ${recalled.isValid} as valid,
      ${recalled.keep ? sql`(select string_agg(id, '' order by id) from reached)` : sql`null::text`} as ids,`,
    total: sql`case when not ${recalled.isValid} then ${total} end`,
    page: sql`${pageUnless(sql`(${recalled.isValid} and ${recalled.page}::text[] is not null)`)}
      union all select ${literal(chains[0]!.at(-1)!)}, id from unnest(${recalled.page}::text[]) id where ${recalled.isValid}`,
  }
  return sql`
    with ${openedSql(organizationId, start, chains)} ${remembered?.with ?? empty}
    reached as materialized (${reached})
    select exists (select from nodes where organization_id = ${organizationId} and type = ${start.type}
                     and id = ${start.id} and deleted_at is null) as known,
           ${remembered?.columns ?? empty}
           ${remembered?.total ?? total} as total,
           coalesce((select json_agg(json_build_object('type', r.type, 'id', r.id, 'paths',
                         (select json_agg(path) from (${paths.length === 0 ? sql`select null::json as path` : join(paths, ' ')}) ways))
                       order by ${list.orderBy})
                       from (${remembered?.page ?? pageUnless(sql`false`)}) r), '[]'::json) as results`
}

/** Everything that the chains reach from the start: one statement. */
export async function traverse(
  tx: Tx,
  organizationId: string,
  question: Question,
  memory: ReachedMemory,
): Promise<Traversal> {
  const { start, chains, list, order } = question
  const key =
    order && hasVersion(chains) ? `${organizationId} ${start.id} ${chains.join(' ')}` : null
  const before = key === null ? undefined : memory.find(key)
  const recalled = order && key !== null ? recall(before, list, order) : null
  const statement = statementOf(organizationId, question, recalled)
  // It takes longer to plan than to run. Filters, orders and lists of targets come in any number of forms.
  const fewTexts = order && (chains.length === 1 || chains.some((chain) => chain.length > 2))
  // Room for the ids of a hundred thousand users.
  const [, row] = await Promise.all([
    tx.run(sql`set local work_mem = '32MB'`),
    tx.one<Answer>(fewTexts ? prepared(statement) : statement),
  ])
  const { known, version, valid, ids, results } = row!
  const total = valid ? before!.total : row!.total
  if (key !== null && version !== undefined && (ids || !valid))
    memory.keep(key, { version, total, ...(ids && { ids: Buffer.from(ids, 'hex') }) })
  return { known, total, results }
}
