import type { Snapshot } from '../../platform/db/index.ts'
import { SizedCache } from './cache.ts'
import { FieldCollector } from './collect.ts'
import { type Column, decodeColumn, sizeOf, textAt } from './column.ts'
import type { Block } from './evaluate.ts'
import { type EventRow, openFrame, readIds, regularStarts } from './frames.ts'
import type { Pace } from './pace.ts'
import { unpack } from './packing.ts'
import { type FramePlace, readBases, readColumns, readFrames, type SegmentHead } from './store.ts'
import { decodeTimes } from './times.ts'

// The contents of segments, decoded. Segments never change and their ids are never used again, so what is cached stays
// true; and only segments that row-level security has shown are asked for.

const CACHE_BYTES = 96 * 1_048_576

interface Base {
  times: Uint32Array
  dictionary: Buffer
}

/** Null: no event of the segment has the field. */
const columns = new SizedCache<Column | null>(CACHE_BYTES)
const bases = new SizedCache<Base>(CACHE_BYTES / 4)

const columnKey = (id: string, field: string): string => `${id} ${field}`

let onDamage: (segment: SegmentHead, start: number, error: unknown) => void = () => {}
/** Told of frames that cannot be read; the composition root connects it to the log. */
export const observeDamage = (observer: typeof onDamage): void => {
  onDamage = observer
}

async function basesOf(db: Snapshot, heads: readonly SegmentHead[]): Promise<Map<string, Base>> {
  const found = new Map<string, Base>()
  const missing: SegmentHead[] = []
  for (const head of heads) {
    const base = bases.get(head.id)
    if (base) found.set(head.id, base)
    else missing.push(head)
  }
  if (missing.length === 0) return found
  const events = new Map(missing.map((head) => [head.id, head.events]))
  for (const { id, times, dictionary } of await readBases(db, missing)) {
    const base = {
      times: decodeTimes(unpack(times), events.get(id)!),
      dictionary: unpack(dictionary),
    }
    bases.set(id, base, base.times.byteLength + base.dictionary.length + 200)
    found.set(id, base)
  }
  return found
}

/** An event of a segment, with its place there. */
export interface SealedEvent {
  time: number
  id: Buffer
  document: Buffer
}

const startsOf = ({ starts, events }: SegmentHead): number[] => starts ?? regularStarts(events)

/** Index of the frame with the place. */
function frameOf(starts: number[], place: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= place) low = middle
    else high = middle - 1
  }
  return low
}

/** The frames that hold some places of a segment, which are in order. */
function framesAt(head: SegmentHead, places: Iterable<number>): FramePlace[] {
  const starts = startsOf(head)
  const found = new Set<number>()
  for (const place of places) found.add(starts[frameOf(starts, place)]!)
  return [...found].map((start) => ({ organizationId: head.organizationId, id: head.id, start }))
}

/** Frames read at once. */
const MAX_FRAMES = 256

/**
 * The events at some places of some segments, by segment and place. Those of a damaged frame are missing: one must not
 * hide the others.
 */
export async function readEvents(
  db: Snapshot,
  pace: Pace,
  wanted: readonly { head: SegmentHead; places: readonly number[] }[],
): Promise<Map<string, Map<number, SealedEvent>>> {
  const heads = new Map(wanted.map(({ head }) => [head.id, head]))
  const base = await basesOf(db, [...heads.values()])
  const chosen = new Map(wanted.map(({ head, places }) => [head.id, new Set(places)]))
  const found = new Map<string, Map<number, SealedEvent>>()
  for (const id of heads.keys()) found.set(id, new Map())
  const frames = wanted.flatMap(({ head, places }) => framesAt(head, places))
  for (let at = 0; at < frames.length; at += MAX_FRAMES) {
    for (const { id, start, data } of await readFrames(db, frames.slice(at, at + MAX_FRAMES))) {
      const head = heads.get(id)!
      const { times, dictionary } = base.get(id)!
      try {
        for (const [n, event] of openFrame(data, dictionary).entries())
          if (chosen.get(id)!.has(start + n))
            found.get(id)!.set(start + n, { time: head.first + times[start + n]!, ...event })
      } catch (error) {
        onDamage(head, start, error)
      }
      await pace.breathe()
    }
  }
  return found
}

/** Columns of the fields from the documents themselves. */
async function parsedColumns(
  db: Snapshot,
  pace: Pace,
  head: SegmentHead,
  fields: readonly string[],
  deep: boolean,
): Promise<Map<string, Column>> {
  const places = Array.from({ length: head.events }, (_, place) => place)
  const events = (await readEvents(db, pace, [{ head, places }])).get(head.id)!
  const collector = new FieldCollector(fields, deep)
  for (const place of places) {
    const event = events.get(place)
    // The service has a column in every segment.
    collector.add('', event ? JSON.parse(event.document.toString()) : {})
    await pace.breathe()
  }
  return collector.columns()
}

const isUnlisted = ({ unlisted }: SegmentHead, field: string): boolean =>
  unlisted === null || unlisted.includes(field)

