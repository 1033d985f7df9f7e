import type { Queryable, Tx } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { forgetDigests, joinPastEvents } from './digests/store.ts'
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

/** Inserts events with a known time (demo, ingest); duplicates are skipped. */
export async function insertPastEvents(
  tx: Tx,
  organizationId: string,
  unordered: PastEvent[],
): Promise<number> {
  // Sorted, so that two batches with the same events cannot deadlock.
  const events = unordered.toSorted(
    (a, b) => compare(a.timestamp, b.timestamp) || compare(a.id, b.id),
  )
  // Splitting a text is faster than parsing an array, on both sides. In JSON the separator is always escaped.
  const column = (name: keyof PastEvent) => events.map((event) => event[name]).join(SEPARATOR)
  const timestamps = events.map(({ timestamp }) => timestamp)
  const [first] = timestamps
  if (first === undefined) return 0
  const locked = joinPastEvents(tx, organizationId, first)
  const forgotten = forgetDigests(tx, organizationId, timestamps)
  const inserted = tx.run(sql`
    insert into events (organization_id, timestamp, id, service, document)
    select ${organizationId}, timestamp::timestamptz, id::uuid, service, document
      from rows from (string_to_table(${column('timestamp')}, ${SEPARATOR}), string_to_table(${column('id')}, ${SEPARATOR}),
                      string_to_table(${column('service')}, ${SEPARATOR}), string_to_table(${column('document')}, ${SEPARATOR}))
        as event (timestamp, id, service, document)
    on conflict do nothing`)
  // Pipelined: sent together, executed in order.
  const [stored] = await Promise.all([inserted, locked, forgotten])
  return stored
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
