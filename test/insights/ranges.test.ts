import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Range, windowsOf } from '../../server/insights/query/ranges.ts'
import { seeded } from './random.ts'

/** Ranges of some organizations, without overlap within one. */
function randomRanges(seed: number): Range[] {
  const random = seeded(seed)
  return Array.from({ length: 1 + random.below(3) }, (_, organization) => {
    let time = random.below(20)
    return Array.from({ length: random.below(8) }, () => {
      const from = time + random.below(10)
      const until = from + 1 + random.below(15)
      time = until
      const events = random.below(400)
      return { organizationId: `o${organization}`, from, until, events, digest: null }
    })
  }).flat()
}

/** Every millisecond of every range, as text. */
const moments = (ranges: Range[]): string[] =>
  ranges
    .flatMap(({ organizationId, from, until }) =>
      Array.from({ length: until - from }, (_, at) => `${organizationId} ${from + at}`),
    )
    .sort()

test('windows cover every instant of all ranges once, in chronological order', () => {
  let several = 0
  for (let seed = 0; seed < 2000; seed++) {
    const ranges = randomRanges(seed)
    for (const sort of ['ASC', 'DESC'] as const) {
      const windows = [...windowsOf(ranges, sort, 300)]
      assert.deepEqual(moments(windows.flat()), moments(ranges), `seed ${seed} ${sort}`)
      const filled = windows.filter(({ length }) => length > 0)
      if (filled.length > 1) several++
      for (const [at, window] of filled.entries()) {
        const next = filled[at + 1]
        if (!next) continue
        const [earlier, later] = sort === 'ASC' ? [window, next] : [next, window]
        const end = Math.max(...earlier.map(({ until }) => until))
        const begin = Math.min(...later.map(({ from }) => from))
        assert.ok(end <= begin, `seed ${seed} ${sort}: ${end} is after ${begin}`)
      }
    }
  }
  assert.ok(several > 1000, 'most have more than one window')
})