/** Reads the columns that are not cached. */
async function loadColumns(
  db: Snapshot,
  pace: Pace,
  heads: readonly SegmentHead[],
  fields: readonly string[],
): Promise<Map<string, Column | null>> {
  const found = new Map<string, Column | null>()
  const missing = heads.filter((head) => {
    let complete = true
    for (const field of fields) {
      const column = columns.get(columnKey(head.id, field))
      if (column === undefined) complete = false
      else found.set(columnKey(head.id, field), column)
    }
    return !complete
  })
  if (missing.length === 0) return found
  const events = new Map(missing.map((head) => [head.id, head.events]))
  for (const { id, field, data } of await readColumns(db, missing, fields)) {
    const column = decodeColumn(unpack(data), events.get(id)!)
    columns.set(columnKey(id, field), column, sizeOf(column))
    found.set(columnKey(id, field), column)
    await pace.breathe()
  }
  for (const { id } of missing)
    for (const field of fields) {
      const key = columnKey(id, field)
      if (found.has(key)) continue
      columns.set(key, null, 200)
      found.set(key, null)
    }
  return found
}

/** Segments as blocks. With `deep`, values in lists of lists count. */
export async function readBlocks(
  db: Snapshot,
  pace: Pace,
  heads: readonly SegmentHead[],
  fields: readonly string[],
  deep: boolean,
): Promise<Map<string, Block>> {
  const base = await basesOf(db, heads)
  const stored = fields.length > 0 ? await loadColumns(db, pace, heads, fields) : new Map()
  const blocks = new Map<string, Block>()
  for (const head of heads) {
    const own = new Map<string, Column>()
    const absent: string[] = []
    for (const field of fields) {
      const column = stored.get(columnKey(head.id, field))
      if (column) own.set(field, column)
      else if (isUnlisted(head, field)) absent.push(field)
    }
    if (absent.length > 0)
      for (const [field, column] of await parsedColumns(db, pace, head, absent, deep))
        own.set(field, column)
    const { times } = base.get(head.id)!
    blocks.set(head.id, { events: head.events, times, start: head.first, columns: own })
  }
  return blocks
}

/** Rows as a block. */
export async function blockOf(
  pace: Pace,
  rows: readonly EventRow[],
  fields: readonly string[],
  deep: boolean,
): Promise<Block> {
  const collector = new FieldCollector(fields, deep)
  if (fields.length > 0)
    for (const { service, document } of rows) {
      collector.add(service, JSON.parse(document.toString()))
      await pace.breathe()
    }
  return {
    events: rows.length,
    times: Float64Array.from(rows, ({ time }) => time),
    start: 0,
    columns: collector.columns(),
  }
}

/** All events of a segment as rows. Throws when one of them cannot be read. */
export async function readRows(db: Snapshot, head: SegmentHead): Promise<EventRow[]> {
  const base = (await basesOf(db, [head])).get(head.id)!
  const [service] = await readColumns(db, [head], ['service'])
  const services = decodeColumn(unpack(service!.data), head.events)
  const places = startsOf(head).map((start) => ({ ...head, start }))
  const frames = (await readFrames(db, places)).sort((a, b) => a.start - b.start)
  const events = frames.flatMap(({ data }) => openFrame(data, base.dictionary))
  if (events.length !== head.events) throw new Error(`Segment ${head.id} is incomplete`)
  return events.map((event, at) => ({
    ...event,
    time: head.first + base.times[at]!,
    service: textAt(services, services.codes[at]! - 1),
  }))
}

/** Milliseconds, both ends inclusive. */
interface Span {
  from: number
  to: number
}

/** The place of the first event that is not before an offset. */
function lowerPlace({ times }: Base, offset: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! < offset) low = middle + 1
    else high = middle
  }
  return low
}

/** Where in segments the events of some spans lie. */
export async function placesIn(
  db: Snapshot,
  heads: readonly SegmentHead[],
  spans: readonly Span[],
): Promise<{ head: SegmentHead; places: number[] }[]> {
  const wanted = heads.flatMap((head) => {
    const own = spans.filter(({ from, to }) => from <= head.last && to >= head.first)
    return own.length > 0 ? [{ head, own }] : []
  })
  const bases = await basesOf(
    db,
    wanted.map(({ head }) => head),
  )
  return wanted.map(({ head, own }) => {
    const base = bases.get(head.id)!
    const places = new Set<number>()
    for (const { from, to } of own)
      for (let at = lowerPlace(base, from - head.first); base.times[at]! <= to - head.first; at++)
        places.add(at)
    return { head, places: [...places].sort((a, b) => a - b) }
  })
}

/** Which of the events are in these segments, as indexes. Reads no documents. */
export async function findSealed(
  db: Snapshot,
  heads: readonly SegmentHead[],
  events: readonly { time: number; id: Buffer }[],
): Promise<Set<number>> {
  const keys = new Map(events.map(({ time, id }, at) => [`${time} ${id.toString('hex')}`, at]))
  const spans = events.map(({ time }) => ({ from: time, to: time }))
  const wanted = await placesIn(db, heads, spans)
  const bases = await basesOf(
    db,
    wanted.map(({ head }) => head),
  )
  const found = new Set<number>()
  const frames = wanted.flatMap(({ head, places }) => framesAt(head, places))
  const first = new Map(wanted.map(({ head }) => [head.id, head.first]))
  for (let at = 0; at < frames.length; at += MAX_FRAMES)
    for (const { id, start, data } of await readFrames(db, frames.slice(at, at + MAX_FRAMES)))
      for (const [n, own] of readIds(data).entries()) {
        const time = first.get(id)! + bases.get(id)!.times[start + n]!
        const known = keys.get(`${time} ${own.toString('hex')}`)
        if (known !== undefined) found.add(known)
      }
  return found
}
