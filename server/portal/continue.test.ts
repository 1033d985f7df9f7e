import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOwnPath, signInAddress } from './continue.ts'

test('only paths of this service are accepted to continue to', () => {
  for (const path of ['/', '/profile', '/saml2/wiki?SAMLRequest=a%2Fb&RelayState=https://x'])
    assert.equal(isOwnPath(path), true, path)
  for (const path of [
    '',
    'profile',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
  ])
    assert.equal(isOwnPath(path), false, path)
})

test('the sign-in address carries the hints', () => {
  assert.equal(signInAddress('/saml2/wiki?a=1'), '/login?continue=%2Fsaml2%2Fwiki%3Fa%3D1')
  assert.equal(
    signInAddress('/', { fresh: true, organizationId: 'a'.repeat(24) }),
    `/login?continue=%2F&fresh=1&organization=${'a'.repeat(24)}`,
  )
  assert.throws(() => signInAddress('//evil.example'))
})
