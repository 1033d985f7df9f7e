import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountRow } from './account-store.ts'
import type { Desired } from './evaluate.ts'
import { failed } from './outcome.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const desired: Desired = {
  wanted: 'present',
  bound: true,
  user: undefined,
  resource: null,
  problems: [],
}
const row = (attempts: number, failingSince = NOW): AccountRow =>
  ({
    attempts,
    failing_since: new Date(failingSince).toISOString(),
    username: 'ada',
  }) as AccountRow

const waitOf = (attempts: number, retryAfterMs: number) => {
  const failure = { kind: 'transient', message: 'no', retryAfterMs } as const
  return Date.parse(failed(row(attempts), desired, failure, NOW).next_at!) - NOW
}

test('pauses between attempts grow, unless the provider says how long', () => {
  assert.ok(waitOf(0, 0) < 1500)
  assert.ok(waitOf(7, 0) > 60_000)
  // A storm of 429 must not cost each account minutes on top of what the provider asks for.
  assert.equal(waitOf(7, 1000), 1000)
  assert.equal(waitOf(0, 120_000), 120_000)
})

test('a failure is parked when it will not mend by itself', () => {
  const failure = { kind: 'transient', message: 'no', retryAfterMs: 0 } as const
  const day = 86_400_000
  assert.equal(failed(row(50, NOW - day), desired, failure, NOW).parked, true)
  assert.equal(failed(row(50, NOW - day + 1), desired, failure, NOW).parked, false)
  const rejected = failed(row(0), desired, { ...failure, kind: 'rejected' }, NOW)
  assert.deepEqual([rejected.parked, rejected.next_at], [true, null])
})
