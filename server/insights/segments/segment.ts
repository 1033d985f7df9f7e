import { FieldCollector } from './collect.ts'
import { decodeColumn, encodeColumn } from './column.ts'
import {
  compareRows,
  type EventRow,
  encodeFrames,
  eventsOfFrame,
  type Frame,
  regularStarts,
} from './frames.ts'
import { pack, unpack } from './packing.ts'
import { decodeTimes, encodeTimes } from './times.ts'

// Consecutive events of an organization, sealed: never changed, only replaced or deleted as a whole (decision 0017).

/** How the bytes of a segment are laid out; a reader refuses another one. */
export const FORMAT = 1

/** Fewer make more segments to look through, more make each larger to read. */
export const SEGMENT_EVENTS = 16_384
/** Fits 32 bits. */
export const SEGMENT_SPAN_MS = 30 * 86_400_000

/** Documents with names of their own making could have any number. */
const MAX_FIELDS = 400
const MAX_COLUMN = 1 << 20
/** In bytes: a field's name is part of a key. Searches may not use longer ones. */
const MAX_NAME = 1024
const MAX_UNLISTED = 100

type Edge = Pick<EventRow, 'time' | 'id'>

export interface Segment {
  first: Edge
  last: Edge
  events: number
  /** Events of each service. */
  services: Record<string, number>
  /** Packed. */
  times: Buffer
  /** Where frames start, unless all but the last are full. */
  starts: number[] | null
  /** Fields that occur but have no column; null for too many to list. */
  unlisted: string[] | null
  frames: Frame[]
  columns: { field: string; data: Buffer }[]
}

function* columnsOf(
  rows: readonly EventRow[],
): Generator<undefined, Pick<Segment, 'columns' | 'unlisted'>> {
  const collector = new FieldCollector(null, false)
  for (const { service, document } of rows) {
    collector.add(service, JSON.parse(document.toString()) as Record<string, unknown>)
    yield
  }
  const { plain, deep } = collector.fields()
  const unlisted = new Set(deep)
  const columns: Segment['columns'] = []
  // Where there are too many fields, the most common ones; the service is needed to give back the rows.
  const use = ([field, builder]: [string, { values: number }]) =>
    field === 'service' ? Number.POSITIVE_INFINITY : builder.values
  const byUse = [...plain].sort((a, b) => use(b) - use(a))
  for (const [field, builder] of byUse) {
    yield
    const fits = columns.length < MAX_FIELDS && builder.length <= MAX_COLUMN
    if (fits && Buffer.byteLength(field) <= MAX_NAME)
      columns.push({ field, data: pack(encodeColumn(builder.column(rows.length))) })
    else unlisted.add(field)
  }
  const listable =
    unlisted.size <= MAX_UNLISTED && ![...unlisted].some((name) => name.length > MAX_NAME)
  return { columns, unlisted: listable ? [...unlisted] : null }
}

/** Of at least one event, in order. Takes a while, so it yields: the caller lets others run. */
export function* buildSegment(rows: readonly EventRow[]): Generator<undefined, Segment> {
  const services: Record<string, number> = {}
  for (const { service } of rows) services[service] = (services[service] ?? 0) + 1
  const frames: Frame[] = []
  for (const frame of encodeFrames(rows)) {
    frames.push(frame)
    yield
  }
  const starts = frames.map(({ start }) => start)
  const regular = starts.join() === regularStarts(rows.length).join()
  return {
    first: rows[0]!,
    last: rows.at(-1)!,
    events: rows.length,
    services,
    times: pack(encodeTimes(rows.map(({ time }) => time))),
    starts: regular ? null : starts,
    frames,
    ...(yield* columnsOf(rows)),
  }
}

/** Reads everything back. Called before the rows are deleted: nothing else would notice a mistake in time. */
export function* verifySegment(
  segment: Segment,
  rows: readonly EventRow[],
): Generator<undefined, void> {
  const times = decodeTimes(unpack(segment.times), segment.events)
  let at = 0
  let same = segment.events === rows.length
  for (const { data } of segment.frames) {
    for (const { id, document } of eventsOfFrame(data)) {
      const row = rows[at]
      const inOrder = at === 0 || compareRows(rows[at - 1]!, row!) < 0
      const time = segment.first.time + times[at++]!
      same &&= inOrder && time === row?.time && id.equals(row.id) && document.equals(row.document)
    }
    yield
  }
  if (!same || at !== rows.length)
    throw new Error('A segment does not give back the events it was made of')
  for (const { data } of segment.columns) {
    decodeColumn(unpack(data), segment.events)
    yield
  }
}

/** Cuts events into the segments they are to become, none too large or too long. */
export function cutRows(rows: readonly EventRow[], size: number): EventRow[][] {
  const parts: EventRow[][] = []
  // Evenly, rather than a small one at the end.
  const even = Math.ceil(rows.length / Math.ceil(rows.length / size))
  let part: EventRow[] = []
  for (const row of rows) {
    const full = part.length >= even || (part[0] && row.time - part[0].time > SEGMENT_SPAN_MS)
    if (full) {
      parts.push(part)
      part = []
    }
    part.push(row)
  }
  if (part.length > 0) parts.push(part)
  return parts
}
