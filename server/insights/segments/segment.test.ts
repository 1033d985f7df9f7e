import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../../test/insights/random.ts'
import { randomEvent, randomGroup, scalarsOf } from '../../../test/insights/random-events.ts'
import { distinctOf, matches, type StoredDocument } from '../../../test/insights/reference.ts'
import { DEFAULT_LIMITS } from '../../platform/limits.ts'
import { readSearchTerm } from '../query/search-term.ts'
import type { Term } from '../query/search-tree.ts'
import { SERVICES } from '../services.ts'
import { FieldCollector } from './collect.ts'
import { type Column, ColumnBuilder, decodeColumn, encodeColumn, textAt } from './column.ts'
import { addValues, numberText } from './distinct.ts'
import { type Block, fieldsOf, type Mask, testOf } from './evaluate.ts'
import { type EventRow, openFrame, readIds } from './frames.ts'
import { unpack } from './packing.ts'
import * as segments from './segment.ts'
import { cutRows, type Segment } from './segment.ts'
import { compareTexts } from './texts.ts'
import { decodeTimes, encodeTimes } from './times.ts'

const START = Date.parse('2026-03-01T00:00:00Z')

const rowOf = ({ service, timestamp, document }: StoredDocument, at: number): EventRow => ({
  time: timestamp,
  id: Buffer.from(at.toString(16).padStart(32, '0'), 'hex'),
  service,
  document: Buffer.from(JSON.stringify(document)),
})

const randomEvents = (seed: number, count: number): StoredDocument[] =>
  Array.from({ length: count }, (_, at) =>
    // Several share a millisecond.
    randomEvent(seeded(seed + at), at, START + Math.floor(at / 3) * 1000),
  )

function rowsBlock(events: StoredDocument[], fields: string[]): Block {
  const collector = new FieldCollector(fields, true)
  for (const { service, document } of events) collector.add(service, document)
  return {
    events: events.length,
    times: { offsets: Float64Array.from(events, ({ timestamp }) => timestamp), start: 0 },
    columns: collector.columns(),
  }
}

/** As stored; fields without a column are read from the documents. */
function sealedBlock(segment: Segment, events: StoredDocument[], fields: string[]): Block {
  const unlisted = fields.filter((field) => segment.unlisted?.includes(field) ?? true)
  const { columns } = rowsBlock(events, unlisted)
  const stored = segment.columns
    .filter(({ field }) => fields.includes(field))
    .map(({ field, data }): [string, Column] => [field, decodeColumn(unpack(data), segment.events)])
  const offsets = decodeTimes(unpack(segment.times), segment.events)
  return {
    events: segment.events,
    times: { offsets, start: segment.first.time },
    columns: new Map([...columns, ...stored]),
  }
}

/** Runs steps to their end, without a pause. */
function finish<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const buildSegment = (rows: EventRow[]): Segment => finish(segments.buildSegment(rows))
const verifySegment = (segment: Segment, rows: EventRow[]): void =>
  finish(segments.verifySegment(segment, rows))

const evaluate = (term: Term, block: Block): Mask =>
  finish(testOf(term)(block)) ?? new Uint8Array(block.events)

function termOf(raw: object): Term | null {
  try {
    return readSearchTerm(raw, SERVICES, DEFAULT_LIMITS.events)
  } catch {
    return null
  }
}

test('random terms find the same in rows, in segments and by the reference', () => {
  let found = 0
  let tried = 0
  for (let round = 0; round < 4; round++) {
    const events = randomEvents(round * 1000, 150)
    const segment = buildSegment(events.map(rowOf))
    verifySegment(segment, events.map(rowOf))
    const sources = {
      scalars: events.flatMap(({ document }) => scalarsOf(document)),
      timestamps: events.map(({ timestamp }) => timestamp),
    }
    for (let seed = 0; seed < 150; seed++) {
      const raw = randomGroup(seeded(round * 150 + seed), sources)
      const term = termOf(raw)
      if (term === null) continue
      const fields = fieldsOf(term)
      const expected = events.map((event) => Number(matches(term, event)))
      const said = JSON.stringify(raw)
      assert.deepEqual([...evaluate(term, rowsBlock(events, fields))], expected, `rows: ${said}`)
      const sealed = evaluate(term, sealedBlock(segment, events, fields))
      assert.deepEqual([...sealed], expected, `segment: ${said}`)
      tried += events.length
      found += expected.reduce((sum, one) => sum + one, 0)
    }
  }
  // Terms that match nothing or everything would prove nothing.
  assert.ok(found / tried > 0.1 && found / tried < 0.9, `a share of ${found / tried} matched`)
})

test('distinct values count events: the elements of lists once, those of lists in lists not at all', () => {
  const events = randomEvents(77, 400)
  const segment = buildSegment(events.map(rowOf))
  const everything = new Uint8Array(events.length).fill(1)
  const fields = [
    'service',
    'username',
    'extra',
    'extra.er',
    'event_type',
    'error_code',
    '__proto__',
  ]
  for (const field of fields) {
    const collector = new FieldCollector([field], false)
    for (const { service, document } of events) collector.add(service, document)
    const stored = segment.columns.find((column) => column.field === field)
    for (const column of [
      collector.columns().get(field),
      stored && decodeColumn(unpack(stored.data), events.length),
    ]) {
      if (!column) continue
      const counts: Record<string, number> = Object.create(null)
      const steps = addValues(column, everything, (key, count) => {
        counts[key] = (counts[key] ?? 0) + count
      })
      for (const _ of steps);
      assert.deepEqual(counts, distinctOf(events, field), field)
    }
  }
})

