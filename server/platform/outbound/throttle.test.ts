import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Clock, type Leave, Throttle, type ThrottleLimits, Throttles } from './throttle.ts'

/** A clock that stands still until it is advanced. */
class HandClock implements Clock {
  #now = 0
  readonly #timers = new Set<{ at: number; run: () => void }>()

  now() {
    return this.#now
  }

  after(ms: number, run: () => void) {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  get pending() {
    return this.#timers.size
  }

  async pass(ms: number) {
    this.#now += ms
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue
      timer.run()
    }
    await turn()
  }
}

const forever = new AbortController().signal

/** Requests by number, in the order in which they start. */
function queue(throttle: Throttle, limits: ThrottleLimits) {
  const begun: number[] = []
  const leaves: Leave[] = []
  const enter = async (number: number, signal = forever) => {
    leaves[number] = await throttle.enter(limits, signal)
    begun.push(number)
  }
  return { begun, leaves, enter }
}

test('concurrency is limited, and waiters are served in order', async () => {
  const { begun, leaves, enter } = queue(new Throttle(), { concurrency: 2 })
  const entered = [0, 1, 2, 3, 4].map((number) => enter(number))
  await turn()
  assert.deepEqual(begun, [0, 1])
  leaves[1]!()
  leaves[1]!() // Releasing twice frees one slot only.
  await turn()
  assert.deepEqual(begun, [0, 1, 2])
  leaves[0]!()
  leaves[2]!()
  await Promise.all(entered)
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

test('a rate spaces requests evenly', async () => {
  const clock = new HandClock()
  const { begun, enter } = queue(new Throttle(clock), { concurrency: 9, perSecond: 3 })
  for (let number = 0; number < 4; number++) void enter(number)
  await clock.pass(0)
  assert.deepEqual(begun, [0])
  await clock.pass(333)
  assert.deepEqual(begun, [0])
  await clock.pass(1)
  assert.deepEqual(begun, [0, 1])
  // A long pause earns no credit beyond the burst.
  await clock.pass(10_000)
  assert.deepEqual(begun, [0, 1, 2])
  await clock.pass(334)
  assert.deepEqual(begun, [0, 1, 2, 3])
  assert.equal(clock.pending, 0)
})

test('a burst starts at once, then the rate applies', async () => {
  const clock = new HandClock()
  const { begun, enter } = queue(new Throttle(clock), { concurrency: 9, perSecond: 2, burst: 3 })
  for (let number = 0; number < 5; number++) void enter(number)
  await clock.pass(0)
  assert.deepEqual(begun, [0, 1, 2])
  await clock.pass(500)
  assert.deepEqual(begun, [0, 1, 2, 3])
  await clock.pass(500)
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

test('an aborted request leaves the queue, and the others move up', async () => {
  const clock = new HandClock()
  const { begun, leaves, enter } = queue(new Throttle(clock), { concurrency: 1, perSecond: 1 })
  const ending = new AbortController()
  const first = enter(0)
  const second = enter(1, ending.signal)
  const third = enter(2)
  await first
  ending.abort(new Error('no time left'))
  await assert.rejects(second, /no time left/)
  leaves[0]!()
  await clock.pass(1000)
  await third
  assert.deepEqual(begun, [0, 2])
  await assert.rejects(enter(3, ending.signal), /no time left/)
})

test('the newest limits apply to all waiting requests', async () => {
  const throttle = new Throttle()
  const narrow = queue(throttle, { concurrency: 1 })
  const wide = queue(throttle, { concurrency: 3 })
  await narrow.enter(0)
  const entered = narrow.enter(1)
  await wide.enter(2)
  await entered
  assert.deepEqual(narrow.begun, [0, 1])
})

test('a throttle that allows nothing is an error', async () => {
  for (const limits of [
    { concurrency: 0 },
    { concurrency: 1, perSecond: 0 },
    { concurrency: Number.NaN },
    { concurrency: 1, burst: 0 },
  ])
    await assert.rejects(new Throttle().enter(limits, forever), RangeError)
})

test('keys do not wait for each other, and only idle ones are dropped', async () => {
  const clock = new HandClock()
  const throttles = new Throttles(clock, 3)
  const busy = await throttles.enter('busy', { concurrency: 1 }, forever)
  const paced = await throttles.enter('paced', { concurrency: 1, perSecond: 1 }, forever)
  const over = await throttles.enter('over', { concurrency: 1 }, forever)
  paced()
  over()
  await throttles.enter('next', { concurrency: 1 }, forever)
  // Dropping 'paced' now would start its next request too early.
  assert.equal(throttles.size, 3)
  busy()
  await clock.pass(1000)
  await throttles.enter('another', { concurrency: 1 }, forever)
  assert.equal(throttles.size, 2)
})
