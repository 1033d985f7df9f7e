import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { sql } from '../platform/db/sql.ts'
import { AppError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { DEFAULT_LIMITS } from '../platform/limits.ts'
import { makeKeyPair } from '../platform/x509/certificate.ts'
import { followMetadataJob } from './job-definitions.ts'
import { readSpMetadata as readWithin } from './sp-metadata.ts'

const readSpMetadata = (xml: string, wanted?: string, now?: number) =>
  readWithin(xml, DEFAULT_LIMITS.metadata, wanted, now)

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const signing = (await makeKeyPair('signing', 'SP', new Date())).certificate
const encryption = (await makeKeyPair('encryption', 'SP', new Date())).certificate
const bare = (pem: string) => pem.replace(/-----[^-]+-----/g, '').trim()

const key = (use: string, pem: string, methods = '') => `<md:KeyDescriptor${use}>
  <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>
    ${bare(pem)}
  </ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods}</md:KeyDescriptor>`
const acs = (attributes: string, binding = POST) =>
  `<md:AssertionConsumerService Binding="${binding}" ${attributes}/>`
const service = acs('Location="https://sp.example.com/acs" index="0"')

const entity = (content: string, { attributes = '', entityId = 'https://sp.example.com' } = {}) =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
    <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" ${attributes}>${content}</md:SPSSODescriptor>
  </md:EntityDescriptor>`

test('a small document yields only the settings it specifies', () => {
  assert.deepEqual(readSpMetadata(`<?xml version="1.0"?>\n<!-- ours -->${entity(service)}`), {
    spEntityId: 'https://sp.example.com',
    acsUrl: 'https://sp.example.com/acs',
  })
})

test('a full document yields all settings', () => {
  const gcm = 'http://www.w3.org/2009/xmlenc11#aes128-gcm'
  const cbc = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'
  const methods = [cbc, gcm].map((name) => `<md:EncryptionMethod Algorithm="${name}"/>`).join('')
  const content = [
    key(' use="encryption"', encryption, methods),
    key(' use="signing"', signing),
    `<md:SingleLogoutService Binding="${POST}" Location="https://sp.example.com/slo/post"/>`,
    `<md:SingleLogoutService Binding="${REDIRECT}" Location="https://sp.example.com/slo" ResponseLocation="https://sp.example.com/slo/done"/>`,
    '<md:NameIDFormat>urn:example:unknown</md:NameIDFormat>',
    `<md:NameIDFormat> ${EMAIL} </md:NameIDFormat>`,
    acs('Location="https://sp.example.com/artifact" index="9"', `${POST}-Artifact`),
    acs('Location="https://sp.example.com/acs/1" index="1"'),
    acs('Location="https://sp.example.com/acs/2?a=1&amp;b=2" index="2" isDefault="true"'),
    `<md:AttributeConsumingService index="0"><md:ServiceName xml:lang="en">SP</md:ServiceName>
      <md:RequestedAttribute Name="urn:oid:0.9.2342.19200300.100.1.3" FriendlyName="mail"/>
      <md:RequestedAttribute Name="custom:first" FriendlyName="givenName"/>
      <md:RequestedAttribute Name="urn:example:unheard-of"/>
      <md:RequestedAttribute Name="constructor" FriendlyName="__proto__"/>
    </md:AttributeConsumingService>`,
  ].join('\n')
  const attributes = 'AuthnRequestsSigned="true" WantAssertionsSigned="true"'
  const settings = readSpMetadata(entity(content, { attributes }))
  assert.deepEqual(JSON.parse(String(settings.acsUrl)), [
    { index: '1', isDefault: 'false', url: 'https://sp.example.com/acs/1' },
    { index: '2', isDefault: 'true', url: 'https://sp.example.com/acs/2?a=1&b=2' },
  ])
  assert.deepEqual(
    { ...settings, acsUrl: undefined },
    {
      spEntityId: 'https://sp.example.com',
      acsUrl: undefined,
      sloUrl: 'https://sp.example.com/slo',
      sloBinding: 'HTTP-Redirect',
      sloResponseUrl: 'https://sp.example.com/slo/done',
      spCertificate: signing,
      spEncryptionCertificate: encryption,
      encryptionAlgorithm: 'AES128-GCM',
      overrideNameIdFormat: EMAIL,
      signAssertion: true,
      databaseAttributes: [
        { name: 'urn:oid:0.9.2342.19200300.100.1.3', value: 'email' },
        { name: 'custom:first', value: 'firstname' },
      ],
    },
  )
})

test('the logout binding can be POST only', () => {
  const post = `<md:SingleLogoutService Binding="${POST}" Location="https://sp.example.com/slo"/>`
  const soap = `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP" Location="https://sp.example.com/soap"/>`
  const { sloUrl, sloBinding, sloResponseUrl } = readSpMetadata(entity(soap + post + service))
  assert.deepEqual(
    { sloUrl, sloBinding, sloResponseUrl },
    { sloUrl: 'https://sp.example.com/slo', sloBinding: 'HTTP-POST', sloResponseUrl: '' },
  )
  assert.equal(readSpMetadata(entity(soap + service)).sloUrl, undefined)
})

