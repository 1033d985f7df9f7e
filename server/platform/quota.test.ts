import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, throttled } from './errors.ts'
import { Quota } from './quota.ts'

const counted = {
  what: 'streams',
  setting: 'STREAMS',
  refuse: (message: string) => throttled('too_many_streams', message, { retryAfter: 5 }),
}
const person = (id: string, homeId: string) => ({ id, homeId })

function refused(quota: Quota, who: ReturnType<typeof person>): string {
  try {
    quota.take(who)
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.deepEqual(
      [error.kind, error.reason, error.retryAfter],
      ['throttled', 'too_many_streams', 5],
    )
    return error.message
  }
  return assert.fail('a slot was given')
}

test('the narrowest share is refused first, and each refusal names its limit', () => {
  const quota = new Quota(counted, { principal: 2, tenant: 3, process: 4 })
  quota.take(person('a', 'one'))
  quota.take(person('a', 'one'))
  assert.match(refused(quota, person('a', 'one')), /2 at once .* one administrator .*STREAMS/)
  quota.take(person('b', 'one'))
  assert.match(refused(quota, person('c', 'one')), /3 at once .* one organization/)
  quota.take(person('d', 'two'))
  assert.match(refused(quota, person('e', 'three')), /4 at once .* all callers/)
})

test('a released slot is free again, once, however often it is released', () => {
  const quota = new Quota(counted, { principal: 1, tenant: 1, process: 2 })
  const giveBack = quota.take(person('a', 'one'))
  refused(quota, person('a', 'one'))
  giveBack()
  giveBack()
  quota.take(person('a', 'one'))
  refused(quota, person('b', 'one'))
  quota.take(person('c', 'two'))
})

test('a refusal takes no slot', () => {
  const quota = new Quota(counted, { principal: 1, tenant: 2, process: 2 })
  quota.take(person('a', 'one'))
  for (let at = 0; at < 5; at++) refused(quota, person('a', 'one'))
  quota.take(person('b', 'one'))
})
