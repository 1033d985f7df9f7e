import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { keyOf, newSecret, signatureHeaders } from './signature.ts'

test('signatures match the Standard Webhooks examples', () => {
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

test('signatures of several secrets match openssl', () => {
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

test('a secret is whsec_ followed by 24 to 64 bytes in base64', () => {
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