test('numbers are written as the database writes them', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [-0, '0'],
    [1.5, '1.5'],
    [1e21, `1${'0'.repeat(21)}`],
    [1.25e21, `125${'0'.repeat(19)}`],
    [1e-7, '0.0000001'],
    [-1.5e-9, '-0.0000000015'],
    [-2.25e10, '-22500000000'],
    [1e308, `1${'0'.repeat(308)}`],
    [5e-324, `0.${'0'.repeat(323)}5`],
  ]
  for (const [number, text] of cases) assert.equal(numberText(number), text)
})

test('texts are in the order of their bytes', () => {
  const texts = [
    '',
    'a',
    'aa',
    'b',
    'é',
    '日本',
    '\uffff',
    '\ue000',
    '😀',
    '😁',
    '\u{10ffff}',
    'z\u{10000}',
  ]
  const bytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  assert.deepEqual(texts.toReversed().sort(compareTexts), bytes)
})

test('a column gives back its values, in one, two or four bytes each', () => {
  for (const different of [1, 3, 200, 300, 70_000]) {
    const builder = new ColumnBuilder()
    for (let at = 0; at < different; at++)
      if (at % 5 !== 4 || different < 5) builder.add(at, `v${at}`)
    const column = builder.column(different)
    const again = decodeColumn(encodeColumn(column), different)
    assert.deepEqual(again, column)
    const last = different - (different % 5 === 0 ? 2 : 1)
    assert.equal(textAt(again, again.codes[last]! - 1), `v${last}`)
  }
  const lists = new ColumnBuilder()
  for (const [place, value] of [
    [1, 'a'],
    [1, 1],
    [1, true],
    [3, 'a'],
    [3, 'a'],
  ] as const)
    lists.add(place, value)
  const column = lists.column(5)
  assert.deepEqual(decodeColumn(encodeColumn(column), 5), column)
  assert.deepEqual([...column.ends!], [0, 3, 3, 5, 5])
})

test('times are given back, small and large steps alike, and an early end is noticed', () => {
  const times = [0, 0, 127, 128, 16_511, 3_000_000, 2_592_000_000]
  const bytes = encodeTimes(times.map((time) => START + time))
  assert.deepEqual([...decodeTimes(bytes, times.length)], times)
  for (let length = 0; length < bytes.length; length++)
    assert.throws(() => decodeTimes(bytes.subarray(0, length), times.length), RangeError)
})

test('frames with large documents are small, and a damaged one is noticed', () => {
  const rows = Array.from({ length: 100 }, (_, at): EventRow => {
    const text = at % 10 === 3 ? 'x'.repeat(200_000) : `text ${at}`
    return rowOf({ service: 'ldap', timestamp: START + at, document: { text, n: at } }, at)
  })
  const segment = buildSegment(rows)
  verifySegment(segment, rows)
  assert.ok(segment.starts!.length > 10)
  const [frame] = segment.frames
  assert.deepEqual(
    readIds(frame!.data),
    rows.slice(0, 4).map(({ id }) => id),
  )
  for (const at of [5, 40, frame!.data.length - 3]) {
    const damaged = Buffer.from(frame!.data)
    damaged[at]! ^= 4
    assert.throws(() => openFrame(damaged))
  }
})

test('many fields, long names and long texts get no column and are named, as far as they can be', () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${at}`, at]))
  const document = (at: number) => ({ common: at, ...(at === 0 && wide) })
  const rows = Array.from({ length: 20 }, (_, at) =>
    rowOf({ service: 'ldap', timestamp: START, document: document(at) }, at),
  )
  const many = buildSegment(rows)
  assert.equal(many.columns.length, 400)
  assert.deepEqual(
    many.columns
      .slice(0, 2)
      .map(({ field }) => field)
      .sort(),
    ['common', 'service'],
  )
  assert.equal(many.unlisted, null)
  const long = { text: 'y'.repeat(2_000_000), deep: [['in']], fine: 'yes' }
  const one = buildSegment([rowOf({ service: 'ldap', timestamp: START, document: long }, 0)])
  assert.deepEqual(one.columns.map(({ field }) => field).sort(), ['fine', 'service'])
  assert.deepEqual(one.unlisted!.toSorted(), ['deep', 'text'])
  const named = buildSegment([
    rowOf({ service: 'ldap', timestamp: START, document: { ['n'.repeat(2000)]: 1 } }, 0),
  ])
  assert.equal(named.unlisted, null)
})

test('events are cut evenly, and never into a segment of more than 30 days', () => {
  const rows = (times: number[]) =>
    times.map((time, at) => rowOf({ service: 'ldap', timestamp: START + time, document: {} }, at))
  const sizes = (times: number[], size: number) =>
    cutRows(rows(times), size).map((part) => part.length)
  assert.deepEqual(
    sizes(
      Array.from({ length: 25 }, (_, at) => at),
      10,
    ),
    [9, 9, 7],
  )
  const day = 86_400_000
  assert.deepEqual(sizes([0, day, 30 * day, 31 * day, 40 * day, 90 * day], 100), [3, 2, 1])
})
