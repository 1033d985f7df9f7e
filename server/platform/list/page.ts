import type { Queryable } from '../db/index.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { codeOf, invalid } from '../errors.ts'
import { everything, type Search } from './conditions.ts'
import type { ListQuery } from './query.ts'
import { offset } from './values.ts'

export interface Page<T> {
  totalCount: number
  results: T[]
}

/** Maps PostgreSQL's error for an invalid regular expression to a 400. */
async function readable<R>(reading: Promise<R>): Promise<R> {
  try {
    return await reading
  } catch (error) {
    if (codeOf(error) === '2201B')
      throw invalid('bad_regex', 'filter: $regex is not a valid regular expression')
    throw error
  }
}

async function pageOf<T>(db: Queryable, total: Sql, rows: Sql): Promise<Page<T>> {
  const [count, results] = await readable(
    Promise.all([db.listing.one<{ total: number }>(total), db.listing.many<T>(rows)]),
  )
  return { totalCount: count?.total ?? 0, results }
}

/** `size` is a statement that knows the total of a long list without conditions. */
const countSql = (list: ListQuery, from: Sql, size?: Sql): Sql =>
  size && list.where === everything ? size : sql`select count(*) as total from ${from}`

/** One page and the total count. `from` is everything after FROM up to, not including, WHERE. */
export const readPage = <T>(
  db: Queryable,
  columns: Sql,
  from: Sql,
  scope: Sql,
  list: ListQuery,
  size?: Sql,
): Promise<Page<T>> =>
  pageOf<T>(
    db,
    countSql(list, sql`${from} where ${scope} and ${list.where}`, size),
    sql`select ${columns} from ${from} where ${scope} and ${list.where} order by ${list.orderBy} limit ${list.limit} offset ${list.skip}`,
  )

/** Ways to read long lists without reading all of their rows. */
interface Shortcuts {
  size?: Sql
  /** The ids of all rows that a search can match, and of others; null when they are too many. */
  candidates?: (db: Queryable, search: Search) => Promise<string[] | null>
}

/**
 * A page of a tenant table whose key is (organization_id, id). Finds the keys of the page first, by index if one has
 * the order, and reads only their rows: a deep `skip` passes over keys, not rows.
 */
export async function readTenantPage<T>(
  db: Queryable,
  table: Sql,
  organizationId: string,
  scope: Sql,
  list: ListQuery,
  { size, candidates }: Shortcuts = {},
): Promise<Page<T>> {
  const ids = (list.search && (await candidates?.(db.listing, list.search))) ?? null
  const among = ids === null ? empty : sql`and id = any(${ids}::text[])`
  const where = sql`organization_id = ${organizationId} ${among} and ${scope} and ${list.where}`
  const count = countSql(list, sql`${table} where ${where}`, size)
  const page = (counted: boolean) => sql`
    select t.* ${counted ? sql`, page_total` : empty} from (
      select id as page_key ${counted ? sql`, count(*) over () as page_total` : empty} from ${table} where ${where}
       order by ${list.orderBy} limit ${list.limit} offset ${list.skip}
    ) page join ${table} t on t.organization_id = ${organizationId} and t.id = page.page_key
    order by ${list.orderBy}`
  // A search without candidates reads every row, for the total at least: page and total share one scan.
  if (!list.search || candidates) return pageOf<T>(db, count, page(false))
  const found = await readable(db.listing.many<T & { page_total: number }>(page(true)))
  // Past the end no row carries the total.
  if (found.length === 0 && list.skip > 0) return pageOf<T>(db, count, page(false))
  const results = found.map(({ page_total, ...row }) => row as unknown as T)
  return { totalCount: found[0]?.page_total ?? 0, results }
}

/** Keeps the named fields, dotted ones by their first part; identifiers are always included. */
export function project<T extends object>(record: T, fields: string[] | null): T {
  if (fields === null) return record
  const kept = new Set(['_id', 'id', ...fields.map((name) => name.split('.')[0])])
  return Object.fromEntries(Object.entries(record).filter(([key]) => kept.has(key))) as T
}

export interface Paging {
  limit?: number
  skip?: number
}

const MAX_PLAIN_LIMIT = 100

const plainLimit = (limit: number): number =>
  limit === 0 ? MAX_PLAIN_LIMIT : Math.min(limit, MAX_PLAIN_LIMIT)

/** A list without filter and sort parameters, of any length. `from` is everything after FROM, with WHERE. */
export const readPlainPage = <T>(
  db: Queryable,
  from: Sql,
  orderBy: Sql,
  { limit = 10, skip = 0 }: Paging,
): Promise<Page<T>> =>
  pageOf<T>(
    db,
    sql`select count(*) as total from ${from}`,
    sql`select * from ${from} order by ${orderBy} limit ${plainLimit(limit)} offset ${offset(skip)}`,
  )

/**
 * For short lists whose rows carry the total (`count(*) over ()`). Past the end no row does, so it is read from the
 * first row.
 */
export async function readCountedPage<T extends { total: number }>(
  read: (limit: number, skip: number) => Promise<T[]>,
  { limit = 10, skip = 0 }: Paging,
): Promise<Page<T>> {
  const results = await read(plainLimit(limit), offset(skip))
  const first = results[0] ?? (skip > 0 ? (await read(1, 0))[0] : undefined)
  return { totalCount: first?.total ?? 0, results }
}