test('a certificate is imported only if it does not break sign-ins', () => {
  const both = readSpMetadata(entity(key('', signing) + service))
  assert.deepEqual(Object.keys(both), ['spEntityId', 'acsUrl'])
  const signs = readSpMetadata(
    entity(key('', signing) + service, { attributes: 'AuthnRequestsSigned="1"' }),
  )
  assert.equal(signs.spCertificate, signing)
  assert.equal(signs.spEncryptionCertificate, undefined)
})

test('all signing keys are imported, those with an explicit use first', () => {
  const content = key('', encryption) + key(' use="signing"', signing) + service
  const { spCertificate } = readSpMetadata(
    entity(content, { attributes: 'AuthnRequestsSigned="true"' }),
  )
  assert.equal(spCertificate, signing + encryption)
})

test('expired metadata is refused with its date, wherever that stands', () => {
  const until = 'validUntil="2026-01-31T12:00:00Z"'
  const documents = [
    entity(service, { attributes: until }),
    entity(service).replace('<md:EntityDescriptor', `<md:EntityDescriptor ${until}`),
    `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ${until}>${entity(service)}</md:EntitiesDescriptor>`,
  ]
  for (const xml of documents) {
    assert.throws(
      () => readSpMetadata(xml, undefined, Date.parse('2026-02-01T00:00:00Z')),
      (error) =>
        error instanceof AppError &&
        error.reason === 'sp_metadata_expired' &&
        error.message.includes('2026-01-31T12:00:00.000Z'),
    )
    const before = readSpMetadata(xml, undefined, Date.parse('2026-01-31T11:59:59Z'))
    assert.equal(before.spEntityId, 'https://sp.example.com')
  }
})

