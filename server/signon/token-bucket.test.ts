import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBucket } from './token-bucket.ts'

test('each key has its own bucket, which refills over time', () => {
  const bucket = new TokenBucket({ capacity: 2, perSecond: 0.5 })
  const take = (key: string, seconds: number) => bucket.take(key, seconds * 1000)
  assert.deepEqual([take('a', 0), take('a', 0), take('a', 0)], [true, true, false])
  assert.equal(take('b', 0), true)
  assert.deepEqual([take('a', 1), take('a', 2), take('a', 2)], [false, true, false])
  assert.deepEqual([take('a', 100), take('a', 100), take('a', 100)], [true, true, false])
})

test('the number of keys is bounded', () => {
  const bucket = new TokenBucket({ capacity: 1, perSecond: 0 })
  assert.deepEqual([bucket.take('first', 0), bucket.take('first', 0)], [true, false])
  for (let at = 0; at < 1000; at++) bucket.take(`other ${at}`, 0)
  assert.equal(bucket.take('first', 0), true)
})
