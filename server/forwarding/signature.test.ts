import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { backoff, judge, PATIENCE_MS, readRetryAfter } from './retry.ts'
import { keyOf, newSecret, signatureHeaders } from './signature.ts'

test('a signature is the one of the Standard Webhooks examples', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const headers = signatureHeaders(
    [secret],
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330_999,
    '{"test": 2432232314}',
  )
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('openssl agrees, for each of several secrets', () => {
  const secrets = [newSecret(), newSecret()]
  const body = '[{"name":"Zoë"}]'
  const headers = signatureHeaders(secrets, 'msg_1', 1_700_000_000_000, body)
  const expected = secrets.map((secret) => {
    const hexkey = `hexkey:${Buffer.from(secret.slice(6), 'base64').toString('hex')}`
    const mac = execFileSync(
      'openssl',
      ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', hexkey, '-binary'],
      { input: `msg_1.1700000000.${body}` },
    )
    return `v1,${mac.toString('base64')}`
  })
  assert.equal(headers['webhook-signature'], expected.join(' '))
})

test('a secret is whsec_ and 24 to 64 bytes in base64', () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  for (const good of [of(24), of(32), of(64), newSecret()]) assert.ok(keyOf(good), good)
  for (const bad of [
    of(23),
    of(65),
    'whsec_',
    'secret',
    of(32).slice(6),
    'whsec_not base64 at all!!!!!!!!!!!!!',
  ])
    assert.equal(keyOf(bad), null, bad)
})

test('waits double up to five minutes, and a receiver may ask for longer', () => {
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