test('the named service provider of a federation is read', () => {
  const [a, b] = ['https://a.example.com', 'https://b.example.com']
  const federation = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">
    ${entity(service, { entityId: a })}
    <md:EntitiesDescriptor>${entity(service, { entityId: b })}</md:EntitiesDescriptor>
    <md:EntityDescriptor entityID="https://idp.example.com"/>
  </md:EntitiesDescriptor>`
  assert.equal(readSpMetadata(federation, b).spEntityId, b)
  const refusedWith = (wanted?: string) => {
    try {
      readSpMetadata(federation, wanted)
    } catch (error) {
      return (error as AppError).message
    }
    return ''
  }
  assert.match(refusedWith(), /^entityId: .*a\.example\.com, https:\/\/b\.example\.com/)
  assert.match(refusedWith('https://c.example.com'), /^entityId:/)
})

const refused: [string, string][] = [
  ['text', 'hello'],
  ['another kind of document', '<a/>'],
  [
    'metadata of an identity provider',
    '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="x"><IDPSSODescriptor/></EntityDescriptor>',
  ],
  ['no place for responses', entity('')],
  ['only places of another binding', entity(acs('Location="https://sp.example.com"', REDIRECT))],
  ['a document type', `<!DOCTYPE a [<!ENTITY x "y">]>${entity(service)}`],
  ['an instruction', `${entity(service)}<?php exit ?>`],
  ['a broken certificate', entity(key(' use="encryption"', 'nonsense') + service)],
  ['a document without end', `<a>${'x'.repeat(1_100_000)}</a>`],
]
for (const [name, xml] of refused)
  test(`refuses ${name}`, () =>
    assert.throws(
      () => readSpMetadata(xml),
      (error) => error instanceof AppError && error.kind === 'invalid',
    ))

async function newApplication(org: Org) {
  const res = await org.post('/api/applications', {
    name: 'saml2',
    displayLabel: 'SP',
    displayName: 'SP',
    ssoUrl: `sp-${newId()}`,
    config: {
      acsUrl: { value: 'https://before.example.com/acs' },
      defaultTargetUrl: { value: '/start' },
    },
  })
  const { id } = res.json()
  return { id, url: `/api/v2/applications/${id}/spmetadata` }
}

const answers = new Map<string, [status: number, body: string]>()
const server = createServer((request, response) => {
  const [status, body] = answers.get(request.url ?? '') ?? [404, '']
  response.writeHead(status).end(body)
}).listen(0, '127.0.0.1')
after(() => server.close())
const addressOf = (path: string) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

test('settings are imported from text, from the body itself, and from a URL', async () => {
  const org = await app.newOrganization()
  const xml = entity(service)
  answers.set('/metadata', [200, xml])
  const raw = { 'content-type': 'application/samlmetadata+xml' }
  const calls: ((url: string) => ReturnType<Org['post']>)[] = [
    (url) => org.post(url, { xml }),
    (url) => org.post(url, xml, raw),
    (url) => org.post(url, xml, { 'content-type': 'text/xml; charset=utf-8' }),
    (url) => org.post(url, { url: addressOf('/metadata') }),
  ]
  for (const call of calls) {
    const { id, url } = await newApplication(org)
    const preview = await call(`${url}?preview=true`)
    assert.equal(preview.statusCode, 200, preview.body)
    assert.equal(preview.json().config.spEntityId.value, 'https://sp.example.com')
    const untouched = (await org.get(`/api/applications/${id}`)).json()
    assert.equal(untouched.config.spEntityId.value, '')

    const saved = await call(url)
    assert.equal(saved.statusCode, 200, saved.body)
    const record = (await org.get(`/api/applications/${id}`)).json()
    assert.deepEqual(record, saved.json())
    assert.equal(record.config.spEntityId.value, 'https://sp.example.com')
    assert.equal(record.config.acsUrl.value, 'https://sp.example.com/acs')
    // Other settings stay.
    assert.equal(record.config.defaultTargetUrl.value, '/start')
    const last = (await org.events()).at(-1)!
    assert.equal(last.event_type, 'application_update')
    assert.deepEqual(last.changes, [
      {
        field: 'config.acsUrl',
        from: 'https://before.example.com/acs',
        to: 'https://sp.example.com/acs',
      },
      { field: 'config.spEntityId', to: 'https://sp.example.com' },
    ])
  }
})

test('imported settings are validated like those of a request', async () => {
  const org = await app.newOrganization()
  const { url } = await newApplication(org)
  answers.set('/error', [500, 'no'])
  answers.set('/huge', [200, 'x'.repeat(1_100_000)])
  const script = entity(acs('Location="javascript:alert(1)" index="0"'))
  const cases: [object, RegExp, string][] = [
    [{}, /^url, xml:/, 'bad_import'],
    [{ url: addressOf('/x'), xml: 'x' }, /^url, xml:/, 'bad_import'],
    [{ xml: 'nonsense' }, /well-formed/, 'xml_malformed'],
    [{ xml: script }, /^config\.acsUrl:/, 'bad_config'],
    [{ url: addressOf('/missing') }, /^url: .*404/, 'sp_metadata_unavailable'],
    [{ url: addressOf('/error') }, /^url: .*500/, 'sp_metadata_unavailable'],
    [{ url: addressOf('/huge') }, /^url:/, 'sp_metadata_unavailable'],
    [{ url: 'http://10.0.0.1/metadata' }, /^url:/, 'sp_metadata_unavailable'],
    [{ url: 'file:///etc/passwd' }, /^url:/, 'sp_metadata_unavailable'],
  ]
  for (const [body, message, reason] of cases) {
    const res = await org.post(url, body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  const bookmark = await org.post('/api/applications', {
    name: 'bookmark',
    ssoUrl: 'https://wiki.example.com',
  })
  const onBookmark = `/api/v2/applications/${bookmark.json().id}/spmetadata`
  assert.equal((await org.post(onBookmark, { xml: entity(service) })).statusCode, 400)
})

const FULL = { attributes: 'AuthnRequestsSigned="true"' }
const full = [
  key(' use="signing"', signing),
  key(' use="encryption"', encryption),
  `<md:SingleLogoutService Binding="${POST}" Location="https://sp.example.com/slo"/>`,
  '<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>',
  service,
].join('')

test('what the next import does not mention falls back, except settings of the administrator', async () => {
  const org = await app.newOrganization()
  const { id, url } = await newApplication(org)
  const initial = (await org.get(`/api/applications/${id}`)).json().config
  const first = (await org.post(url, { xml: entity(full, FULL) })).json().config
  const names = ['spCertificate', 'spEncryptionCertificate', 'overrideNameIdFormat', 'sloUrl']
  for (const name of [...names, 'sloBinding'])
    assert.notEqual(first[name].value, initial[name].value, name)
  const second = (await org.post(url, { xml: entity(service) })).json().config
  for (const name of [...names, 'sloBinding'])
    assert.equal(second[name].value, initial[name].value, name)
  assert.equal(second.defaultTargetUrl.value, '/start')
})

test('a followed URL is read again by a job, and a failure is shown until it is over', async () => {
  const org = await app.newOrganization()
  const { id, url } = await newApplication(org)
  const nothing = (await org.get(url)).json()
  assert.deepEqual(nothing, {
    entityId: null,
    importedAt: null,
    followedUrl: null,
    checkedAt: null,
    error: null,
  })
  const address = addressOf('/followed')
  answers.set('/followed', [200, entity(full, FULL)])
  assert.equal((await org.post(url, { url: address, follow: true })).statusCode, 200)
  assert.equal((await org.get(url)).json().followedUrl, address)
  const run = async () => {
    await app.db.tx(org.organizationId, async (tx) => {
      await tx.run(sql`
        update application_sp_metadata set imported_at = now() - interval '7 hours', checked_at = null
         where organization_id = ${org.organizationId} and application_id = ${id}`)
      await app.queue.send(tx, followMetadataJob, {})
    })
    await app.runDueJobs()
  }
  const settingOf = async (name: string) =>
    (await org.get(`/api/applications/${id}`)).json().config[name].value

  answers.set('/followed', [200, entity(acs('Location="https://sp.example.com/new" index="0"'))])
  await run()
  assert.equal(await settingOf('acsUrl'), 'https://sp.example.com/new')
  assert.equal(await settingOf('spCertificate'), '')
  assert.ok((await org.get(url)).json().checkedAt)

  // Another service provider at the same address is not followed.
  answers.set('/followed', [200, entity(service, { entityId: 'https://evil.example.com' })])
  await run()
  assert.match((await org.get(url)).json().error, /entityId/)
  assert.equal(await settingOf('acsUrl'), 'https://sp.example.com/new')
  await run()
  const failures = (await org.events()).filter(({ success }) => success === false)
  assert.equal(failures.length, 1)

  answers.set('/followed', [200, entity(service)])
  await run()
  assert.equal((await org.get(url)).json().error, null)
  assert.equal(await settingOf('acsUrl'), 'https://sp.example.com/acs')
  const stopped = (await org.delete(url)).json()
  assert.equal(stopped.followedUrl, null)

  for (const body of [
    { xml: entity(service), follow: true },
    { url: 'http://sp.example.com/metadata', follow: true },
  ]) {
    const res = await org.post(url, body)
    assert.equal(res.json().reason, 'bad_import', res.body)
  }
})

test('a document that is expensive to parse is refused before it is parsed', async () => {
  const org = await app.newOrganization()
  const { url } = await newApplication(org)
  const names = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, at) => ` ${prefix}${at}="u"`).join('')
  const cases: [xml: string, message: RegExp, reason: string][] = [
    [`<a>${'<?p?>'.repeat(52_000)}</a>`, /processing instruction/, 'xml_instruction'],
    [`<a>${'<!---->'.repeat(37_000)}</a>`, /more than 200 comments/, 'xml_too_many_comments'],
    [`<a>${'<b/>'.repeat(50_000)}</a>`, /more than 1000 elements/, 'xml_too_many_elements'],
    [`<a${names(20_000, 'b')}/>`, /more than 50 attributes/, 'xml_too_many_attributes'],
    [`<a${names(15_000, 'xmlns:b')}/>`, /more than 50 attributes/, 'xml_too_many_attributes'],
    [
      `<a>${'<b xmlns="u"/>'.repeat(300)}</a>`,
      /more than 200 namespace declarations/,
      'xml_too_many_namespaces',
    ],
    [`${'<a>'.repeat(35_000)}${'</a>'.repeat(35_000)}`, /deeper than 32/, 'xml_too_deep'],
    [`<a>${' '.repeat(262_144)}</a>`, /larger than 262144 bytes/, 'xml_too_large'],
  ]
  for (const [xml, message, reason] of cases) {
    const res = await org.post(url, { xml })
    assert.equal(res.statusCode, 400)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
})

test('importing requires the update scope', async () => {
  const org = await app.newOrganization()
  const { url } = await newApplication(org)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const other = await app.newOrganization()
  assert.equal((await reader.post(url, { xml: entity(service) })).statusCode, 403)
  assert.equal((await other.post(url, { xml: entity(service) })).statusCode, 404)
})
