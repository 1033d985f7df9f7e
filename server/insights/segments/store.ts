import type { Queryable, Snapshot } from '../../platform/db/index.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import { BinaryRows, readTime, readUuid, uuidBytes } from './binary-rows.ts'
import type { EventRow } from './frames.ts'
import { FORMAT, type Segment } from './segment.ts'

const iso = (time: number): string => new Date(time).toISOString()
const ms = (column: Sql): Sql => sql`floor(extract(epoch from ${column}) * 1000)::int8`

/** A place in the order of events. */
export interface Edge {
  time: number
  id: Buffer
}

const uuidText = ({ id }: Edge): string => readUuid(id)

/** What is known of a segment without reading its contents. */
export interface SegmentHead {
  organizationId: string
  id: string
  /** Milliseconds; both ends inclusive. */
  first: number
  last: number
  events: number
  services: Record<string, number>
  starts: number[] | null
  unlisted: string[] | null
}

interface HeadRow extends SegmentHead {
  format: number
}

const columns = sql`s.organization_id as "organizationId", s.id, ${ms(sql`s.first_time`)} as first,
  ${ms(sql`s.last_time`)} as last, s.events, s.services, s.frame_starts as starts, s.unlisted, s.format`

function readable(rows: HeadRow[]): SegmentHead[] {
  for (const { id, format } of rows)
    if (format !== FORMAT) throw new Error(`Segment ${id} has format ${format}, not ${FORMAT}`)
  return rows
}

/** Those with events in from <= time < until, by organization and time. */
export const listSegments = async (
  db: Pick<Queryable, 'many'>,
  organizationIds: readonly string[],
  { from, until }: { from: number; until: number },
): Promise<SegmentHead[]> =>
  readable(
    await db.many<HeadRow>(sql`
      select ${columns} from event_segments s
       where s.organization_id = any(${organizationIds}::text[])
         and s.last_time >= ${iso(from)}::timestamptz and s.first_time < ${iso(until)}::timestamptz
       order by s.organization_id, s.last_time, s.last_id`),
  )

type Key = Pick<SegmentHead, 'organizationId' | 'id'>

const keys = (list: readonly Key[]): Sql =>
  sql`unnest(${list.map(({ organizationId }) => organizationId)}::text[], ${list.map(({ id }) => id)}::uuid[])`

type Copying = Pick<Snapshot, 'copyOut'>

async function read(db: Copying, query: Sql): Promise<Buffer[][]> {
  const sink = new BinaryRows()
  await db.copyOut(query, sink)
  return sink.rows
}

const asData = ([id, data]: Buffer[]) => ({ id: readUuid(id!), data: data! })

/** Packed, by segment. */
export const readTimes = async (db: Copying, list: readonly Key[]) =>
  (
    await read(
      db,
      sql`select s.id, s.times from ${keys(list)} as k (organization_id, id)
            join event_segments s on s.organization_id = k.organization_id and s.id = k.id`,
    )
  ).map(asData)

/** Packed columns; fields that occur in no event of a segment are missing. */
export async function readColumns(
  db: Copying,
  list: readonly Key[],
  fields: readonly string[],
): Promise<{ id: string; field: string; data: Buffer }[]> {
  const rows = await read(
    db,
    sql`select c.segment_id, c.field, c.data from ${keys(list)} as k (organization_id, id)
          join event_columns c on c.organization_id = k.organization_id and c.segment_id = k.id
           and c.field = any(${fields}::text[])`,
  )
  return rows.map(([id, field, data]) => ({
    id: readUuid(id!),
    field: field!.toString(),
    data: data!,
  }))
}

export interface FramePlace extends Key {
  start: number
}

export async function readFrames(
  db: Copying,
  places: readonly FramePlace[],
): Promise<{ id: string; start: number; data: Buffer }[]> {
  const rows = await read(
    db,
    sql`select f.segment_id, f.start, f.data
          from unnest(${places.map(({ organizationId }) => organizationId)}::text[], ${places.map(({ id }) => id)}::uuid[],
                      ${places.map(({ start }) => start)}::int[]) as p (organization_id, id, start)
          join event_frames f on f.organization_id = p.organization_id and f.segment_id = p.id and f.start = p.start`,
  )
  return rows.map(([id, start, data]) => ({
    id: readUuid(id!),
    start: start!.readInt32BE(0),
    data: data!,
  }))
}

