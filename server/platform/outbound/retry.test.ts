import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoff, judge, PATIENCE_MS, readRetryAfter } from './retry.ts'

test('delays double up to five minutes, and a receiver may request longer ones', () => {
  const middle = () => 0.5
  assert.deepEqual(
    [1, 2, 3, 9, 10, 50].map((attempt) => backoff(attempt, middle)),
    [1000, 2000, 4000, 256_000, 300_000, 300_000],
  )
  assert.equal(
    backoff(1, () => 0),
    750,
  )
  const now = Date.parse('2026-01-01T00:00:00Z')
  assert.equal(readRetryAfter('120', now), 120_000)
  assert.equal(readRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now), 60_000)
  assert.equal(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), 0)
  assert.equal(readRetryAfter('99999999', now), 86_400_000)
  for (const nonsense of [undefined, '', 'soon', '-1'])
    assert.equal(readRetryAfter(nonsense, now), 0)
  const failure = { attempts: 1, failingSince: now, retryAfter: 90_000, gone: false }
  assert.deepEqual(judge(failure, now), { status: 'retrying', nextAt: now + 90_000 })
  assert.deepEqual(judge(failure, now + PATIENCE_MS), { status: 'failed' })
  assert.deepEqual(judge({ ...failure, gone: true }, now), { status: 'failed' })
})
