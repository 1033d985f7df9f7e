import { crc32 } from 'node:zlib'
import { ByteReader, ByteWriter } from './bytes.ts'
import { compress, decompress } from './packing.ts'

// The documents of a segment, some at a time, so that a scattered few cost little to read.

/** An event as it is stored. */
export interface EventRow {
  /** Milliseconds. */
  time: number
  /** 16 bytes; they are compared byte by byte, as the database compares UUIDs. */
  id: Buffer
  service: string
  document: Buffer
}

export const compareRows = (a: Pick<EventRow, 'time' | 'id'>, b: Pick<EventRow, 'time' | 'id'>) =>
  a.time - b.time || a.id.compare(b.id)

export interface Frame {
  /** The place of its first event in the segment. */
  start: number
  data: Buffer
}

/** Each frame costs some 20 µs to open, so fewer would make full pages slower, and more those of a scattered few. */
const FRAME_EVENTS = 32
/** A frame with large documents ends earlier: it is unpacked at one go. */
const FRAME_BYTES = 65_536

function encodeFrame(rows: readonly EventRow[]): Buffer {
  const documents = Buffer.concat(rows.map(({ document }) => document))
  const ids = Buffer.concat(rows.map(({ id }) => id))
  const out = new ByteWriter()
  out.number(rows.length)
  out.bytes(ids)
  for (const { document } of rows) out.number(document.length)
  out.uint32(crc32(documents, crc32(ids)))
  out.bytes(compress(documents))
  return out.done()
}

export function* encodeFrames(rows: readonly EventRow[]): Generator<Frame> {
  let start = 0
  let bytes = 0
  for (const [at, { document }] of rows.entries()) {
    bytes += document.length
    const full = at + 1 - start === FRAME_EVENTS || bytes >= FRAME_BYTES
    if (!full && at + 1 < rows.length) continue
    yield { start, data: encodeFrame(rows.slice(start, at + 1)) }
    start = at + 1
    bytes = 0
  }
}

/** Where the frame of a place starts when none had to end early. */
export const regularStart = (place: number): number => place - (place % FRAME_EVENTS)

/** Where each frame starts, likewise. */
export const regularStarts = (events: number): number[] =>
  Array.from({ length: Math.ceil(events / FRAME_EVENTS) }, (_, at) => at * FRAME_EVENTS)

interface FrameHead {
  /** Those of the events, one after the other. */
  ids: Buffer
  read: ByteReader
  events: number
}

function openHead(data: Buffer): FrameHead {
  const read = new ByteReader(data)
  const events = read.number()
  return { events, ids: read.bytes(events * 16), read }
}

export function readIds(data: Buffer): Buffer[] {
  const { events, ids } = openHead(data)
  return Array.from({ length: events }, (_, at) => ids.subarray(at * 16, at * 16 + 16))
}

/** An unpacked frame; its events are cut out one by one. */
export interface OpenFrame {
  events: number
  id(at: number): Buffer
  document(at: number): Buffer
}

/** Throws when the frame is damaged. */
export function openFrame(data: Buffer): OpenFrame {
  const { events, ids, read } = openHead(data)
  const ends: number[] = []
  let total = 0
  for (let at = 0; at < events; at++) {
    total += read.number()
    ends.push(total)
  }
  const sum = read.uint32()
  const packed = read.bytes(read.left)
  const documents = decompress(packed, total)
  if (documents.length !== total || crc32(documents, crc32(ids)) !== sum)
    throw new RangeError('The checksum does not match')
  return {
    events,
    id: (at) => ids.subarray(at * 16, at * 16 + 16),
    document: (at) => documents.subarray(at === 0 ? 0 : ends[at - 1]!, ends[at]!),
  }
}

/** All of its events. */
export function eventsOfFrame(data: Buffer): { id: Buffer; document: Buffer }[] {
  const frame = openFrame(data)
  return Array.from({ length: frame.events }, (_, at) => ({
    id: frame.id(at),
    document: frame.document(at),
  }))
}
