import type { Queryable } from '../../platform/db/index.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { Digest, DigestedEvent } from './digest.ts'

const iso = (time: number): string => new Date(time).toISOString()

/** Writers of past events and the maker of digests keep out of each other's way, organization by organization. */
export const lockPastEvents = (db: Queryable, organizationId: string): Promise<number> =>
  db.run(sql`select lock_past_events(${organizationId}, true)`)

/**
 * The writer's side. Digests end ten minutes ago, so what is younger than half of that need not wait for them, even if its
 * transaction takes a while.
 */
export const joinPastEvents = (
  db: Queryable,
  organizationId: string,
  earliest: string,
): Promise<number> =>
  db.run(sql`
    select lock_past_events(${organizationId}, false)
     where ${earliest}::timestamptz < clock_timestamp() - interval '5 minutes'`)

/** What comes late makes the digests of its time untrue. Under the lock. */
export const forgetDigests = (
  db: Queryable,
  organizationId: string,
  timestamps: readonly string[],
): Promise<number> =>
  db.run(sql`
    delete from event_digests d
     using (select min(late) as earliest, max(late) as latest from unnest(${timestamps}::timestamptz[]) as late) reach
     where d.organization_id = ${organizationId} and d.from_time <= reach.latest and d.until_time > reach.earliest
       and exists (select from unnest(${timestamps}::timestamptz[]) as late where late >= d.from_time and late < d.until_time)`)

/** Lists of a digest that was forgotten go with the others of their time. */
export async function deleteDigestsBefore(
  db: Queryable,
  organizationId: string,
  before: Date,
): Promise<void> {
  await db.run(
    sql`delete from event_digests where organization_id = ${organizationId} and until_time < ${before}`,
  )
  await db.run(
    sql`delete from event_digest_lists where organization_id = ${organizationId} and from_time < ${before}
          and not exists (select from event_digests d where d.organization_id = event_digest_lists.organization_id and d.from_time = event_digest_lists.from_time)`,
  )
}

interface Gap {
  from: number
  /** Null: after the last digest. */
  until: number | null
}

const ms = (column: Sql): Sql => sql`floor(extract(epoch from ${column}) * 1000)::int8`

/** The earliest time without a digest: before the first, between two, or after the last. */
export async function firstGap(db: Queryable, organizationId: string): Promise<Gap | null> {
  const gap = await db.one<{ from: number | null; until: number | null }>(sql`
    with edges as (
      select from_time, until_time, lag(until_time) over (order by from_time) as before
        from event_digests where organization_id = ${organizationId}
    ), first as (
      select min(from_time) as time, max(until_time) as last from edges
    ), gaps as (
      select (select min(e.timestamp) from events e
               where e.organization_id = ${organizationId} and (first.time is null or e.timestamp < first.time)) as low,
             first.time as high from first
      union all select before, from_time from edges where before < from_time
      union all select last, null from first where last is not null
    )
    select ${ms(sql`low`)} as from, ${ms(sql`high`)} as until
      from gaps where low is not null order by low limit 1`)
  return gap && gap.from !== null ? { from: gap.from, until: gap.until } : null
}

export const eventsToDigest = (
  db: Queryable,
  organizationId: string,
  { from, until }: { from: number; until: number },
  limit: number,
): Promise<DigestedEvent[]> =>
  db.many<DigestedEvent>(sql`
    select ${ms(sql`e.timestamp`)} as timestamp, e.service, e.document from events e
     where e.organization_id = ${organizationId} and e.timestamp >= ${iso(from)}::timestamptz and e.timestamp < ${iso(until)}::timestamptz
     order by e.timestamp, e.id
     limit ${limit}`)

