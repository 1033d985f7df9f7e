import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { makeKey } from '../../../test/sso/keys.ts'
import { canonical, decrypted, schemaErrors, verifies } from '../../../test/sso/xml-programs.ts'
import { AppError } from '../../platform/errors.ts'
import { DEFAULT_LIMITS } from '../../platform/limits.ts'
import { readXml, type XmlElement } from '../../platform/xml.ts'
import { AUTHN_CONTEXT, NAME_ID_FORMAT, type SignatureMethod, STATUS } from '../names.ts'
import { type AssertionInput, assertion, instant, newMessageId } from './assertion.ts'
import { deliver, logoutRequest, logoutResponse } from './logout.ts'
import { metadata } from './metadata.ts'
import { type Protection, writeErrorResponse, writeResponse } from './response.ts'
import { element, write } from './xml-writer.ts'

const idp = makeKey('idp')
const sp = makeKey('sp')
const other = makeKey('other')

const NOW = Date.UTC(2026, 10, 15, 10, 0, 0)

const inputOf = (over: Partial<AssertionInput> = {}): AssertionInput => ({
  id: newMessageId(),
  now: NOW,
  issuer: 'https://idp.example/saml2/wiki',
  audience: 'https://sp.example/metadata',
  recipient: 'https://sp.example/acs?tenant=1&x=2',
  inResponseTo: '_request',
  nameId: { value: 'ada@example.com', format: NAME_ID_FORMAT.email },
  sessionIndex: '_session',
  authenticatedAt: NOW - 60_000,
  authnContext: AUTHN_CONTEXT.protectedPassword,
  attributes: [
    { name: 'email', values: ['ada@example.com'] },
    { name: 'urn:oid:2.5.4.4', values: ['Lovelace'] },
    { name: 'groups', values: ['R&D', '<admins>', '"quoted" \'s'] },
  ],
  ...over,
})

const frame = {
  id: '_response',
  now: NOW,
  issuer: 'https://idp.example/saml2/wiki',
  destination: 'https://sp.example/acs?tenant=1&x=2',
  inResponseTo: '_request',
}
const protection = (over: Partial<Protection> = {}, method: SignatureMethod = 'RSA-SHA256') => ({
  key: { privateKey: idp.privateKey, certificate: idp.certificate, method },
  signAssertion: true,
  signResponse: false,
  encryptFor: undefined,
  ...over,
})

/** Every character that XML, markup or programs treat specially, and some that are long in UTF-8. */
const ALPHABET = [
  ...'&<>"\'\t\n\r ]]>-=;#/?!x\u0085\u00a0\u2028é漢',
  ...['😀', '\u{10FFFF}', '\uFFFD', '\uD7FF', '\uE000', '<!--', '-->', '<?p ?>', '&amp;', ']]>'],
]
const randomText = () =>
  Array.from({ length: randomInt(0, 20) }, () => ALPHABET[randomInt(ALPHABET.length)]!).join('')

test('the output is canonical, whatever the values', async () => {
  for (let at = 0; at < 60; at++) {
    const input = inputOf({
      issuer: randomText(),
      audience: randomText(),
      recipient: randomText(),
      inResponseTo: randomText(),
      nameId: { value: randomText(), format: randomText() },
      attributes: [{ name: randomText(), values: [randomText(), randomText()] }],
    })
    const both = { signResponse: true, signAssertion: at % 2 === 0 }
    const text = await writeResponse(frame, assertion(input), protection(both))
    assert.equal(canonical(text), text)
  }
})

test('values survive a round trip', () => {
  for (let at = 0; at < 200; at++) {
    const value = randomText()
    const text = write(element('saml:NameID', { Format: value }, value))
    const read = readXml(text, DEFAULT_LIMITS.saml, (root: XmlElement) => [
      root.attr('Format')?.value,
      root.content,
    ])
    assert.deepEqual(read, [value, value])
  }
})

test('characters that XML does not allow are refused', () => {
  for (const bad of ['\0', '\u0001', '\u000b', '\u001f', '\ufffe', '\uffff', 'a\ud800b', '\udc00'])
    for (const node of [element('saml:NameID', {}, bad), element('saml:NameID', { Format: bad })])
      assert.throws(
        () => write(node),
        (error) => error instanceof AppError && error.reason === 'xml_character',
      )
})

const KINDS: [name: string, over: Partial<Protection>, signed: string[]][] = [
  ['assertion signed', {}, ['saml:Assertion']],
  ['response signed', { signAssertion: false, signResponse: true }, ['samlp:Response']],
  ['both signed', { signResponse: true }, ['saml:Assertion', 'samlp:Response']],
  // An application cannot be saved like this; if one exists anyway, its assertion is signed.
  ['both switches off', { signAssertion: false }, ['saml:Assertion']],
]
for (const [name, over, signed] of KINDS) {
  for (const method of ['RSA-SHA256', 'RSA-SHA384', 'RSA-SHA512'] as const)
    test(`${name} with ${method}: xmlsec1 accepts it, and rejects it after a change`, async () => {
      const text = await writeResponse(frame, assertion(inputOf()), protection(over, method))
      assert.equal(schemaErrors(text, 'protocol'), '')
      assert.equal(text.split('<ds:Signature ').length - 1, signed.length)
      for (const part of signed) {
        assert.ok(verifies(text, idp.certificate, part), part)
        assert.ok(!verifies(text, other.certificate, part), 'another key')
        const forged = text.replace(
          'ada@example.com</saml:NameID>',
          'bob@example.com</saml:NameID>',
        )
        assert.notEqual(forged, text)
        assert.ok(!verifies(forged, idp.certificate, part), 'another name')
      }
    })

  for (const method of ['AES256-GCM', 'AES128-GCM', 'AES256-CBC', 'AES128-CBC'] as const)
    test(`${name} and encrypted with ${method}: the service provider decrypts it to the same assertion`, async () => {
      const encryptFor = { certificate: sp.certificate, method }
      const text = await writeResponse(
        frame,
        assertion(inputOf()),
        protection({ ...over, encryptFor }),
      )
      assert.doesNotMatch(text, /ada@example\.com|Lovelace/)
      assert.equal(canonical(text), text)
      assert.equal(schemaErrors(text, 'protocol'), '')
      if (signed.includes('samlp:Response'))
        assert.ok(verifies(text, idp.certificate, 'samlp:Response'))
      const opened = decrypted(text, sp.pem)
      assert.match(opened, /ada@example\.com/)
      if (signed.includes('saml:Assertion'))
        assert.ok(verifies(opened, idp.certificate, 'saml:Assertion'))
    })
}

