import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAuthorization, parseDate, signingString } from './signature.ts'

const KEY = '0123456789abcdef01234567'
const good = {
  keyId: `system/${KEY}`,
  headers: 'request-line date',
  algorithm: 'rsa-sha256',
  signature: 'AAEC',
}
const write = (parameters: object) =>
  `Signature ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}`

test('Authorization parameters may come in any order', () => {
  const expected = { systemId: KEY, signature: Buffer.from([0, 1, 2]) }
  assert.deepEqual(parseAuthorization(write(good)), expected)
  const { signature, keyId, ...rest } = good
  assert.deepEqual(parseAuthorization(write({ signature, ...rest, keyId })), expected)
  assert.deepEqual(parseAuthorization(write(good).replace('Signature', 'signature')), expected)
  assert.deepEqual(parseAuthorization(write(good).replaceAll(',', ', ')), expected)
})

test('a malformed Authorization header is refused', () => {
  const { headers: _, ...withoutHeaders } = good
  const { signature: __, ...withoutSignature } = good
  for (const text of [
    `${write(good)},keyId="system/${KEY}"`,
    `${write(good)},created="1"`,
    `${write(good)},`,
    write(withoutHeaders),
    write(withoutSignature),
    write({ ...good, algorithm: 'hmac-sha256' }),
    write({ ...good, algorithm: 'RSA-SHA256' }),
    write({ ...good, algorithm: 'rsa-sha1' }),
    write({ ...good, algorithm: 'none' }),
    write({ ...good, headers: 'date' }),
    write({ ...good, headers: 'date request-line' }),
    write({ ...good, headers: '(request-target) date' }),
    write({ ...good, headers: 'request-line date host' }),
    write({ ...good, keyId: KEY }),
    write({ ...good, keyId: `system/${KEY.toUpperCase()}` }),
    write({ ...good, keyId: `system/${KEY}/` }),
    write({ ...good, signature: '' }),
    write({ ...good, signature: 'AAE' }),
    write({ ...good, signature: 'AA EC' }),
    write({ ...good, signature: 'AAEC\n' }),
    write({ ...good, signature: 'AA-_' }),
    write(good).replaceAll('"', "'"),
    write(good).replaceAll('"', ''),
    'Signature ',
    'Signature a',
  ])
    assert.throws(() => parseAuthorization(text), { reason: 'signature_malformed' }, text)
})

test('Date has one accepted form and must be within five minutes either way', () => {
  const now = Date.UTC(2026, 10, 15, 7, 3, 13)
  assert.equal(parseDate('Sun, 15 Nov 2026 07:03:13 GMT', now), now)
  assert.equal(parseDate('Sun, 15 Nov 2026 06:58:13 GMT', now), now - 300_000)
  assert.equal(parseDate('Sun, 15 Nov 2026 07:08:13 GMT', now), now + 300_000)
  for (const text of [
    undefined,
    '',
    'Sun, 15 Nov 2026 06:58:12 GMT',
    'Sun, 15 Nov 2026 07:08:14 GMT',
    'Mon, 15 Nov 2026 07:03:13 GMT',
    'Sun, 15 Nov 2026 07:03:13 UTC',
    'Sun, 15 Nov 2026 07:03:13 +0000',
    'Sunday, 15-Nov-26 07:03:13 GMT',
    '2026-11-15T07:03:13Z',
    'Sun, 15 Nov 2026 07:03:13 GMT, Sun, 15 Nov 2026 07:03:13 GMT',
    String(now),
  ])
    assert.throws(() => parseDate(text, now), { kind: 'unauthenticated' }, String(text))
})

test('the signing string is the request line as sent and the date, without a final newline', () => {
  assert.equal(
    signingString('GET', '/api/Systems/1?a=%20', 'x'),
    'GET /api/Systems/1?a=%20 HTTP/1.1\ndate: x',
  )
})