const asRow = ([time, id, service, document]: Buffer[]): EventRow => ({
  time: readTime(time!),
  id: id!,
  service: service!.toString(),
  document: document!,
})

/** Of an organization's events that are not sealed, those at these places. */
export async function readOpenAt(
  db: Copying,
  organizationId: string,
  places: readonly Edge[],
): Promise<EventRow[]> {
  const rows = await read(
    db,
    sql`select e.timestamp, e.id, e.service, e.document
          from unnest(${places.map(({ time }) => iso(time))}::timestamptz[], ${places.map(uuidText)}::uuid[]) as p (timestamp, id)
          join events e on e.organization_id = ${organizationId} and e.timestamp = p.timestamp and e.id = p.id`,
  )
  return rows.map(asRow)
}

/** A row and the organization it belongs to. */
export interface OpenRow extends EventRow {
  organizationId: string
}

/**
 * Events that are not sealed, from <= time < until, in order. Of each organization about as many as asked for, but all
 * of the last millisecond.
 */
export async function readOpenRows(
  db: Copying,
  organizationIds: readonly string[],
  { from, until }: { from: number; until: number },
  sort: 'ASC' | 'DESC',
  limit: number,
): Promise<OpenRow[]> {
  const order = sort === 'ASC' ? sql`e.timestamp` : sql`e.timestamp desc`
  const some = (organization: Sql): Sql => sql`
    select e.organization_id, e.timestamp, e.id, e.service, e.document from events e
     where e.organization_id = ${organization}
       and e.timestamp >= ${iso(from)}::timestamptz and e.timestamp < ${iso(until)}::timestamptz
     order by ${order} fetch first ${limit} rows with ties`
  const [only] = organizationIds
  const query =
    organizationIds.length === 1
      ? some(sql`${only}`)
      : sql`select found.* from unnest(${organizationIds}::text[]) as t (id) cross join lateral (${some(sql`t.id`)}) found`
  const rows = await read(db, query)
  return rows.map(([organization, time, id, service, document]) => ({
    organizationId: organization!.toString(),
    time: readTime(time!),
    id: id!,
    service: service!.toString(),
    document: document!,
  }))
}

/** The time of the oldest event that is not sealed, from <= time < until. */
export async function oldestOpen(
  db: Pick<Queryable, 'many'>,
  organizationIds: readonly string[],
  { from, until }: { from: number; until: number },
): Promise<number | null> {
  const [row] = await db.many<{ time: number | null }>(sql`
    select ${ms(sql`min(oldest.timestamp)`)} as time
      from unnest(${organizationIds}::text[]) as t (id)
     cross join lateral (
       select e.timestamp from events e
        where e.organization_id = t.id
          and e.timestamp >= ${iso(from)}::timestamptz and e.timestamp < ${iso(until)}::timestamptz
        order by e.timestamp limit 1) oldest`)
  return row!.time
}

// The sealer's side, in a transaction of the organization ----------------------------------------------------------

/** Writers of past events and the sealer keep out of each other's way, organization by organization. */
export const lockPastEvents = (db: Queryable, organizationId: string): Promise<number> =>
  db.run(sql`select lock_past_events(${organizationId}, true)`)

/**
 * The writer's side. Segments end ten minutes ago, so what is younger than half of that need not wait for them, even if
 * its transaction takes a while.
 */
export const joinPastEvents = (
  db: Queryable,
  organizationId: string,
  earliest: string,
): Promise<number> =>
  db.run(sql`
    select lock_past_events(${organizationId}, false)
     where ${earliest}::timestamptz < clock_timestamp() - interval '5 minutes'`)

/** Tenants with that many events before an instant that are not sealed. */
export async function organizationsToSeal(
  db: Queryable,
  until: number,
  enough: number,
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(
    sql`select id from organizations_to_seal(${iso(until)}::timestamptz, ${enough}) as id`,
  )
  return rows.map(({ id }) => id)
}

