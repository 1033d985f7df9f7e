import type { Operator, Term, Value } from '../query/search-tree.ts'
import { type Column, codeOfFalse, codesOf, textAt, textStart, textsOf } from './column.ts'

// Decides which events match a term, for a block of consecutive events at a time: first which values of a column
// match, then which events have one of them.

/** When events happened. */
export interface Times {
  /** Milliseconds after `start`. */
  offsets: Uint32Array | Float64Array
  start: number
}

export interface Block {
  events: number
  /** Null unless the term asks for them: most do not, and they take long to read. */
  times: Times | null
  /** Fields without a column occur in none of the events. */
  columns: ReadonlyMap<string, Column>
}

/** 1 for each event that matches. */
export type Mask = Uint8Array

type Leaf = Extract<Term, { type: 'leaf' }>

/** Public names of user events beside those of the specification: each finds both. */
const SAME_EVENT = [
  ['systemuser_create', 'user_create'],
  ['systemuser_update', 'user_update'],
  ['systemuser_delete', 'user_delete'],
]
const sameEvents = (value: Value): Value[] =>
  SAME_EVENT.find((names) => names.includes(String(value))) ?? [value]

const isNegative = (operator: Operator): boolean => operator === 'ne' || operator === 'not_in'

function compareBytes(column: Column, at: number, wanted: Buffer): number {
  const { texts, textEnds } = column
  const start = textStart(column, at)
  const length = textEnds[at]! - start
  const common = Math.min(length, wanted.length)
  for (let n = 0; n < common; n++) {
    const difference = texts[start + n]! - wanted[n]!
    if (difference !== 0) return difference
  }
  return length - wanted.length
}

/** The first text that is not before the wanted one. */
function lowerBound(column: Column, wanted: Buffer): number {
  let low = 0
  let high = textsOf(column)
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareBytes(column, middle, wanted) < 0) low = middle + 1
    else high = middle
  }
  return low
}

const hasPrefix = (column: Column, at: number, prefix: Buffer): boolean => {
  const start = textStart(column, at)
  return (
    column.textEnds[at]! - start >= prefix.length &&
    column.texts.compare(prefix, 0, prefix.length, start, start + prefix.length) === 0
  )
}

/** Marks the codes that match; false when none does. */
type MarkCodes = (column: Column, codes: Uint8Array) => boolean

function markContaining(wanted: Buffer): MarkCodes {
  return (column, codes) => {
    const { texts, textEnds } = column
    if (wanted.length === 0) {
      codes.fill(1, 1, textsOf(column) + 1)
      return textsOf(column) > 0
    }
    let any = false
    let text = 0
    for (let at = texts.indexOf(wanted); at >= 0; ) {
      while (textEnds[text]! <= at) text++
      // It may reach into the next text.
      const inside = at + wanted.length <= textEnds[text]!
      if (inside) {
        codes[text + 1] = 1
        any = true
      }
      at = texts.indexOf(wanted, inside ? textEnds[text]! : at + 1)
    }
    return any
  }
}

function markStarting(wanted: Buffer): MarkCodes {
  return (column, codes) => {
    const first = lowerBound(column, wanted)
    let at = first
    while (at < textsOf(column) && hasPrefix(column, at, wanted)) codes[++at] = 1
    return at > first
  }
}

function markEnding(wanted: Buffer): MarkCodes {
  return (column, codes) => {
    const { texts, textEnds } = column
    let any = false
    for (let at = 0; at < textsOf(column); at++) {
      const end = textEnds[at]!
      const start = end - wanted.length
      if (
        start < textStart(column, at) ||
        texts.compare(wanted, 0, wanted.length, start, end) !== 0
      )
        continue
      codes[at + 1] = 1
      any = true
    }
    return any
  }
}

function markNumbers(test: (number: number) => boolean): MarkCodes {
  return (column, codes) => {
    let any = false
    for (const [at, number] of column.numbers.entries()) {
      if (!test(number)) continue
      codes[textsOf(column) + at + 1] = 1
      any = true
    }
    return any
  }
}

function markTexts(values: string[]): MarkCodes {
  const set = new Set(values)
  const wanted = values.map((value) => Buffer.from(value))
  return (column, codes) => {
    let any = false
    // Looks for each value, or looks at each text, whichever are fewer.
    if (wanted.length > textsOf(column)) {
      for (let at = 0; at < textsOf(column); at++) {
        if (!set.has(textAt(column, at))) continue
        codes[at + 1] = 1
        any = true
      }
      return any
    }
    for (const value of wanted) {
      const at = lowerBound(column, value)
      if (at === textsOf(column) || compareBytes(column, at, value) !== 0) continue
      codes[at + 1] = 1
      any = true
    }
    return any
  }
}

function markEqual(values: Value[]): MarkCodes {
  const numbers = new Set(values.filter((value) => typeof value === 'number'))
  const marks: MarkCodes[] = []
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length > 0) marks.push(markTexts(texts))
  if (numbers.size > 0) marks.push(markNumbers((number) => numbers.has(number)))
  for (const value of [false, true])
    if (values.includes(value))
      marks.push((column, codes) => {
        codes[codeOfFalse(column) + Number(value)] = 1
        return true
      })
  return (column, codes) => {
    let any = false
    for (const mark of marks) any = mark(column, codes) || any
    return any
  }
}

