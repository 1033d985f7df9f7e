import type { Queryable, TenantDb } from '../../platform/db/index.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import { limits } from '../../platform/limits.ts'
import { SERVICES } from '../services.ts'
import { readWatermark } from '../stream/store.ts'
import { EventPage } from './event-page.ts'
import type { EventQuery, Selection } from './event-query.ts'
import { digestTerm, narrow, type Range, rangesOf, windowsOf } from './ranges.ts'
import { pathOf, searchCondition } from './search-sql.ts'

// Reads take the ids of one or several tenants; `db` acts for exactly those.

const iso = (time: number): string => new Date(time).toISOString()

/**
 * The time ranges of a selection, up to the watermark, so that readers who poll for later events or walk from window to
 * window miss none (design D7). The watermark is read in a separate statement before the rows: in the same one it would
 * be newer than their snapshot, and events committed in between would be skipped.
 */
async function reach(
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
  after: EventQuery['after'] = null,
  sort: EventQuery['sort'] = 'ASC',
): Promise<Range[]> {
  const mark = await readWatermark(db)
  let { from } = selection
  let until = selection.to === null ? mark : Math.min(mark, selection.to + 1)
  if (after && sort === 'ASC') from = Math.max(from, after.timestamp)
  if (after && sort === 'DESC') until = Math.min(until, after.timestamp + 1)
  return rangesOf(db, organizationIds, digestTerm(selection), { from, until })
}

/** For statements that read all ranges. */
const allOf = async (
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
): Promise<Range[]> =>
  narrow(db, await reach(db, organizationIds, selection), digestTerm(selection))

function condition({ services, term }: Selection): Sql {
  const which =
    services.length === SERVICES.length ? empty : sql`e.service = any(${[...services]}::text[]) and`
  return sql`${which} ${searchCondition(term)}`
}

/** Inlines the times of a single range, so that the planner can prune partitions. */
const within = ({ organizationId, from, until }: Range): Sql =>
  sql`e.organization_id = ${organizationId} and e.timestamp >= ${iso(from)}::timestamptz and e.timestamp < ${iso(until)}::timestamptz`

const table = (ranges: Range[]): Sql =>
  sql`unnest(${ranges.map(({ organizationId }) => organizationId)}::text[], ${ranges.map(({ from }) => iso(from))}::timestamptz[],
             ${ranges.map(({ until }) => iso(until))}::timestamptz[]) as range (organization_id, from_time, until_time)`

/** The rows of all ranges; `select` builds the query of one, given its range condition. */
function eachRange(ranges: Range[], select: (inside: Sql) => Sql): Sql {
  const [only] = ranges
  if (only && ranges.length === 1) return select(within(only))
  const inside = sql`e.organization_id = range.organization_id and e.timestamp >= range.from_time and e.timestamp < range.until_time`
  return sql`select found.* from ${table(ranges)} cross join lateral (${select(inside)}) found`
}

/** Events in the first window: a few times a page, so that it usually fills one. */
const FIRST_WINDOW = 20_000

/**
 * A page of events. Each range is read in index order, then merged; windows of ranges follow each other in time, so the
 * first ones may suffice.
 */
export async function readPage(
  db: TenantDb,
  organizationIds: readonly string[],
  query: EventQuery,
  page = new EventPage(),
): Promise<EventPage> {
  const { after, limit, skip, sort } = query
  const order = sort === 'ASC' ? sql`timestamp, id` : sql`timestamp desc, id desc`
  const cursor = after && sql`(${iso(after.timestamp)}::timestamptz, ${after.id}::uuid)`
  const beyond = !cursor
    ? empty
    : sort === 'ASC'
      ? sql`and (e.timestamp, e.id) > ${cursor}`
      : sql`and (e.timestamp, e.id) < ${cursor}`
  const ranges = await reach(db, organizationIds, query, after, sort)
  // An offset counts across all ranges.
  const windows = skip > 0 ? [ranges] : windowsOf(ranges, sort, FIRST_WINDOW)
  for (const wide of windows) {
    const window = await narrow(db, wide, digestTerm(query))
    if (window.length === 0) continue
    const room = limit - page.rows
    const rows = eachRange(
      window,
      (inside) => sql`
        select e.timestamp, e.id, e.document from events e
         where ${inside} and ${condition(query)} ${beyond}
         order by ${order} limit ${room + skip}`,
    )
    const merged =
      window.length === 1 && skip === 0
        ? rows
        : sql`select * from (${rows}) page order by ${order} limit ${room} offset ${skip}`
    await db.copyOut(merged, page)
    if (page.rows === limit) break
  }
  return page
}

export async function countEvents(
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
): Promise<number> {
  const ranges = await allOf(db, organizationIds, selection)
  if (ranges.length === 0) return 0
  const rows = eachRange(
    ranges,
    (inside) => sql`select from events e where ${inside} and ${condition(selection)}`,
  )
  const row = await db.one<{ count: number }>(sql`select count(*) as count from (${rows}) counted`)
  return row?.count ?? 0
}

interface Bucket {
  key: string
  doc_count: number
}

/** More values than anyone reads; the others are only counted. */
const MAX_DISTINCT = 10_000

/** The values of a field by frequency; lists count each of their elements. */
export async function distinctValues(
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
  field: string,
): Promise<{ buckets: Bucket[]; others: number }> {
  const none = { buckets: [], others: 0 }
  const path = pathOf(field)
  if (path === null) return none
  // Documents of some services lack the field.
  const values =
    field === 'service'
      ? sql`(select e.service as key) value`
      : sql`(
    select value #>> '{}' as key from jsonb_path_query(e.document::jsonb, ${`${path}[*]`}::jsonpath) as value
     where jsonb_typeof(value) not in ('null', 'object', 'array')) value`
  const ranges = await allOf(db, organizationIds, selection)
  if (ranges.length === 0) return none
  const rows = eachRange(
    ranges,
    (inside) => sql`
      select value.key from events e cross join lateral ${values} where ${inside} and ${condition(selection)}`,
  )
  const found = await db.many<Bucket & { total: number }>(sql`
    select key, count(*) as doc_count, (sum(count(*)) over ())::int8 as total from (${rows}) found
     group by key order by doc_count desc, key collate "C" limit ${MAX_DISTINCT}`)
  const buckets = found.map(({ key, doc_count }) => ({ key, doc_count }))
  const counted = buckets.reduce((sum, { doc_count }) => sum + doc_count, 0)
  return { buckets, others: (found[0]?.total ?? 0) - counted }
}

/** Events per step; `offset` shifts the step boundaries to a time zone. Times in milliseconds. */
export async function countPerStep(
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
  step: { seconds: number; offsetSeconds: number },
): Promise<{ start: number; doc_count: number }[]> {
  const ranges = await allOf(db, organizationIds, selection)
  if (ranges.length === 0) return []
  const rows = eachRange(
    ranges,
    (inside) => sql`select e.timestamp from events e where ${inside} and ${condition(selection)}`,
  )
  // Weeks start on Monday, as did 5 January 1970.
  return db.many(sql`
    select floor(extract(epoch from step) * 1000)::int8 as start, doc_count
      from (
        select date_bin(make_interval(secs => ${step.seconds}), timestamp,
                        timestamptz '1970-01-05 00:00:00+00' - make_interval(secs => ${step.offsetSeconds})) as step,
               count(*) as doc_count
          from (${rows}) found
         group by 1
      ) counted
     order by 1 limit ${limits.events.buckets + 1}`)
}