interface SegmentEdges extends SegmentHead {
  firstEdge: Edge
  lastEdge: Edge
}

interface EdgeRow extends HeadRow {
  first_id: string
  last_id: string
}

const withEdges = (row: EdgeRow): SegmentEdges => ({
  ...row,
  firstEdge: { time: row.first, id: uuidBytes(row.first_id) },
  lastEdge: { time: row.last, id: uuidBytes(row.last_id) },
})

export async function lastSegment(
  db: Pick<Queryable, 'many'>,
  organizationId: string,
): Promise<SegmentEdges | null> {
  const rows = await db.many<EdgeRow>(sql`
    select ${columns}, s.first_id, s.last_id from event_segments s where s.organization_id = ${organizationId}
     order by s.last_time desc, s.last_id desc limit 1`)
  readable(rows)
  return rows[0] ? withEdges(rows[0]) : null
}

const after = (edge: Edge | null): Sql =>
  edge
    ? sql`e.timestamp >= ${iso(edge.time)}::timestamptz and (e.timestamp, e.id) > (${iso(edge.time)}::timestamptz, ${uuidText(edge)}::uuid)`
    : sql`true`
const upTo = (edge: Edge): Sql =>
  sql`e.timestamp <= ${iso(edge.time)}::timestamptz and (e.timestamp, e.id) <= (${iso(edge.time)}::timestamptz, ${uuidText(edge)}::uuid)`
const before = (edge: Edge): Sql =>
  sql`e.timestamp <= ${iso(edge.time)}::timestamptz and (e.timestamp, e.id) < (${iso(edge.time)}::timestamptz, ${uuidText(edge)}::uuid)`

/** Where late events lie: in a segment, or between it and the one before. */
interface LateEvents {
  segment: SegmentEdges
  /** The end of the segment before. */
  previous: Edge | null
  events: number
}

/** The first segment with at least so many late events; `last` is where the last segment ends. */
export async function findLateEvents(
  db: Pick<Queryable, 'many'>,
  organizationId: string,
  last: Edge,
  enough: number,
): Promise<LateEvents | null> {
  const rows = await db.many<
    EdgeRow & { previous_time: number | null; previous_id: string | null; late: number }
  >(sql`
    with late as (
      select found.id, count(*) as events
        from events e
       cross join lateral (
         select s.id from event_segments s
          where s.organization_id = ${organizationId} and (s.last_time, s.last_id) >= (e.timestamp, e.id)
          order by s.last_time, s.last_id limit 1) found
       where e.organization_id = ${organizationId} and ${upTo(last)}
       group by found.id having count(*) >= ${enough})
    select ${columns}, s.first_id, s.last_id, late.events as late,
           ${ms(sql`previous.last_time`)} as previous_time, previous.last_id as previous_id
      from late join event_segments s on s.organization_id = ${organizationId} and s.id = late.id
      left join lateral (
        select p.last_time, p.last_id from event_segments p
         where p.organization_id = ${organizationId} and (p.last_time, p.last_id) < (s.last_time, s.last_id)
         order by p.last_time desc, p.last_id desc limit 1) previous on true
     order by s.last_time, s.last_id limit 1`)
  const [row] = readable(rows) as typeof rows
  if (!row) return null
  const previous =
    row.previous_time === null || row.previous_id === null
      ? null
      : { time: row.previous_time, id: uuidBytes(row.previous_id) }
  return { segment: withEdges(row), previous, events: row.late }
}

/** How many events wait after an edge, up to a limit, and the time of the first. */
export async function countWaiting(
  db: Pick<Queryable, 'many'>,
  organizationId: string,
  from: Edge | null,
  until: number,
  limit: number,
): Promise<{ events: number; first: number | null }> {
  const [row] = await db.many<{ events: number; first: number | null }>(sql`
    select count(*) as events, ${ms(sql`min(timestamp)`)} as first
      from (select e.timestamp from events e
             where e.organization_id = ${organizationId} and ${after(from)} and e.timestamp < ${iso(until)}::timestamptz
             order by e.timestamp, e.id limit ${limit}) waiting`)
  return row!
}

