import type { Queryable } from '../platform/db.ts'
import { empty, type Sql, sql } from '../platform/sql.ts'
import type { EventQuery, Selection } from './event-query.ts'
import { pathOf, searchCondition } from './search-sql.ts'
import { SERVICES } from './services.ts'

// Reads take the ids of one or several tenants; `db` acts for exactly those.

const iso = (time: number): string => new Date(time).toISOString()

/**
 * Where nothing can still be committed before. Asked in a statement of its own, ahead of the rows: inside
 * theirs it would be newer than what they see, and skip what is committed between the two moments.
 */
async function watermark(db: Queryable): Promise<string> {
  const row = await db.find<{ mark: string }>(sql`select event_watermark() as mark`)
  return row!.mark
}

/**
 * The rows of a selection, without the tenant. It never goes beyond the watermark, so that a reader who comes
 * back for later events, or walks from window to window, misses none (design D7).
 */
async function selected(db: Queryable, { services, from, to, term }: Selection): Promise<Sql> {
  const mark = await watermark(db)
  const until =
    to === null || iso(to) >= mark
      ? sql`e.timestamp < ${mark}::timestamptz`
      : sql`e.timestamp <= ${iso(to)}::timestamptz`
  const which =
    services.length === SERVICES.length ? empty : sql`and e.service = any(${[...services]}::text[])`
  return sql`e.timestamp >= ${iso(from)}::timestamptz and ${until} ${which} and ${searchCondition(term)}`
}

export interface EventChunk {
  rows: number
  /** Documents as stored, separated by commas: they go out as they are. */
  documents: string
  last_timestamp: number
  last_id: string
}

/**
 * A page in pieces of 500, in order: as a whole the documents are too large, one by one too many. Each
 * organization is read in its own index order, then merged.
 */
export async function readEvents(
  db: Queryable,
  organizationIds: readonly string[],
  query: EventQuery,
): Promise<EventChunk[]> {
  const { after, limit, skip, sort } = query
  const order = sort === 'ASC' ? sql`timestamp, id` : sql`timestamp desc, id desc`
  const place = after && sql`(${iso(after.timestamp)}::timestamptz, ${after.id}::uuid)`
  const beyond = !place
    ? empty
    : sort === 'ASC'
      ? sql`and (e.timestamp, e.id) > ${place}`
      : sql`and (e.timestamp, e.id) < ${place}`
  const rows = await selected(db, query)
  return db.many<EventChunk>(sql`
    with page as (
      select p.* from unnest(${organizationIds}::text[]) as tenant (id)
        cross join lateral (
          select e.timestamp, e.id, e.document from events e
           where e.organization_id = tenant.id and ${rows} ${beyond}
           order by ${order}
           limit ${limit + skip}
        ) p
       order by ${order}
       limit ${limit} offset ${skip}
    ), numbered as (
      select *, row_number() over (order by ${order}) as place, (row_number() over (order by ${order}) - 1) / 500 as chunk from page
    )
    select count(*) as rows, string_agg(document, ',' order by place) as documents,
           floor(extract(epoch from (array_agg(timestamp order by place desc))[1]) * 1000)::int8 as last_timestamp,
           (array_agg(id order by place desc))[1]::text as last_id
      from numbered
     group by chunk order by chunk`)
}

export async function countEvents(
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
): Promise<number> {
  const rows = await selected(db, selection)
  const row = await db.one<{ count: number }>(sql`
    select count(*) as count from events e where e.organization_id = any(${organizationIds}::text[]) and ${rows}`)
  return row?.count ?? 0
}

export interface Bucket {
  key: string
  doc_count: number
}

/** The values of a field by how often they occur; lists count each of their elements. */
export async function distinctValues(
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
  field: string,
): Promise<Bucket[]> {
  const path = pathOf(field)
  if (path === null) return []
  // Documents of some services do not name theirs.
  const values =
    field === 'service'
      ? sql`(select e.service as key) value`
      : sql`(
    select value #>> '{}' as key from jsonb_path_query(e.document::jsonb, ${`${path}[*]`}::jsonpath) as value
     where jsonb_typeof(value) not in ('null', 'object', 'array')) value`
  const rows = await selected(db, selection)
  return db.many<Bucket>(sql`
    select value.key, count(*) as doc_count
      from events e cross join lateral ${values}
     where e.organization_id = any(${organizationIds}::text[]) and ${rows}
     group by value.key order by doc_count desc, value.key collate "C"`)
}

/** How many events per step; `offset` shifts the edges of the steps to a zone. Times in milliseconds. */
export async function countPerStep(
  db: Queryable,
  organizationIds: readonly string[],
  selection: Selection,
  step: { seconds: number; offsetSeconds: number },
): Promise<{ start: number; doc_count: number }[]> {
  const rows = await selected(db, selection)
  // 5 January 1970 was a Monday: weeks start there.
  return db.many(sql`
    select floor(extract(epoch from date_bin(make_interval(secs => ${step.seconds}), e.timestamp,
             timestamptz '1970-01-05 00:00:00+00' - make_interval(secs => ${step.offsetSeconds}))) * 1000)::int8 as start,
           count(*) as doc_count
      from events e
     where e.organization_id = any(${organizationIds}::text[]) and ${rows}
     group by 1 order by 1`)
}
