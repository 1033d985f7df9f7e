import assert from 'node:assert/strict'
import { test } from 'node:test'
import { occurrences } from './cron.ts'

const now = new Date('2026-11-15T07:03:13.000Z')

test('a day that none of the months has is refused before it is looked for', () => {
  for (const expression of ['0 0 31 4,6,9,11 *', '0 0 12 31 6,9 *', '0 0 31 4,11 ?'])
    assert.throws(() => occurrences(expression, now), /none of its months has such a day/)
})

test('a day that one of the months has is found', () => {
  const cases: [string, string][] = [
    ['0 0 31 4,5 *', '2027-05-31'],
    ['0 0 30,31 4 *', '2027-04-30'],
    ['0 0 29 2 *', '2028-02-29'],
    ['0 0 L 2 *', '2027-02-28'],
    // A Monday counts as well.
    ['0 0 31 4 1', '2027-04-05'],
    ['0 0 * 4 *', '2027-04-01'],
  ]
  for (const [expression, day] of cases)
    assert.equal(
      occurrences(expression, now).next().toDate().toISOString(),
      `${day}T00:00:00.000Z`,
      expression,
    )
})
