import type { Snapshot, TenantDb } from '../../platform/db/index.ts'
import { Pace } from '../../platform/pace.ts'
import { isIngested, NOT_INGESTED } from '../ingest/ingested.ts'
import { readUuid, uuidBytes } from '../segments/binary-rows.ts'
import {
  blockOf,
  findSealed,
  placesIn,
  readBlocks,
  readEvents,
  type SealedEvent,
} from '../segments/contents.ts'
import { listSegments, readOpenAt, type SegmentHead } from '../segments/store.ts'
import type { Selection } from './event-query.ts'
import { findOpenById } from './lookup-store.ts'
import { searchFor, wholeTerm } from './matches.ts'
import { type EventCursor, readFirst } from './page.ts'
import type { Term } from './search-tree.ts'

// Single events, wherever they lie.

/** An id is created before its transaction commits, and the database's clock may differ from ours. */
const SLACK_MS = 5 * 60_000

const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

const segmentsAround = (
  db: Snapshot,
  organizationId: string,
  times: readonly number[],
): Promise<SegmentHead[]> => {
  // Not by spreading: there may be more times than a function takes arguments.
  const from = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY)
  const to = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY)
  return listSegments(db, [organizationId], { from, until: to + 1 })
}

/**
 * Documents of the service's own events by id; events past their retention are missing. The ids contain their time
 * (RFC 9562 §5.7), which tells where to look.
 */
export async function findEvents(
  db: TenantDb,
  organizationId: string,
  ids: string[],
): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const wanted = [...new Set(ids)].map((id) => ({
    id,
    from: timeOf(id) - SLACK_MS,
    to: timeOf(id) + SLACK_MS,
  }))
  const rows = await db.snapshot(async (snapshot) => {
    const open = await findOpenById(snapshot, organizationId, wanted)
    const known = new Set(open.map(({ id }) => id))
    const missing = wanted.filter(({ id }) => !known.has(id))
    return missing.length === 0
      ? open
      : [...open, ...(await findSealedById(snapshot, organizationId, missing))]
  })
  const documents = rows.map(({ id, document }) => [id, JSON.parse(document)] as const)
  // An ingested event may have the same id at another time.
  return new Map(documents.filter(([, document]) => !isIngested(document)))
}

async function findSealedById(
  db: Snapshot,
  organizationId: string,
  wanted: readonly { id: string; from: number; to: number }[],
): Promise<{ id: string; document: string }[]> {
  const heads = await segmentsAround(
    db,
    organizationId,
    wanted.flatMap(({ from, to }) => [from, to]),
  )
  const ids = new Set(wanted.map(({ id }) => id))
  const places = await placesIn(db, heads, wanted)
  const found: { id: string; document: string }[] = []
  await readEvents(db, new Pace(), places, ({ id, document }) => {
    const uuid = readUuid(id)
    if (ids.has(uuid)) found.push({ id: uuid, document: document.toString() })
  })
  return found
}

const is = (field: string, values: string[]): Term => ({
  type: 'leaf',
  field,
  kinds: ['string'],
  operator: 'in',
  values,
})

/** The service's first own event of these types about a resource after an instant, if any. */
export async function firstEventAfter(
  db: TenantDb,
  organizationId: string,
  resourceId: string,
  eventTypes: string[],
  instant: Date,
): Promise<Record<string, unknown> | undefined> {
  const term: Term = {
    type: 'and',
    terms: [is('resource.id', [resourceId]), is('event_type', eventTypes), NOT_INGESTED],
  }
  const reach = { from: instant.getTime() + 1, until: Date.now() + SLACK_MS }
  const event = await readFirst(db, organizationId, reach, term)
  return event && JSON.parse(event.document.toString())
}

const keyOf = ({ timestamp, id }: EventCursor): string => `${timestamp} ${id}`
const edgeOf = ({ timestamp, id }: EventCursor) => ({ time: timestamp, id: uuidBytes(id) })

/** Events by their cursors, in that order, as far as they are still there and match. */
export async function readAt(
  db: TenantDb,
  organizationId: string,
  cursors: readonly EventCursor[],
  selection?: Pick<Selection, 'services' | 'term'>,
): Promise<(EventCursor & { document: string })[]> {
  const pace = new Pace()
  const { test, parts } = searchFor(selection ? wholeTerm(selection) : null, pace)
  const found = new Map<string, string>()
  const add = ({ time, id, document }: SealedEvent) =>
    found.set(keyOf({ timestamp: time, id: readUuid(id) }), document.toString())
  await db.snapshot(async (snapshot) => {
    const rows = await readOpenAt(snapshot, organizationId, cursors.map(edgeOf))
    const matching = await pace.through(test(await blockOf(pace, rows, parts)))
    for (const [at, row] of rows.entries()) if (matching?.[at] === 1) add(row)
    if (rows.length === cursors.length) return
    const times = cursors.map(({ timestamp }) => timestamp)
    const heads = await segmentsAround(snapshot, organizationId, times)
    const spans = times.map((time) => ({ from: time, to: time }))
    const places = await placesIn(snapshot, heads, spans)
    const blocks = await readBlocks(
      snapshot,
      pace,
      places.map(({ head }) => head),
      parts,
    )
    const chosen: typeof places = []
    for (const { head, places: all } of places) {
      const mask = await pace.through(test(blocks.get(head.id)!))
      chosen.push({ head, places: all.filter((place) => mask?.[place] === 1) })
    }
    await readEvents(snapshot, pace, chosen, add)
  })
  return cursors.flatMap((cursor) => {
    const document = found.get(keyOf(cursor))
    return document === undefined ? [] : [{ ...cursor, document }]
  })
}

/** Those of the cursors that have an event. */
export async function findPresent(
  db: TenantDb,
  organizationId: string,
  cursors: readonly EventCursor[],
): Promise<EventCursor[]> {
  if (cursors.length === 0) return []
  const edges = cursors.map(edgeOf)
  return db.snapshot(async (snapshot) => {
    const rows = await readOpenAt(snapshot, organizationId, edges)
    const open = new Set(rows.map(({ time, id }) => keyOf({ timestamp: time, id: readUuid(id) })))
    const times = cursors.map(({ timestamp }) => timestamp)
    const heads = await segmentsAround(snapshot, organizationId, times)
    const sealed = await findSealed(snapshot, heads, edges)
    return cursors.filter((cursor, at) => open.has(keyOf(cursor)) || sealed.has(at))
  })
}