test('an error response is signed as the application is configured', async () => {
  const status = { code: STATUS.responder, second: STATUS.noPassive, message: 'a < b' }
  const signed = await writeErrorResponse(frame, status, protection({ signResponse: true }))
  assert.ok(verifies(signed, idp.certificate, 'samlp:Response'))
  assert.match(signed, /Responder"><samlp:StatusCode Value="[^"]+:NoPassive">/)
  const plain = await writeErrorResponse(frame, status, protection())
  assert.doesNotMatch(plain, /Signature|Assertion/)
  assert.equal(schemaErrors(signed, 'protocol') + schemaErrors(plain, 'protocol'), '')
})

test('times are whole seconds in UTC', () => {
  assert.equal(instant(Date.UTC(2026, 0, 2, 3, 4, 5, 678)), '2026-01-02T03:04:05Z')
})

test('an IdP-initiated response has no InResponseTo', async () => {
  const unsolicited = { ...frame, inResponseTo: undefined }
  const text = await writeResponse(
    unsolicited,
    assertion(inputOf({ inResponseTo: undefined, attributes: [] })),
    protection(),
  )
  assert.doesNotMatch(text, /InResponseTo|AttributeStatement/)
  assert.equal(schemaErrors(text, 'protocol'), '')
})

test('logout messages are signed in both bindings', async () => {
  const key = protection().key
  const request = logoutRequest(
    { ...frame, inResponseTo: undefined, notOnOrAfter: NOW + 300_000 },
    { nameId: { value: 'a&b', format: NAME_ID_FORMAT.email }, sessionIndex: '_s' },
  )
  assert.equal(canonical(write(request)), write(request))
  const options = { destination: 'https://sp.example/slo', relayState: 'a b&c', key }
  const post = await deliver(request, { ...options, binding: 'post', parameter: 'SAMLRequest' })
  assert.ok(post.binding === 'post')
  const text = Buffer.from(post.fields.SAMLRequest!, 'base64').toString()
  assert.ok(verifies(text, idp.certificate, 'samlp:LogoutRequest'))
  assert.equal(schemaErrors(text, 'protocol'), '')
  assert.equal(post.fields.RelayState, 'a b&c')

  const response = logoutResponse(frame, { code: STATUS.success })
  assert.equal(schemaErrors(write(response), 'protocol'), '')
  const redirect = await deliver(response, {
    ...options,
    destination: 'https://sp.example/slo?x=1',
    binding: 'redirect',
    parameter: 'SAMLResponse',
  })
  assert.ok(redirect.binding === 'redirect')
  assert.match(
    redirect.location,
    /^https:\/\/sp\.example\/slo\?x=1&SAMLResponse=[^&]+&RelayState=a%20b%26c&SigAlg=[^&]+&Signature=[^&]+$/,
  )
})

test('metadata names both certificates and every address', () => {
  const text = metadata({
    entityId: 'https://idp.example/saml2/wiki?a=1&b=2',
    certificates: [idp.certificate, other.certificate],
    ssoUrl: 'https://idp.example/saml2/wiki',
    sloUrl: 'https://idp.example/saml2/wiki/logout',
    nameIdFormat: NAME_ID_FORMAT.email,
    wantSignedRequests: true,
    redirectFirst: false,
  })
  assert.equal(text.match(/<ds:X509Certificate>/g)?.length, 2)
  assert.equal(text.match(/SingleSignOnService Binding/g)?.length, 2)
  assert.match(text, /entityID="https:\/\/idp\.example\/saml2\/wiki\?a=1&amp;b=2"/)
  assert.match(text, /WantAuthnRequestsSigned="true"/)
  // The first of each is what service providers sign with; none is SHA-1.
  const methods = [...text.matchAll(/<alg:(\w+) [^>]*Algorithm="([^"]*)"/g)]
  assert.deepEqual(
    methods.map(([, name, algorithm]) => `${name} ${algorithm!.split('#')[1]}`),
    [
      'DigestMethod sha256',
      'DigestMethod sha384',
      'DigestMethod sha512',
      'SigningMethod rsa-sha256',
      'SigningMethod rsa-sha384',
      'SigningMethod rsa-sha512',
    ],
  )
  assert.equal(schemaErrors(text, 'metadata'), '')
  assert.equal(`${canonical(text)}`, text.split('\n')[1])
})
