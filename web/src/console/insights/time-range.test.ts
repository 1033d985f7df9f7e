import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filled, rangeOf, rangeParams, spanOf, stepOf, yesterday } from './time-range.ts'

const HOUR = 3_600_000

test('reads the range of an address, and the default from a bad one', () => {
  assert.deepEqual(rangeOf({ last: 'P7D' }), { last: 'P7D' })
  const fixed = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
  assert.deepEqual(rangeOf(fixed), fixed)
  assert.deepEqual(rangeOf({ from: fixed.to, to: fixed.from }), { last: 'PT24H' })
  assert.deepEqual(rangeOf({ last: 'a week' }), { last: 'PT24H' })
  assert.deepEqual(rangeParams({ last: 'PT24H' }), {
    last: undefined,
    from: undefined,
    to: undefined,
  })
})

test('spans and their steps', () => {
  const now = Date.parse('2026-01-10T00:00:00Z')
  assert.deepEqual(spanOf({ last: 'P1DT1H' }, now), { from: now - 25 * HOUR, to: now })
  const unitOf = (last: string) => {
    const { unit, value } = stepOf(spanOf({ last }, now))
    return `${value}${unit}`
  }
  assert.equal(unitOf('PT15M'), '15s')
  assert.equal(unitOf('PT24H'), '15m')
  assert.equal(unitOf('P7D'), '3h')
  assert.equal(unitOf('P90D'), '1d')
})

test('yesterday is the whole day before, where the viewer is', () => {
  const now = new Date(2026, 0, 10, 15, 30)
  assert.deepEqual(yesterday(now.getTime()), {
    from: new Date(2026, 0, 9).toISOString(),
    to: new Date(2026, 0, 9, 23, 59, 59, 999).toISOString(),
  })
})

test('fills the steps without events on the grid of the others', () => {
  const from = Date.parse('2026-01-10T00:30:00Z')
  const key = Date.parse('2026-01-10T02:00:00Z')
  const bars = filled([{ key, doc_count: 3 }], { from, to: from + 3 * HOUR }, { ms: HOUR })
  assert.deepEqual(
    bars.map(({ count }) => count),
    [0, 0, 3, 0],
  )
  assert.equal(bars[2]!.time, key)
})
