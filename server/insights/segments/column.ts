import type { Scalar } from '../scalars.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { compareTexts } from './texts.ts'

// The values of one field in consecutive events: each different value once, and for each event the code of its own.

type Codes = Uint8Array | Uint16Array | Uint32Array

export interface Column {
  /** The different texts one after the other, in the order of their UTF-8 bytes, and where each ends. */
  texts: Buffer
  textEnds: Uint32Array
  /** Ascending. */
  numbers: Float64Array
  /** Code 0: no value. From 1 on the texts, then the numbers, then false and true. */
  codes: Codes
  /** Where the codes of each event end, if any has several; null when each has one. */
  ends: Uint32Array | null
}

export const textsOf = ({ textEnds }: Column): number => textEnds.length
export const codeOfFalse = ({ textEnds, numbers }: Column): number =>
  textEnds.length + numbers.length + 1
/** How many codes there are, 0 included. */
export const codesOf = (column: Column): number => codeOfFalse(column) + 2

export const textStart = ({ textEnds }: Column, at: number): number =>
  at === 0 ? 0 : textEnds[at - 1]!
export const textAt = (column: Column, at: number): string =>
  column.texts.toString('utf8', textStart(column, at), column.textEnds[at]!)

/** The memory it takes. */
export const sizeOf = ({ texts, textEnds, numbers, codes, ends }: Column): number =>
  texts.length +
  textEnds.byteLength +
  numbers.byteLength +
  codes.byteLength +
  (ends?.byteLength ?? 0) +
  200

const codesFor = (length: number, codes: number): Codes =>
  codes <= 256
    ? new Uint8Array(length)
    : codes <= 65_536
      ? new Uint16Array(length)
      : new Uint32Array(length)

/** Collects the values of a field, event by event. */
export class ColumnBuilder {
  readonly #known = new Map<Scalar, number>()
  readonly #places: number[] = []
  readonly #values: number[] = []
  #several = false
  /** Of the different texts, in UTF-16 units. */
  length = 0

  add(place: number, value: Scalar): void {
    let known = this.#known.get(value)
    if (known === undefined) {
      known = this.#known.size
      this.#known.set(value, known)
      if (typeof value === 'string') this.length += value.length
    }
    if (this.#places.at(-1) === place) this.#several = true
    this.#places.push(place)
    this.#values.push(known)
  }

  get values(): number {
    return this.#values.length
  }

  column(events: number): Column {
    const values = [...this.#known.keys()]
    const texts = values.filter((value) => typeof value === 'string').sort(compareTexts)
    const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b)
    const sorted: Scalar[] = [...texts, ...numbers, false, true]
    const codeOf = new Uint32Array(values.length)
    for (const [at, value] of sorted.entries()) {
      const known = this.#known.get(value)
      if (known !== undefined) codeOf[known] = at + 1
    }
    const blob = Buffer.from(texts.join(''))
    const textEnds = new Uint32Array(texts.length)
    let end = 0
    for (const [at, text] of texts.entries()) {
      end += Buffer.byteLength(text)
      textEnds[at] = end
    }
    const column = { texts: blob, textEnds, numbers: Float64Array.from(numbers) }
    return { ...column, ...this.#placed(events, sorted.length + 1, codeOf) }
  }

  #placed(events: number, size: number, codeOf: Uint32Array): Pick<Column, 'codes' | 'ends'> {
    if (!this.#several) {
      const codes = codesFor(events, size)
      for (const [at, place] of this.#places.entries()) codes[place] = codeOf[this.#values[at]!]!
      return { codes, ends: null }
    }
    const codes = codesFor(this.#values.length, size)
    const ends = new Uint32Array(events)
    for (const [at, place] of this.#places.entries()) {
      codes[at] = codeOf[this.#values[at]!]!
      ends[place] = at + 1
    }
    for (let place = 1; place < events; place++)
      if (ends[place] === 0) ends[place] = ends[place - 1]!
    return { codes, ends }
  }
}

const SEVERAL = 1
const SAME = 2

export function encodeColumn({ texts, textEnds, numbers, codes, ends }: Column): Buffer {
  const out = new ByteWriter()
  const [first = 0] = codes
  const same = codes.every((code) => code === first)
  out.byte((ends ? SEVERAL : 0) | (same ? SAME : 0))
  out.number(textEnds.length)
  out.number(numbers.length)
  let from = 0
  for (const end of textEnds) {
    out.number(end - from)
    from = end
  }
  out.bytes(texts)
  out.array(numbers)
  if (ends) {
    let start = 0
    for (const end of ends) {
      out.number(end - start)
      start = end
    }
  }
  if (same) out.number(first)
  else out.array(codes)
  return out.done()
}

export function decodeColumn(bytes: Buffer, events: number): Column {
  const read = new ByteReader(bytes)
  const flags = read.byte()
  const length = read.number()
  const numbers = new Float64Array(read.number())
  const textEnds = read.sums(length)
  // Copied: it would keep all of what it was read from.
  const texts = Buffer.from(read.bytes(textEnds.at(-1) ?? 0))
  read.into(numbers)
  const ends = flags & SEVERAL ? read.sums(events) : null
  const codes = codesFor(ends ? (ends.at(-1) ?? 0) : events, textEnds.length + numbers.length + 3)
  if (flags & SAME) codes.fill(read.number())
  else read.into(codes)
  if (read.left !== 0) throw new RangeError('The column is longer than its events')
  return { texts, textEnds, numbers, codes, ends }
}
