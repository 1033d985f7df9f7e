import type { Queryable, Tx } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { uuidBytes } from './segments/binary-rows.ts'
import { findSealed } from './segments/contents.ts'
import { joinPastEvents, listSegments } from './segments/store.ts'
import type { OwnService } from './services.ts'

/**
 * The database sets the time (design D7: readers rely on it), so the document is sent in two halves and the time put
 * between them.
 */
interface UntimedEvent {
  id: string
  service: OwnService
  beforeTime: string
  afterTime: string
}

export async function insertEvent(
  db: Queryable,
  organizationId: string,
  event: UntimedEvent,
): Promise<void> {
  await db.run(sql`
    insert into events (organization_id, timestamp, id, service, document)
    select ${organizationId}, at, ${event.id}, ${event.service},
           ${event.beforeTime} || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ${event.afterTime}
      from (select event_clock() as at) clock`)
}

/** Many at once, all with the same time; their ids keep them in order. */
export async function insertEvents(
  db: Queryable,
  organizationId: string,
  events: readonly UntimedEvent[],
): Promise<void> {
  const column = (name: keyof UntimedEvent) => events.map((event) => event[name])
  await db.run(sql`
    with clock as materialized (select event_clock() as at)
    insert into events (organization_id, timestamp, id, service, document)
    select ${organizationId}, at, id, service,
           before_time || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || after_time
      from clock, unnest(${column('id')}::uuid[], ${column('service')}::text[], ${column('beforeTime')}::text[],
                         ${column('afterTime')}::text[]) as event (id, service, before_time, after_time)`)
}

export interface PastEvent {
  id: string
  timestamp: string
  service: string
  document: string
}

const SEPARATOR = '\u001e'

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

type Place = Pick<PastEvent, 'timestamp' | 'id'>

/** Those that are not sealed already, where no key would notice a duplicate. In order. */
async function withoutSealed(
  tx: Tx,
  organizationId: string,
  events: PastEvent[],
): Promise<PastEvent[]> {
  const [first, last] = [events[0]!, events.at(-1)!]
  // Pipelined: sent together, executed in order.
  const [, heads] = await Promise.all([
    joinPastEvents(tx, organizationId, first.timestamp),
    listSegments(tx, [organizationId], {
      from: Date.parse(first.timestamp),
      until: Date.parse(last.timestamp) + 1,
    }),
  ])
  if (heads.length === 0) return events
  const places = events.map(({ timestamp, id }) => ({
    time: Date.parse(timestamp),
    id: uuidBytes(id),
  }))
  const sealed = await findSealed(tx, heads, places)
  return events.filter((_, at) => !sealed.has(at))
}

/** Inserts events with a known time (demo, ingest); duplicates are skipped. `stored` is told of the others. */
export async function insertPastEvents(
  tx: Tx,
  organizationId: string,
  unordered: PastEvent[],
  stored: (places: Place[]) => Promise<void> = async () => {},
): Promise<number> {
  if (unordered.length === 0) return 0
  // Sorted, so that two batches with the same events cannot deadlock.
  const sorted = unordered.toSorted(
    (a, b) => compare(a.timestamp, b.timestamp) || compare(a.id, b.id),
  )
  const events = await withoutSealed(tx, organizationId, sorted)
  if (events.length === 0) return 0
  // Splitting a text is faster than parsing an array, on both sides. In JSON the separator is always escaped.
  const column = (name: keyof PastEvent) => events.map((event) => event[name]).join(SEPARATOR)
  const places = await tx.many<Place>(sql`
    insert into events (organization_id, timestamp, id, service, document)
    select ${organizationId}, timestamp::timestamptz, id::uuid, service, document
      from rows from (string_to_table(${column('timestamp')}, ${SEPARATOR}), string_to_table(${column('id')}, ${SEPARATOR}),
                      string_to_table(${column('service')}, ${SEPARATOR}), string_to_table(${column('document')}, ${SEPARATOR}))
        as event (timestamp, id, service, document)
    on conflict do nothing
    returning timestamp, id`)
  if (places.length > 0) await stored(places)
  return places.length
}

export async function createPartitions(db: Queryable, from: Date, to: Date): Promise<number> {
  const row = await db.one<{ made: number }>(
    sql`select create_event_partitions(${from}, ${to}) as made`,
  )
  return row?.made ?? 0
}

export async function dropPartitions(db: Queryable, before: Date): Promise<number> {
  const row = await db.one<{ dropped: number }>(
    sql`select drop_event_partitions(${before}) as dropped`,
  )
  return row?.dropped ?? 0
}

interface StoredEvent {
  timestamp: string
  id: string
  service: string
  document: string
}

/** Newest first. */
export const latestEvents = (
  db: Queryable,
  organizationId: string,
  limit: number,
): Promise<StoredEvent[]> =>
  db.many<StoredEvent>(sql`
    select timestamp, id, service, document from events
     where organization_id = ${organizationId}
     order by timestamp desc, id desc
     limit ${limit}`)
