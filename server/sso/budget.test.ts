import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Budget } from './budget.ts'

test('each key has so much at once, and gets it back with time', () => {
  const budget = new Budget({ atOnce: 2, aSecond: 0.5 })
  const take = (key: string, seconds: number) => budget.take(key, seconds * 1000)
  assert.deepEqual([take('a', 0), take('a', 0), take('a', 0)], [true, true, false])
  assert.equal(take('b', 0), true)
  assert.deepEqual([take('a', 1), take('a', 2), take('a', 2)], [false, true, false])
  assert.deepEqual([take('a', 100), take('a', 100), take('a', 100)], [true, true, false])
})

test('what is remembered about keys has a bound', () => {
  const budget = new Budget({ atOnce: 1, aSecond: 0 })
  assert.deepEqual([budget.take('first', 0), budget.take('first', 0)], [true, false])
  for (let at = 0; at < 1000; at++) budget.take(`other ${at}`, 0)
  assert.equal(budget.take('first', 0), true)
})
