import type { Snapshot } from '../../platform/db/index.ts'
import type { Pace } from '../../platform/pace.ts'
import { SizedCache } from './cache.ts'
import { FieldCollector } from './collect.ts'
import { type Column, decodeColumn, sizeOf, textAt } from './column.ts'
import type { Block, Times } from './evaluate.ts'
import {
  type EventRow,
  eventsOfFrame,
  type OpenFrame,
  openFrame,
  readIds,
  regularStart,
  regularStarts,
} from './frames.ts'
import { unpack } from './packing.ts'
import { type FramePlace, readColumns, readFrames, readTimes, type SegmentHead } from './store.ts'
import { decodeTimes } from './times.ts'

// The contents of segments, decoded. Segments never change and their ids are random, so what is cached stays true, also
// for applications on different databases; and only segments that row-level security has shown are asked for.

const MB = 1_048_576

/** Columns by segment and field; null: no event of the segment has the field. */
const columns = new SizedCache<Column | null>(80 * MB)
const allTimes = new SizedCache<Uint32Array>(16 * MB)

const columnKey = (id: string, field: string): string => `${id} ${field}`

/** Milliseconds since the first event of the segment. */
export async function timesOf(
  db: Snapshot,
  heads: readonly SegmentHead[],
): Promise<Map<string, Uint32Array>> {
  const found = new Map<string, Uint32Array>()
  const missing = new Map<string, SegmentHead>()
  for (const head of heads) {
    const times = allTimes.get(head.id)
    if (times) found.set(head.id, times)
    else missing.set(head.id, head)
  }
  if (missing.size === 0) return found
  for (const { id, data } of await readTimes(db, [...missing.values()])) {
    try {
      const times = decodeTimes(unpack(data), missing.get(id)!.events)
      allTimes.set(id, times, times.byteLength + 200)
      found.set(id, times)
    } catch (cause) {
      throw new Error(`Segment ${id} is damaged`, { cause })
    }
  }
  return found
}

export interface SealedEvent {
  time: number
  id: Buffer
  document: Buffer
}

/** Cut out of its frame only where it is used: a page has ten thousand. */
class FramedEvent implements SealedEvent {
  readonly time: number
  readonly #frame: OpenFrame
  readonly #at: number

  constructor(time: number, frame: OpenFrame, at: number) {
    this.time = time
    this.#frame = frame
    this.#at = at
  }

  get id(): Buffer {
    return this.#frame.id(this.#at)
  }

  get document(): Buffer {
    return this.#frame.document(this.#at)
  }
}

const startsOf = ({ starts, events }: SegmentHead): number[] => starts ?? regularStarts(events)

/** Where the frame with the place starts. */
function frameStart({ starts }: SegmentHead, place: number): number {
  if (starts === null) return regularStart(place)
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= place) low = middle
    else high = middle - 1
  }
  return starts[low]!
}

/** The frames that hold some places of a segment, which are in order. */
function framesAt(head: SegmentHead, places: Iterable<number>): FramePlace[] {
  const found = new Set<number>()
  for (const place of places) found.add(frameStart(head, place))
  return [...found].map((start) => ({ organizationId: head.organizationId, id: head.id, start }))
}

/** Frames read at once. */
const MAX_FRAMES = 256

/** The next ones are read while those before are unpacked. */
async function* framesAhead(db: Snapshot, places: readonly FramePlace[]) {
  const read = (at: number) => readFrames(db, places.slice(at, at + MAX_FRAMES))
  let next = read(0)
  try {
    for (let at = MAX_FRAMES; at < places.length; at += MAX_FRAMES) {
      const batch = await next
      next = read(at)
      yield batch
    }
    yield await next
  } finally {
    // The snapshot must not end before it, even if nobody waits for the result.
    await next.catch(() => {})
  }
}

/** Calls for the events at some places of some segments. Those of a damaged frame are missing: one must not hide others. */
export async function readEvents(
  db: Snapshot,
  pace: Pace,
  wanted: readonly { head: SegmentHead; places: readonly number[] }[],
  add: (event: SealedEvent, place: number) => void,
): Promise<void> {
  const heads = new Map(wanted.map(({ head }) => [head.id, head]))
  const times = await timesOf(db, [...heads.values()])
  const chosen = new Map(wanted.map(({ head, places }) => [head.id, new Set(places)]))
  const frames = wanted.flatMap(({ head, places }) => framesAt(head, places))
  for await (const batch of framesAhead(db, frames))
    for (const { id, start, data } of batch) {
      const head = heads.get(id)!
      const own = chosen.get(id)!
      const offsets = times.get(id)!
      try {
        const frame = openFrame(data)
        for (let n = 0; n < frame.events; n++)
          if (own.has(start + n)) {
            const time = head.first + offsets[start + n]!
            add(new FramedEvent(time, frame, n), start + n)
          }
      } catch (error) {
        db.recording.damaged(head, { frame: start }, error)
      }
      const wait = pace.breathe()
      if (wait) await wait
    }
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
  const events: SealedEvent[] = []
  await readEvents(db, pace, [{ head, places }], (event, place) => {
    events[place] = event
  })
  const collector = new FieldCollector(fields, deep)
  for (const place of places) {
    const event = events[place]
    // The service has a column in every segment.
    collector.add('', event ? JSON.parse(event.document.toString()) : {})
    await pace.breathe()
  }
  return collector.columns()
}

