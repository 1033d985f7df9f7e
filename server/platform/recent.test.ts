import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from './recent.ts'

const kept = (recent: Recent<number>, keys: string) =>
  [...keys].filter((key) => recent.get(key) !== undefined).join('')

test('what was used of late stays, the rest goes', () => {
  const recent = new Recent<number>(6)
  for (const key of 'abc') recent.set(key, 1)
  for (const key of 'de') recent.set(key, 1)
  assert.equal(recent.get('a'), 1)
  // The later half is full now.
  recent.set('f', 1)
  assert.equal(kept(recent, 'abcdef'), 'adef')
})

test('it never holds more than its weight, and nothing that is too heavy', () => {
  const recent = new Recent<number>(100, (value) => value)
  for (let n = 0; n < 1000; n++) {
    recent.set(`${n % 17}`, 1 + (n % 50))
    const weights = Array.from({ length: 17 }, (_, key) => recent.get(`${key}`) ?? 0)
    assert.ok(weights.reduce((sum, weight) => sum + weight) <= 100)
  }
  recent.set('heavy', 51)
  assert.equal(recent.get('heavy'), undefined)
})

test('another value takes the place of the one before, and what is deleted is gone', () => {
  const recent = new Recent<number>(4)
  recent.set('a', 1)
  recent.set('b', 2)
  recent.set('c', 3)
  recent.set('a', 4)
  assert.equal(recent.get('a'), 4)
  recent.delete('a')
  recent.delete('b')
  assert.equal(kept(recent, 'abc'), 'c')
})
