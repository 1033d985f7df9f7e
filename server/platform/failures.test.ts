import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { sql } from './db/sql.ts'
import {
  type Counter,
  clearFailures,
  countFailure,
  countWrong,
  forgive,
  release,
  reserve,
  reserveAll,
  takeCounted,
} from './failures.ts'
import { newId } from './ids.ts'

const { db } = await startApp()
const LIMIT = { failures: 3, windowMinutes: 15, blockMinutes: 15 }
const blocked = { reason: 'sign_in_blocked' }
const busy = { reason: 'sign_in_busy' }
const newCounter = (more: Partial<Counter> = {}): Counter => ({
  subject: `test ${newId()}`,
  limit: LIMIT,
  ...more,
})
const take = (counter: Counter) => reserveAll(db, [counter])
const times = (count: number, work: () => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: count }, work))
const fulfilled = (results: PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'fulfilled').length
const age = ({ subject }: Counter, column: 'first_at' | 'blocked_until' | 'in_flight_at') => {
  const past = { first_at: 16 * 60, blocked_until: 1, in_flight_at: 61 }[column]
  return db.tx(null, (tx) =>
    tx.execute(
      `update sign_in_failures set ${column} = now() - make_interval(secs => $2) where subject = $1`,
      [subject, past],
    ),
  )
}

test('attempts in flight cannot exceed the limit, and do not block', async () => {
  const counter = newCounter()
  assert.equal(fulfilled(await times(20, () => take(counter))), 3)
  await assert.rejects(take(counter), busy)
  for (let at = 0; at < 3; at++) await release(db, [counter])
  assert.equal(fulfilled(await times(20, () => take(counter))), 3)
})

test('wrong attempts block at the limit; an attempt in flight counts as a possible failure', async () => {
  const counter = newCounter()
  for (let at = 0; at < 2; at++) {
    await take(counter)
    assert.equal(await countWrong(db, [counter]), false)
  }
  await take(counter)
  await assert.rejects(take(counter), busy)
  assert.equal(await countWrong(db, [counter]), true)
  await assert.rejects(take(counter), blocked)
  await clearFailures(db, [counter.subject])
  await take(counter)
})

test('a success resets its own counter, not a shared one', async () => {
  const [own, shared] = [newCounter(), newCounter({ shared: true })]
  for (let at = 0; at < 2; at++) {
    await reserveAll(db, [own, shared])
    await countWrong(db, [own, shared])
  }
  await reserveAll(db, [own, shared])
  await forgive(db, [own, shared])
  assert.equal(fulfilled(await times(5, () => take(own))), 3)
  assert.equal(fulfilled(await times(5, () => take(shared))), 1)
})

test('an attempt refused by one counter is not in flight in any', async () => {
  const [open, full] = [newCounter(), newCounter()]
  await times(3, () => take(full))
  for (let at = 0; at < 5; at++) await assert.rejects(reserveAll(db, [open, full]), busy)
  assert.equal(fulfilled(await times(5, () => take(open))), 3)
})

test('attempts of a dead process expire', async () => {
  const counter = newCounter()
  await times(3, () => take(counter))
  assert.equal(await reserve(db, counter), 'busy')
  await age(counter, 'in_flight_at')
  assert.equal(fulfilled(await times(5, () => take(counter))), 3)
})

test('a further limit on attempts in flight is respected', async () => {
  const counter = newCounter({ room: 1 })
  assert.equal(fulfilled(await times(5, () => take(counter))), 1)
})

test('a block lasts its full time, even after the window of its failures', async () => {
  const counter = newCounter()
  for (let at = 0; at < 3; at++) await countFailure(db, counter.subject, LIMIT)
  await age(counter, 'first_at')
  assert.ok((await countFailure(db, counter.subject, LIMIT))?.blocked_until)
  await assert.rejects(take(counter), blocked)
  await age(counter, 'blocked_until')
  await take(counter)
  assert.deepEqual(await countFailure(db, counter.subject, LIMIT), {
    failures: 1,
    blocked_until: null,
  })
})

test('after a block that is shorter than the window, the next failure blocks again', async () => {
  const counter = newCounter()
  for (let at = 0; at < 3; at++) await countFailure(db, counter.subject, LIMIT)
  await age(counter, 'blocked_until')
  await take(counter)
  assert.equal(await reserve(db, counter), 'busy')
  assert.equal(await countWrong(db, [counter]), true)
})

test('counted requests are refused above the limit', async () => {
  const { subject } = newCounter()
  assert.equal(fulfilled(await times(10, () => takeCounted(db, subject, LIMIT))), 3)
  await db.run(sql`delete from sign_in_failures where subject = ${subject}`)
  await takeCounted(db, subject, LIMIT)
})