const isUnlisted = ({ unlisted }: SegmentHead, field: string): boolean =>
  unlisted === null || unlisted.includes(field) || field === 'timestamp'

/** A damaged column is made anew from the documents. Those of some services do not name their service. */
async function repaired(
  db: Snapshot,
  pace: Pace,
  head: SegmentHead,
  field: string,
  decode: () => Column,
): Promise<Column | null> {
  try {
    return decode()
  } catch (error) {
    if (field === 'service') throw new Error(`Segment ${head.id} is damaged`, { cause: error })
    db.recording.damaged(head, { column: field }, error)
    return (await parsedColumns(db, pace, head, [field], false)).get(field) ?? null
  }
}

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
  const headOf = new Map(missing.map((head) => [head.id, head]))
  for (const { id, field, data } of await readColumns(db, missing, fields)) {
    const head = headOf.get(id)!
    const column = await repaired(db, pace, head, field, () =>
      decodeColumn(unpack(data), head.events),
    )
    columns.set(columnKey(id, field), column, column ? sizeOf(column) : 200)
    found.set(columnKey(id, field), column)
    const wait = pace.breathe()
    if (wait) await wait
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

/** What is read of events. */
export interface Parts {
  fields: readonly string[]
  times: boolean
  /** Whether values in lists of lists count. */
  deep: boolean
}

/** Segments as blocks. */
export async function readBlocks(
  db: Snapshot,
  pace: Pace,
  heads: readonly SegmentHead[],
  { fields, times: timed, deep }: Parts,
): Promise<Map<string, Block>> {
  const times = timed ? await timesOf(db, heads) : new Map<string, Uint32Array>()
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
    const { id, events, first: start } = head
    const offsets = times.get(id)
    blocks.set(id, { events, times: offsets ? { offsets, start } : null, columns: own })
  }
  return blocks
}

export const timesOfRows = (rows: readonly EventRow[]): Times => ({
  offsets: Float64Array.from(rows, ({ time }) => time),
  start: 0,
})

/** Rows as a block. */
export async function blockOf(
  pace: Pace,
  rows: readonly EventRow[],
  { fields, deep }: Parts,
): Promise<Block> {
  const collector = new FieldCollector(fields, deep)
  if (fields.length > 0)
    for (const { service, document } of rows) {
      collector.add(service, JSON.parse(document.toString()))
      await pace.breathe()
    }
  return { events: rows.length, times: timesOfRows(rows), columns: collector.columns() }
}

/** All events of a segment as rows. Throws when one of them cannot be read. */
export async function readRows(db: Snapshot, head: SegmentHead): Promise<EventRow[]> {
  const times = (await timesOf(db, [head])).get(head.id)!
  const [service] = await readColumns(db, [head], ['service'])
  const services = decodeColumn(unpack(service!.data), head.events)
  const places = startsOf(head).map((start) => ({ ...head, start }))
  const frames = (await readFrames(db, places)).sort((a, b) => a.start - b.start)
  const events = frames.flatMap(({ start, data }) => {
    try {
      return eventsOfFrame(data)
    } catch (error) {
      db.recording.damaged(head, { frame: start }, error)
      return []
    }
  })
  if (events.length !== head.events) throw new Error(`Segment ${head.id} is incomplete or damaged`)
  return events.map((event, at) => ({
    ...event,
    time: head.first + times[at]!,
    service: textAt(services, services.codes[at]! - 1),
  }))
}

/** Milliseconds, both ends inclusive. */
interface Span {
  from: number
  to: number
}

/** The place of the first event that is not before an offset. */
export function lowerPlace(times: Uint32Array, offset: number): number {
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
  const times = await timesOf(
    db,
    wanted.map(({ head }) => head),
  )
  return wanted.map(({ head, own }) => {
    const offsets = times.get(head.id)!
    const places = new Set<number>()
    for (const { from, to } of own)
      for (let at = lowerPlace(offsets, from - head.first); offsets[at]! <= to - head.first; at++)
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
  const keyOf = (time: number, id: Buffer) => `${time} ${id.toString('hex')}`
  const wanted = new Set(events.map(({ time, id }) => keyOf(time, id)))
  const spans = [...new Set(events.map(({ time }) => time))].map((time) => ({
    from: time,
    to: time,
  }))
  const around = await placesIn(db, heads, spans)
  const headOf = new Map(around.map(({ head }) => [head.id, head]))
  const times = await timesOf(db, [...headOf.values()])
  const found = new Set<string>()
  const frames = around.flatMap(({ head, places }) => framesAt(head, places))
  for (let at = 0; at < frames.length; at += MAX_FRAMES)
    for (const { id, start, data } of await readFrames(db, frames.slice(at, at + MAX_FRAMES))) {
      const head = headOf.get(id)!
      try {
        for (const [n, own] of readIds(data).entries()) {
          const key = keyOf(head.first + times.get(id)![start + n]!, own)
          if (wanted.has(key)) found.add(key)
        }
      } catch (error) {
        db.recording.damaged(head, { frame: start }, error)
      }
    }
  return new Set(events.flatMap(({ time, id }, at) => (found.has(keyOf(time, id)) ? [at] : [])))
}
