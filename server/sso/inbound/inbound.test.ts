import assert from 'node:assert/strict'
import { createHash, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { makeKey } from '../../../test/sso/keys.ts'
import { DEFAULT_LIMITS } from '../../platform/limits.ts'
import { BINDING, SIGNATURE_METHODS } from '../names.ts'
import { type Reason, Refusal } from '../refusal.ts'
import { readAuthnRequest } from './authn-request.ts'
import { checkFrame } from './check-frame.ts'
import { checkResponseBinding, chooseAcs } from './choose-acs.ts'
import { type Inbound, readPost as postWithin, readRedirect as redirectWithin } from './inbound.ts'
import { readLogoutRequest, readLogoutResponse } from './logout-messages.ts'

const readPost = (fields: Record<string, unknown>) => postWithin(fields, DEFAULT_LIMITS.saml)
const readRedirect = (query: string) => redirectWithin(query, DEFAULT_LIMITS.saml)

const sp = makeKey('sp')
/** Still registered: every key is tried. */
const old = makeKey('old')
const other = makeKey('other')
const RSA_SHA256 = SIGNATURE_METHODS['RSA-SHA256'].signature

const reasonOf = (work: () => unknown): Reason | 'accepted' => {
  try {
    work()
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return error.reason
  }
}

const SPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'
const request = (attributes = '', content = '') =>
  `<samlp:AuthnRequest ${SPACES} ID="_r1" Version="2.0" IssueInstant="2026-11-15T10:00:00Z"${attributes}><saml:Issuer>sp</saml:Issuer>${content}</samlp:AuthnRequest>`

const base64 = (text: string) => Buffer.from(text).toString('base64')
const deflated = (text: string) => encodeURIComponent(deflateRawSync(text).toString('base64'))
const posted = (xml: string): Inbound => readPost({ SAMLRequest: base64(xml) })!

test('both bindings give the same message', () => {
  const xml = request()
  const redirect = readRedirect(`x=1&SAMLRequest=${deflated(xml)}&RelayState=a%20b%2Bc`)!
  assert.equal(redirect.xml.toString(), xml)
  assert.equal(redirect.relayState, 'a b+c')
  const post = readPost({ SAMLRequest: base64(xml), RelayState: '' })!
  assert.equal(post.xml.toString(), xml)
  assert.equal(post.relayState, '')
  assert.equal(readRedirect('RelayState=x'), undefined)
  assert.equal(readPost({}), undefined)
})

test('a posted message that was deflated is read as well', () => {
  const form = { SAMLRequest: deflateRawSync(request()).toString('base64') }
  assert.equal(readPost(form)!.xml.toString(), request())
  const marked = { SAMLRequest: base64(`\uFEFF\n${request()}`) }
  assert.equal(readAuthnRequest(readPost(marked)!, []).id, '_r1')
})

test('base64 with line breaks and unencoded plus signs is read', () => {
  const text = deflateRawSync(request(' Consent="????>>>>~~~"')).toString('base64')
  assert.ok(readRedirect(`SAMLRequest=${text.replaceAll('/', '%2F').replaceAll('=', '%3D')}`))
  const lines = base64(request()).replace(/(.{76})/g, '$1\r\n')
  assert.equal(readPost({ SAMLRequest: lines })!.xml.toString(), request())
})

const BOMB = deflateRawSync(Buffer.alloc(3_000_000, 32)).toString('base64')
const unreadable: [name: string, read: () => unknown][] = [
  ['a parameter twice', () => readRedirect(`SAMLRequest=${deflated(request())}&SAMLRequest=x`)],
  [
    'RelayState twice',
    () => readRedirect(`SAMLRequest=${deflated(request())}&RelayState=&RelayState=`),
  ],
  ['a field twice', () => readPost({ SAMLRequest: ['a', 'b'] })],
  ['request and response', () => readPost({ SAMLRequest: 'a', SAMLResponse: 'b' })],
  ['bad percent encoding', () => readRedirect('SAMLRequest=%zz')],
  ['no base64', () => readPost({ SAMLRequest: '<xml>' })],
  ['nothing', () => readPost({ SAMLRequest: '' })],
  ['nothing deflated', () => readRedirect(`SAMLRequest=${encodeURIComponent(base64(request()))}`)],
  ['a deflate bomb', () => readRedirect(`SAMLRequest=${encodeURIComponent(BOMB)}`)],
  ['too much base64', () => readPost({ SAMLRequest: 'A'.repeat(65_540) })],
  [
    'an endless RelayState',
    () => readPost({ SAMLRequest: 'AAAA', RelayState: 'x'.repeat(16_385) }),
  ],
  ['another encoding', () => readRedirect(`SAMLRequest=${deflated(request())}&SAMLEncoding=gzip`)],
]
test('unreadable messages are refused', () => {
  for (const [name, read] of unreadable) assert.equal(reasonOf(read), 'unreadable', name)
})

test('all relevant fields of an AuthnRequest are read', () => {
  const xml = request(
    ' ForceAuthn="1" IsPassive="true" Destination="https://idp" AssertionConsumerServiceURL="https://sp/acs" ProtocolBinding="b" AssertionConsumerServiceIndex="3"',
    '<saml:Subject><saml:NameID>ada</saml:NameID></saml:Subject><samlp:NameIDPolicy Format="f" SPNameQualifier="q"/><samlp:RequestedAuthnContext Comparison="minimum"><saml:AuthnContextClassRef> c1 </saml:AuthnContextClassRef><saml:AuthnContextClassRef>c2</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>',
  )
  assert.deepEqual(readAuthnRequest(posted(xml), []), {
    id: '_r1',
    version: '2.0',
    issueInstant: Date.UTC(2026, 10, 15, 10),
    destination: 'https://idp',
    issuer: 'sp',
    acsUrl: 'https://sp/acs',
    acsIndex: '3',
    protocolBinding: 'b',
    forceAuthn: true,
    isPassive: true,
    nameIdPolicy: { format: 'f', spNameQualifier: 'q' },
    requestedContext: { comparison: 'minimum', classes: ['c1', 'c2'] },
    subject: 'ada',
  })
  const plain = readAuthnRequest(posted(request()), [])
  assert.deepEqual([plain.forceAuthn, plain.isPassive, plain.subject], [false, false, undefined])
})

test('only the four comparisons of RequestedAuthnContext are accepted', () => {
  const read = (comparison: string) =>
    readAuthnRequest(
      posted(
        request(
          '',
          `<samlp:RequestedAuthnContext Comparison="${comparison}"><saml:AuthnContextClassRef>c</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>`,
        ),
      ),
      [],
    )
  for (const word of ['exact', 'minimum', 'maximum', 'better'])
    assert.equal(read(word).requestedContext?.comparison, word)
  for (const word of ['', 'Exact', 'any', '__proto__', 'constructor', 'toString', 'valueOf'])
    assert.equal(
      reasonOf(() => read(word)),
      'unreadable',
      word,
    )
})

test('logout messages are read', () => {
  const frame = `${SPACES} ID="_l" Version="2.0" IssueInstant="2026-11-15T10:00:00.123+01:00"`
  const asked = readLogoutRequest(
    posted(
      `<samlp:LogoutRequest ${frame} NotOnOrAfter="2026-11-15T10:05:00Z"><saml:Issuer>sp</saml:Issuer><saml:NameID>ada</saml:NameID><samlp:SessionIndex>_s</samlp:SessionIndex></samlp:LogoutRequest>`,
    ),
    [],
  )
  assert.deepEqual([asked.nameId, asked.sessionIndexes], ['ada', ['_s']])
  assert.equal(asked.issueInstant, Date.UTC(2026, 10, 15, 9, 0, 0, 123))
  const answer = (code: string) =>
    readLogoutResponse(
      posted(
        `<samlp:LogoutResponse ${frame} InResponseTo="_q"><saml:Issuer>sp</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}"/></samlp:Status></samlp:LogoutResponse>`,
      ),
      [],
    )
  assert.deepEqual([answer('Success').success, answer('Responder').success], [true, false])
  assert.equal(answer('Success').inResponseTo, '_q')
})

const odd: [name: string, xml: string, reason: Reason][] = [
  ['another message', request().replaceAll('AuthnRequest', 'LogoutRequest'), 'wrong_message'],
  ['no ID', request().replace('ID="_r1"', ''), 'unreadable'],
  ['an ID with markup', request().replace('_r1', '&quot;&gt;&lt;script&gt;'), 'unreadable'],
  ['an ID that starts with a digit', request().replace('_r1', '1abc'), 'unreadable'],
  ['no time', request().replace(/IssueInstant="[^"]*"/, ''), 'unreadable'],
  [
    'a time in words',
    request().replace(/IssueInstant="[^"]*"/, 'IssueInstant="now"'),
    'unreadable',
  ],
  ['a foreign element', request('', '<x xmlns="urn:x"/>'), 'unreadable'],
  ['a comment', request('', '<!-- -->'), 'unreadable'],
]
test('a malformed request is refused', () => {
  for (const [name, xml, reason] of odd) {
    const found = reasonOf(() => readAuthnRequest(posted(xml), []))
    assert.equal(found, reason, name)
  }
})

test('extensions may hold anything', () => {
  const xml = request('', '<samlp:Extensions><x xmlns="urn:x"/></samlp:Extensions>')
  assert.equal(readAuthnRequest(posted(xml), []).id, '_r1')
})

// Signatures of the redirect binding ----------------------------------------------------------------------------

interface Signing {
  key?: KeyObject
  algorithm?: string
  hash?: string
}
function signedQuery(parameters: string, options: Signing = {}): string {
  const { key = sp.privateKey, algorithm = RSA_SHA256, hash = 'sha256' } = options
  const octets = `${parameters}&SigAlg=${encodeURIComponent(algorithm)}`
  const value = sign(hash, Buffer.from(octets), key).toString('base64')
  return `${octets}&Signature=${encodeURIComponent(value)}`
}
const parameters = `SAMLRequest=${deflated(request())}&RelayState=a%2fb+c`
const redirected = (query: string) =>
  reasonOf(() => readAuthnRequest(readRedirect(query)!, [old.certificate, sp.certificate]))

test('a signed query is verified over the characters as sent', () => {
  const good = signedQuery(parameters)
  assert.equal(redirected(good), 'accepted')
  assert.equal(redirected(`utm=1&${good}&more=2`), 'accepted', 'other parameters are not covered')
  // A different encoding of the same value is not what was signed.
  assert.equal(redirected(good.replace('%2f', '%2F')), 'signature_wrong')
  assert.equal(redirected(good.replace('b+c', 'b%20c')), 'signature_wrong')
})

test('a space signed as %20 and sent as a plus sign is accepted', () => {
  const signed = signedQuery(`SAMLRequest=${deflated(request())}&RelayState=the%20state`)
  assert.equal(redirected(signed.replace('the%20state', 'the+state')), 'accepted')
  assert.equal(redirected(signed.replace('the%20state', 'the%2Bstate')), 'signature_wrong')
})

const badQueries: [name: string, query: string, reason: Reason][] = [
  ['not signed', parameters, 'signature_missing'],
  ['another key', signedQuery(parameters, { key: other.privateKey }), 'signature_wrong'],
  ['RelayState changed', signedQuery(parameters).replace('a%2fb', 'evil'), 'signature_wrong'],
  [
    'RelayState taken away',
    signedQuery(parameters).replace('&RelayState=a%2fb+c', ''),
    'signature_wrong',
  ],
  [
    'RelayState added',
    `${signedQuery(`SAMLRequest=${deflated(request())}`)}&RelayState=x`,
    'signature_wrong',
  ],
  [
    'SHA-1',
    signedQuery(parameters, {
      algorithm: SIGNATURE_METHODS['RSA-SHA1'].signature,
      hash: 'sha1',
    }),
    'signature_algorithm',
  ],
  ['an unknown algorithm', signedQuery(parameters, { algorithm: 'none' }), 'signature_algorithm'],
  [
    'only an algorithm',
    `${parameters}&SigAlg=${encodeURIComponent(RSA_SHA256)}`,
    'signature_wrong',
  ],
  ['signature twice', `${signedQuery(parameters)}&Signature=AAAA`, 'unreadable'],
]
test('a query with a bad signature is refused', () => {
  for (const [name, query, reason] of badQueries) assert.equal(redirected(query), reason, name)
})

test('without a certificate a signature is ignored', () => {
  const query = signedQuery(parameters, { key: other.privateKey })
  assert.equal(readAuthnRequest(readRedirect(query)!, []).id, '_r1')
})

// Signatures within the document -----------------------------------------------------------------------------------

const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const DS = 'http://www.w3.org/2000/09/xmldsig#'
const DIGEST = SIGNATURE_METHODS['RSA-SHA256'].digest

interface Parts extends Signing {
  uri?: string
  digestMethod?: string
  digestHash?: string
  canonicalization?: string
  transforms?: string
}
const transform = (algorithm: string) => `<ds:Transform Algorithm="${algorithm}"></ds:Transform>`

/** Signs as a service provider would. The canonical forms are written by hand, independently of our code. */
function signature(canonical: string, parts: Parts = {}): string {
  const {
    uri = '#_r1',
    digestMethod = DIGEST,
    canonicalization = C14N,
    key = sp.privateKey,
  } = parts
  const transforms = parts.transforms ?? transform(`${DS}enveloped-signature`) + transform(C14N)
  const digest = createHash(parts.digestHash ?? 'sha256')
    .update(canonical)
    .digest('base64')
  const info = (space: string) =>
    `<ds:SignedInfo${space}><ds:CanonicalizationMethod Algorithm="${canonicalization}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${parts.algorithm ?? RSA_SHA256}"></ds:SignatureMethod><ds:Reference URI="${uri}"><ds:Transforms>${transforms}</ds:Transforms><ds:DigestMethod Algorithm="${digestMethod}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`
  const value = sign(parts.hash ?? 'sha256', Buffer.from(info(` xmlns:ds="${DS}"`)), key)
  const certificate = other.certificate.replace(/-----[^-]+-----|\s/g, '')
  return `<ds:Signature xmlns:ds="${DS}">${info('')}<ds:SignatureValue>${value.toString('base64')}</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`
}

const P = 'urn:oasis:names:tc:SAML:2.0:protocol'
const A = 'urn:oasis:names:tc:SAML:2.0:assertion'
const head = (id = '_r1') =>
  `<samlp:AuthnRequest xmlns:samlp="${P}" ID="${id}" IssueInstant="2026-11-15T10:00:00Z" Version="2.0">`
const issuer = `<saml:Issuer xmlns:saml="${A}">sp</saml:Issuer>`
const tail = '</samlp:AuthnRequest>'
const CANONICAL = `${head()}${issuer}${tail}`
const withSignature = (text: string) => `${head()}${issuer}${text}${tail}`
const postedReason = (xml: string) =>
  reasonOf(() => readAuthnRequest(posted(xml), [old.certificate, sp.certificate]))

test('a signed document is accepted, even if it is not in canonical form', () => {
  const good = withSignature(signature(CANONICAL))
  assert.equal(postedReason(good), 'accepted')
  const loose = good
    .replace(
      /ID="_r1" IssueInstant="([^"]+)" Version="2.0"/,
      'Version="2.0"  IssueInstant="$1"\n ID=\'_r1\'',
    )
    .replaceAll('></ds:Transform>', '/>')
  assert.equal(postedReason(loose), 'accepted')
})