/** Texts that no document can have (ingest.ts, document.ts) match nothing. */
const isStorable = (value: Value): boolean =>
  typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))

function markOf({ field, operator, values }: Leaf): MarkCodes | null {
  const found = values.filter(isStorable)
  const [value] = found
  if (value === undefined) return null
  switch (operator) {
    case 'contains':
      return markContaining(Buffer.from(String(value)))
    case 'startsWith':
      return markStarting(Buffer.from(String(value)))
    case 'endsWith':
      return markEnding(Buffer.from(String(value)))
    case 'lt':
      return markNumbers((number) => number < Number(value))
    case 'lte':
      return markNumbers((number) => number <= Number(value))
    case 'gt':
      return markNumbers((number) => number > Number(value))
    case 'gte':
      return markNumbers((number) => number >= Number(value))
    default:
      return markEqual(field === 'event_type' ? found.flatMap(sameEvents) : found)
  }
}

/** The events that have a marked value. */
function eventsWith({ codes, ends }: Column, marked: Uint8Array, mask: Mask): void {
  if (ends === null) {
    for (let at = 0; at < mask.length; at++) mask[at] = marked[codes[at]!]!
    return
  }
  let at = 0
  for (let event = 0; event < mask.length; event++) {
    const end = ends[event]!
    for (; at < end; at++) if (marked[codes[at]!] === 1) mask[event] = 1
  }
}

/**
 * Null when no event matches, as in most blocks when a value is rare. Yields between its leaves, of which there may be
 * thousands: the caller may let others run.
 */
export type Test = (block: Block) => Generator<undefined, Mask | null>

const invert = (mask: Mask | null, { events }: Block): Mask => {
  if (mask === null) return new Uint8Array(events).fill(1)
  for (let at = 0; at < mask.length; at++) mask[at] = mask[at]! ^ 1
  return mask
}

function fieldTest(leaf: Leaf): Test {
  const mark = markOf(leaf)
  const negative = isNegative(leaf.operator)
  const having = ({ events, columns }: Block): Mask | null => {
    const column = columns.get(leaf.field)
    if (!mark || !column) return null
    const marked = new Uint8Array(codesOf(column))
    if (!mark(column, marked)) return null
    const mask = new Uint8Array(events)
    eventsWith(column, marked, mask)
    return mask
  }
  return function* (block) {
    yield
    const mask = having(block)
    return negative ? invert(mask, block) : mask
  }
}

function timeTest({ operator, values }: Leaf): Test {
  const [value] = values as number[]
  const set = new Set(values)
  const matches =
    operator === 'before'
      ? (time: number) => time < value!
      : operator === 'after'
        ? (time: number) => time > value!
        : (time: number) => set.has(time)
  return function* (block) {
    yield
    const { events } = block
    const { offsets, start } = block.times!
    const mask = new Uint8Array(events)
    for (let at = 0; at < events; at++) if (matches(start + offsets[at]!)) mask[at] = 1
    return isNegative(operator) ? invert(mask, block) : mask
  }
}

function allTest(tests: Test[]): Test {
  return function* (block) {
    let mask: Mask | null = null
    for (const test of tests) {
      const other: Mask | null = yield* test(block)
      if (other === null) return null
      if (mask === null) {
        mask = other
        continue
      }
      let any = 0
      for (let at = 0; at < mask.length; at++) {
        mask[at] = mask[at]! & other[at]!
        any |= mask[at]!
      }
      if (any === 0) return null
    }
    return mask ?? new Uint8Array(block.events).fill(1)
  }
}

function anyTest(tests: Test[]): Test {
  return function* (block) {
    let mask: Mask | null = null
    for (const test of tests) {
      const other: Mask | null = yield* test(block)
      if (mask === null) mask = other
      else if (other !== null)
        for (let at = 0; at < mask.length; at++) mask[at] = mask[at]! | other[at]!
    }
    return mask
  }
}

/** The test of a term, prepared once and run for each block. */
export function testOf(term: Term): Test {
  if (term.type === 'leaf') return term.field === 'timestamp' ? timeTest(term) : fieldTest(term)
  if (term.type === 'not') {
    const test = testOf(term.term)
    return function* (block) {
      return invert(yield* test(block), block)
    }
  }
  const tests = term.terms.map(testOf)
  // An empty group adds no condition.
  return term.type === 'and' || tests.length === 0 ? allTest(tests) : anyTest(tests)
}

export function asksForTimes(term: Term): boolean {
  if (term.type === 'leaf') return term.field === 'timestamp'
  return term.type === 'not' ? asksForTimes(term.term) : term.terms.some(asksForTimes)
}

/** The fields a term looks at; no document has a name that cannot be stored. */
export function fieldsOf(term: Term): string[] {
  if (term.type === 'leaf')
    return term.field === 'timestamp' || !isStorable(term.field) ? [] : [term.field]
  if (term.type === 'not') return fieldsOf(term.term)
  return [...new Set(term.terms.flatMap(fieldsOf))]
}