/** How many events before an instant are not sealed. */
export async function countOpen(
  db: Queryable,
  organizationId: string,
  until: number,
): Promise<number> {
  const row = await db.one<{ events: number }>(sql`
    select count(*) as events from events
     where organization_id = ${organizationId} and timestamp < ${iso(until)}::timestamptz`)
  return row!.events
}

/** Of the documents that are sealed at once, which are all in memory. */
const MAX_BYTES = 32 * 1_048_576

/** The oldest events after an edge: at most as many as asked for, and not too large together. */
export async function rowsToSeal(
  db: Copying,
  organizationId: string,
  from: Edge | null,
  to: { before: Edge } | { upTo: Edge } | { until: number },
  limit: number,
): Promise<EventRow[]> {
  const end =
    'before' in to
      ? before(to.before)
      : 'upTo' in to
        ? upTo(to.upTo)
        : sql`e.timestamp < ${iso(to.until)}::timestamptz`
  const rows = await read(
    db,
    sql`select timestamp, id, service, document
          from (select e.timestamp, e.id, e.service, e.document,
                       sum(octet_length(e.document)) over (order by e.timestamp, e.id rows unbounded preceding) - octet_length(e.document) as bytes
                  from events e
                 where e.organization_id = ${organizationId} and ${after(from)} and ${end}
                 order by e.timestamp, e.id limit ${limit}) oldest
         where bytes < ${MAX_BYTES} order by timestamp, id`,
  )
  return rows.map(asRow)
}

/** The rows between two edges, both inclusive. */
export const deleteRows = (
  db: Queryable,
  organizationId: string,
  first: Edge,
  last: Edge,
): Promise<number> =>
  db.run(sql`
    delete from events e
     where e.organization_id = ${organizationId}
       and e.timestamp >= ${iso(first.time)}::timestamptz and e.timestamp <= ${iso(last.time)}::timestamptz
       and (e.timestamp, e.id) >= (${iso(first.time)}::timestamptz, ${uuidText(first)}::uuid)
       and (e.timestamp, e.id) <= (${iso(last.time)}::timestamptz, ${uuidText(last)}::uuid)`)

export async function insertSegment(
  db: Queryable,
  organizationId: string,
  id: string,
  segment: Segment,
): Promise<void> {
  const { first, last, events, services, times, starts, unlisted } = segment
  await db.run(sql`
    insert into event_segments (organization_id, id, first_time, first_id, last_time, last_id, events, services, format,
                                times, frame_starts, unlisted)
    values (${organizationId}, ${id}, ${iso(first.time)}, ${uuidText(first)}, ${iso(last.time)}, ${uuidText(last)}, ${events},
            ${JSON.stringify(services)}, ${FORMAT}, ${times}, ${starts}::int[], ${unlisted}::text[])`)
  await db.run(sql`
    insert into event_frames (organization_id, segment_id, start, data)
    select ${organizationId}, ${id}, start, data
      from unnest(${segment.frames.map(({ start }) => start)}::int[], ${segment.frames.map(({ data }) => data)}::bytea[])
        as frame (start, data)`)
  await db.run(sql`
    insert into event_columns (organization_id, segment_id, field, data)
    select ${organizationId}, ${id}, field, data
      from unnest(${segment.columns.map(({ field }) => field)}::text[], ${segment.columns.map(({ data }) => data)}::bytea[])
        as col (field, data)`)
}

/** Their frames and columns go with them. */
export const deleteSegments = (
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<number> =>
  db.run(
    sql`delete from event_segments where organization_id = ${organizationId} and id = any(${ids}::uuid[])`,
  )

/** Whole segments; returns the number of their events. */
export async function deleteSegmentsBefore(
  db: Queryable,
  organizationId: string,
  time: Date,
): Promise<number> {
  const row = await db.one<{ events: number }>(sql`
    with gone as (
      delete from event_segments where organization_id = ${organizationId} and last_time < ${time} returning events)
    select coalesce(sum(events), 0)::int8 as events from gone`)
  return row?.events ?? 0
}