test('InclusiveNamespaces prefixes are honored', () => {
  const own = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
  const start = head().replace(' ID=', ` ${own} ID=`)
  const list = `<ec:InclusiveNamespaces xmlns:ec="${C14N}" PrefixList="xs"></ec:InclusiveNamespaces>`
  const transforms =
    transform(`${DS}enveloped-signature`) +
    `<ds:Transform Algorithm="${C14N}">${list}</ds:Transform>`
  const text = signature(`${start}${issuer}${tail}`, { transforms })
  assert.equal(postedReason(`${start}${issuer}${text}${tail}`), 'accepted')
})

test('an overlong list of prefixes is refused', () => {
  const list = `<ec:InclusiveNamespaces xmlns:ec="${C14N}" PrefixList="${'a '.repeat(10_000)}"></ec:InclusiveNamespaces>`
  const transforms =
    transform(`${DS}enveloped-signature`) +
    `<ds:Transform Algorithm="${C14N}">${list}</ds:Transform>`
  assert.equal(postedReason(withSignature(signature(CANONICAL, { transforms }))), 'signature_wrong')
})

const good = signature(CANONICAL)
const badDocuments: [name: string, xml: string, reason: Reason][] = [
  ['not signed', CANONICAL, 'signature_missing'],
  [
    'another key',
    withSignature(signature(CANONICAL, { key: other.privateKey })),
    'signature_wrong',
  ],
  ['changed afterwards', withSignature(good).replace('>sp<', '>evil<'), 'signature_wrong'],
  [
    'an attribute added',
    withSignature(good).replace(' Version=', ' ForceAuthn="1" Version='),
    'signature_wrong',
  ],
  ['two signatures', withSignature(good + good), 'signature_wrong'],
  [
    'a signature deeper down',
    `${head()}${issuer}<samlp:Extensions>${good}</samlp:Extensions>${tail}`,
    'signature_wrong',
  ],
  [
    'about another element',
    withSignature(signature(CANONICAL, { uri: '#_other' })),
    'signature_wrong',
  ],
  ['about the whole document', withSignature(signature(CANONICAL, { uri: '' })), 'signature_wrong'],
  [
    'SHA-1 signature',
    withSignature(
      signature(CANONICAL, { algorithm: SIGNATURE_METHODS['RSA-SHA1'].signature, hash: 'sha1' }),
    ),
    'signature_algorithm',
  ],
  [
    'SHA-1 digest',
    withSignature(
      signature(CANONICAL, {
        digestMethod: SIGNATURE_METHODS['RSA-SHA1'].digest,
        digestHash: 'sha1',
      }),
    ),
    'signature_algorithm',
  ],
  [
    'HMAC',
    withSignature(
      signature(CANONICAL, { algorithm: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256' }),
    ),
    'signature_algorithm',
  ],
  [
    'inclusive canonicalization',
    withSignature(
      signature(CANONICAL, { canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' }),
    ),
    'signature_wrong',
  ],
  [
    'one transform',
    withSignature(signature(CANONICAL, { transforms: transform(C14N) })),
    'signature_wrong',
  ],
  [
    'an XSLT transform',
    withSignature(
      signature(CANONICAL, {
        transforms: transform('http://www.w3.org/TR/1999/REC-xslt-19991116') + transform(C14N),
      }),
    ),
    'signature_wrong',
  ],
  [
    'wrapped: the signed request within another one',
    `${head('_evil')}${issuer}<samlp:Extensions>${withSignature(good)}</samlp:Extensions>${tail}`,
    'signature_wrong',
  ],
  [
    'wrapped: the signature outside, what it is about inside',
    `${head('_evil')}${issuer}${good}<samlp:Extensions>${CANONICAL}</samlp:Extensions>${tail}`,
    'signature_wrong',
  ],
]
test('a document with a bad signature is refused', () => {
  for (const [name, xml, reason] of badDocuments) assert.equal(postedReason(xml), reason, name)
})

// Checks --------------------------------------------------------------------------------------------------------------

const NOW = Date.UTC(2026, 10, 15, 10)
const frame = {
  id: '_r1',
  version: '2.0',
  issueInstant: NOW,
  destination: 'https://idp/saml2/wiki',
  issuer: 'sp',
}
const expected = { spEntityId: 'sp', destinations: ['https://idp/saml2/wiki'], now: NOW }
const frames: [name: string, over: Partial<typeof frame>, reason: Reason | 'accepted'][] = [
  ['as it should be', {}, 'accepted'],
  ['no destination', { destination: '' }, 'accepted'],
  ['five minutes ago', { issueInstant: NOW - 300_000 }, 'accepted'],
  ['in five minutes', { issueInstant: NOW + 300_000 }, 'accepted'],
  ['longer ago', { issueInstant: NOW - 300_001 }, 'stale'],
  ['later', { issueInstant: NOW + 300_001 }, 'stale'],
  ['SAML 1.1', { version: '1.1' }, 'version_unsupported'],
  ['another issuer', { issuer: 'sp2' }, 'issuer_unknown'],
  ['no issuer', { issuer: '' }, 'issuer_unknown'],
  ['another destination', { destination: 'https://idp/saml2/other' }, 'destination_wrong'],
]
test('version, issuer, destination and time are checked', () => {
  for (const [name, over, reason] of frames) {
    const found = reasonOf(() => checkFrame({ ...frame, ...over }, expected))
    assert.equal(found, reason, name)
  }
})

const acsUrls = [
  { index: 0, isDefault: false, url: 'https://sp.example/acs' },
  { index: 7, isDefault: true, url: 'https://sp.example/acs?tenant=2' },
]
const acs = { acsUrls, defaultAcs: acsUrls[1] }
const ask = (acsUrl?: string, acsIndex?: string, protocolBinding?: string) => ({
  acsUrl,
  acsIndex,
  protocolBinding,
})

test('the response goes to a registered address', () => {
  assert.equal(chooseAcs(ask(), acs), 'https://sp.example/acs?tenant=2')
  assert.equal(chooseAcs(ask('https://sp.example/acs'), acs), 'https://sp.example/acs')
  assert.equal(chooseAcs(ask(undefined, '0'), acs), 'https://sp.example/acs')
})
const lookAlikes = [
  '',
  'https://sp.example/acs/',
  'https://sp.example/acs#x',
  'https://sp.example/acs?',
  'https://SP.example/acs',
  'https://sp.example:443/acs',
  'https://sp.example.evil.test/acs',
  'https://sp.example@evil.test/acs',
  'https://evil.test/?https://sp.example/acs',
  'http://sp.example/acs',
  'https://sp.example/a%63s',
  'https://ѕp.example/acs',
  ' https://sp.example/acs',
  'javascript:alert(1)//https://sp.example/acs',
]
test('an address that only resembles a registered one is refused', () => {
  for (const url of lookAlikes)
    assert.equal(
      reasonOf(() => chooseAcs(ask(url), acs)),
      'acs_unknown',
      url,
    )
})

test('an unknown index, no ACS URL at all and another binding are refused', () => {
  assert.equal(
    reasonOf(() => chooseAcs(ask(undefined, '1'), acs)),
    'acs_unknown',
  )
  const none = { acsUrls: [], defaultAcs: undefined }
  assert.equal(
    reasonOf(() => chooseAcs(ask(), none)),
    'not_configured',
  )
  assert.equal(
    reasonOf(() => checkResponseBinding(ask())),
    'accepted',
  )
  assert.equal(
    reasonOf(() => checkResponseBinding(ask(undefined, undefined, BINDING.post))),
    'accepted',
  )
  const artifact = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact'
  const refused = reasonOf(() => checkResponseBinding(ask(undefined, undefined, artifact)))
  assert.equal(refused, 'binding_unsupported')
})