export async function insertDigests(
  db: Queryable,
  organizationId: string,
  digests: Digest[],
): Promise<void> {
  await db.run(sql`
    insert into event_digests (organization_id, from_time, until_time, events, listed)
    select ${organizationId}, from_time, until_time, events, listed
      from unnest(${digests.map(({ from }) => iso(from))}::timestamptz[], ${digests.map(({ until }) => iso(until))}::timestamptz[],
                  ${digests.map(({ events }) => events)}::int[], ${digests.map(({ lists }) => lists !== null)}::boolean[])
        as digest (from_time, until_time, events, listed)`)
  const lists = digests.flatMap((digest) =>
    [...(digest.lists ?? [])].map(([field, list]) => ({
      field,
      from: iso(digest.from),
      list: list?.list ?? null,
      marks: list?.marks ?? null,
    })),
  )
  // Those of one field side by side: they are read together.
  lists.sort((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0))
  await db.run(sql`
    insert into event_digest_lists (organization_id, field, from_time, list, marks)
    select ${organizationId}, field, from_time, list, marks
      from unnest(${lists.map(({ field }) => field)}::text[], ${lists.map(({ from }) => from)}::timestamptz[],
                  ${lists.map(({ list }) => list)}::text[], ${lists.map(({ marks }) => marks)}::text[])
        as list (field, from_time, list, marks)
    on conflict (organization_id, field, from_time) do update set list = excluded.list, marks = excluded.marks`)
}

/** Tenants with events that no digest covers, as far as it pays to make one. */
export async function organizationsToDigest(
  db: Queryable,
  until: number,
  least: number,
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(
    sql`select id from organizations_to_digest(${iso(until)}::timestamptz, ${least}) as id`,
  )
  return rows.map(({ id }) => id)
}

export interface DigestRow {
  organization_id: string
  from: number
  until: number
  events: number
  hit: boolean
  /** Whether its lists are there. */
  listed: boolean
  before: number | null
  last: boolean
}

/** Digests in reach that may hold a match, and those beside which none is. */
export const matchingDigests = (
  db: Queryable,
  organizationIds: readonly string[],
  { from, until }: { from: number; until: number },
  condition: Sql,
): Promise<DigestRow[]> =>
  db.many<DigestRow>(sql`
    with reach as (
      select min(from_time) as earliest from event_digests
       where organization_id = any(${organizationIds}::text[]) and until_time > ${iso(from)}::timestamptz
    ), found as (
      select d.organization_id, d.from_time, d.until_time, d.events, d.listed, (not d.listed or ${condition}) as hit,
             lag(d.until_time) over (partition by d.organization_id order by d.from_time) as before,
             lead(d.from_time) over (partition by d.organization_id order by d.from_time) is null as last
        from event_digests d
       where d.organization_id = any(${organizationIds}::text[])
         and d.until_time > ${iso(from)}::timestamptz and d.from_time < ${iso(until)}::timestamptz
    )
    select organization_id, ${ms(sql`from_time`)} as from, ${ms(sql`until_time`)} as until, events, hit, listed,
           ${ms(sql`before`)} as before, last
      from found
     where hit or last or before is distinct from from_time
     order by organization_id, from_time`)

/** By field; a field that no event has is not there. */
export type DigestLists = Map<string, string | null>

export const digestKey = (organizationId: string, from: number | null): string =>
  `${organizationId} ${from}`

/** The lists of some fields of some digests. The fence keeps the planner from reading all there are. */
export async function readLists(
  db: Queryable,
  digests: { organizationId: string; digest: number | null }[],
  fields: string[],
): Promise<Map<string, DigestLists>> {
  const rows = await db.many<{
    organization_id: string
    from: number
    field: string
    list: string | null
  }>(sql`
    select digest.organization_id, ${ms(sql`digest.from_time`)} as from, found.field, found.list
      from unnest(${digests.map(({ organizationId }) => organizationId)}::text[], ${digests.map(({ digest }) => iso(digest!))}::timestamptz[])
        as digest (organization_id, from_time)
     cross join lateral (
       select l.field, l.list from event_digest_lists l
        where l.organization_id = digest.organization_id and l.field = any(${fields}::text[]) and l.from_time = digest.from_time
       offset 0) found`)
  const found = new Map<string, DigestLists>()
  for (const { organization_id, from, field, list } of rows) {
    const key = digestKey(organization_id, from)
    const lists = found.get(key)
    if (lists) lists.set(field, list)
    else found.set(key, new Map([[field, list]]))
  }
  return found
}
