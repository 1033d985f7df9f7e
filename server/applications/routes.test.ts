import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { makeKeyPair } from '../platform/x509/certificate.ts'
import { TEMPLATES } from './catalogue.ts'
import { purgeApplicationsJob } from './job-definitions.ts'

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const URL = '/api/applications'
const ACS = 'https://crm.example.com/saml/acs'

/** RSA-512: too short to wrap a content key. */
const SHORT = execFileSync(
  'openssl',
  'req -x509 -newkey rsa:512 -nodes -keyout /dev/null -subj /CN=x -days 2'.split(' '),
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
)

const bodyWith = (changes: object = {}) => ({
  name: 'saml2',
  displayLabel: 'CRM',
  displayName: 'Customers',
  ssoUrl: `https://sso.example.com/saml2/crm-${newId()}`,
  config: { acsUrl: { value: ACS }, spEntityId: { value: 'https://crm.example.com' } },
  ...changes,
})

async function create(org: Org, changes: object = {}) {
  const res = await org.post(URL, bodyWith(changes))
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const certificateOf = (record: { config: { idpCertificate: { value: string } } }) =>
  new X509Certificate(Buffer.from(record.config.idpCertificate.value, 'base64'))

test('the custom template starts with the format emailAddress, if the subject is one', async () => {
  const org = await app.newOrganization()
  const formatFor = async (config: object) =>
    (
      await create(org, { config: { acsUrl: { value: ACS }, ...config } })
    ).config.overrideNameIdFormat.value
      .split(':')
      .at(-1)
  assert.equal(await formatFor({}), 'emailAddress')
  assert.equal(await formatFor({ subjectField: { value: 'alternateEmail' } }), 'emailAddress')
  const username = { subjectField: { value: 'username' } }
  assert.equal(await formatFor(username), 'unspecified')
  const value = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
  assert.equal(await formatFor({ ...username, overrideNameIdFormat: { value } }), 'emailAddress')
})

test('an application is created from a template, with its own certificate', async () => {
  const org = await app.newOrganization()
  const made = await create(org, { active: true, description: 'All our customers' })
  assert.equal(made._id, made.id)
  assert.equal(made.organization, org.organizationId)
  assert.equal(made.active, true)
  assert.equal(made.sso.type, 'saml')
  assert.deepEqual(made.databaseAttributes, [
    { name: 'email', value: 'email' },
    { name: 'firstname', value: 'firstname' },
    { name: 'lastname', value: 'lastname' },
  ])
  assert.equal(made.config.acsUrl.value, ACS)
  // Missing settings and members come from the template.
  assert.equal(made.config.acsUrl.label, 'ACS URL:')
  assert.equal(made.config.acsUrl.required, true)
  assert.equal(made.config.acsUrl.toggle, null)
  assert.equal(made.config.signAssertion.value, true)
  assert.equal(made.config.signResponse.value, false)
  assert.equal(made.config.idpPrivateKey.value, '')
  const slug = made.ssoUrl.split('/').at(-1)
  assert.equal(made.config.idpEntityId.value, `${app.config.publicUrl}/saml2/${slug}/metadata`)

  const certificate = certificateOf(made)
  assert.equal(certificate.validToDate.toISOString(), made.sso.idpCertExpirationAt)
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.modulusLength, 2048)

  assert.deepEqual((await org.get(`${URL}/${made.id}`)).json(), made)
  const [event] = await org.events()
  assert.equal(event!.event_type, 'application_create')
  assert.deepEqual(event!.resource, { type: 'application', id: made.id, name: 'crm' })
  const changes = event!.changes as { field: string; to?: unknown }[]
  assert.deepEqual(
    changes.find(({ field }) => field === 'config.idpPrivateKey'),
    {
      field: 'config.idpPrivateKey',
    },
  )
  assert.equal(changes.find(({ field }) => field === 'config.acsUrl')?.to, ACS)
})

test('acsUrl.value alone is enough; a null entry counts as not sent', async () => {
  const org = await app.newOrganization()
  const { config } = await create(org, { config: { acsUrl: { value: ACS }, signResponse: null } })
  assert.equal(config.acsUrl.value, ACS)
  assert.equal(config.spEntityId.value, '')
})

test('ssoUrl may be a slug alone; it is stored as sent', async () => {
  const org = await app.newOrganization()
  const ssoUrl = `Slug-${newId()}`
  assert.equal((await create(org, { ssoUrl })).ssoUrl, ssoUrl)
})

const badBodies: [string, object, RegExp][] = [
  ['no name', { name: undefined }, /^name:/],
  ['an unknown template', { name: 'nothing' }, /^name: .*"nothing"/],
  ['no label', { displayLabel: undefined }, /^displayLabel:/],
  ['an empty display name', { displayName: '' }, /^displayName:/],
  ['no address', { ssoUrl: undefined }, /^ssoUrl: the IdP URL is required/],
  ['an address without a slug', { ssoUrl: 'https://sso.example.com/' }, /^ssoUrl:/],
  ['a slug with spaces', { ssoUrl: 'my app' }, /^ssoUrl:/],
  ['a reserved slug', { ssoUrl: 'https://sso.example.com/saml2/test-sp' }, /^ssoUrl: .*reserved/],
  ['no settings', { config: undefined }, /^config:/],
  ['settings that are no object', { config: 'x' }, /config/],
  ['a long description', { description: 'x'.repeat(257) }, /description/],
  ['an unknown color', { color: '#123456' }, /color/],
  ['a script to learn more', { learnMore: 'javascript:alert(1)' }, /learnMore/],
  ['a script as address', { ssoUrl: 'javascript:alert(1)//app-of-script' }, /^ssoUrl:/],
  ['a number for active', { active: 1 }, /active/],
]
const badConfigs: [string, object, RegExp][] = [
  ['an unknown setting', { colour: { value: 'x' } }, /^config\.colour: .*"saml2"/],
  ['a setting that is no object', { acsUrl: ACS }, /^config\.acsUrl:/],
  ['a number as text', { spEntityId: { value: 7 } }, /^config\.spEntityId: must be a string/],
  ['an empty ACS', { acsUrl: { value: '' } }, /^config\.acsUrl: must not be empty/],
  ['an ACS of script', { acsUrl: { value: 'javascript:alert(1)' } }, /^config\.acsUrl:/],
  ['an ACS without scheme', { acsUrl: { value: 'crm.example.com' } }, /^config\.acsUrl:/],
  ['an ACS with a password', { acsUrl: { value: 'https://a:b@c.example' } }, /^config\.acsUrl:/],
  ['an ACS with a fragment', { acsUrl: { value: `${ACS}#x` } }, /^config\.acsUrl:/],
  ['an ACS with a line break', { acsUrl: { value: `${ACS}/a\nb` } }, /^config\.acsUrl: .*line br/],
  ['a logout address with a space', { sloUrl: { value: `${ACS}/a b` } }, /^config\.sloUrl:/],
  [
    'an address of script for answers to a logout',
    { sloResponseUrl: { value: 'javascript:alert(1)' } },
    /^config\.sloResponseUrl:/,
  ],
  ['an unknown binding', { sloBinding: { value: 'SOAP' } }, /^config\.sloBinding: .*HTTP-POST/],
  [
    'a login address beyond ASCII',
    { idpInitUrl: { value: `${ACS}/日本` } },
    /^config\.idpInitUrl:/,
  ],
  ['a placeholder', { acsUrl: { value: 'https://{you}.example.com' } }, /acsUrl: replace .*braces/],
  ['a list that is no JSON', { acsUrl: { value: '[{' } }, /^config\.acsUrl:/],
  ['an empty list', { acsUrl: { value: '[]' } }, /^config\.acsUrl:/],
  [
    'an index without a number',
    { acsUrl: { value: JSON.stringify([{ index: { valueOf: 1, toString: 1 }, url: ACS }]) } },
    /^config\.acsUrl:/,
  ],
  [
    'a mode without a text',
    { authClaimConfiguration: { authnContextMode: { value: { toString: 1 } } } },
    /authnContextMode/,
  ],
  [
    'an index twice',
    { acsUrl: { value: JSON.stringify([0, 0].map((index) => ({ index, url: ACS }))) } },
    /^config\.acsUrl: two URLs/,
  ],
  [
    'two defaults',
    {
      acsUrl: {
        value: JSON.stringify([0, 1].map((index) => ({ index, isDefault: 'true', url: ACS }))),
      },
    },
    /^config\.acsUrl: only one/,
  ],
  ['a control character', { spEntityId: { value: 'a\u0001b' } }, /^config\.spEntityId:/],
  ['half a character', { spEntityId: { value: '\ud800' } }, /^config\.spEntityId:/],
  [
    'an unknown option',
    { signatureAlgorithm: { value: 'RSA-SHA1' } },
    /signatureAlgorithm: .*RSA-SHA256/,
  ],
  ['a word as a switch', { signResponse: { value: 'yes' } }, /^config\.signResponse: must be true/],
  ['nothing signed', { signAssertion: { value: false } }, /^config\.signAssertion:/],
  ['a bad certificate', { spCertificate: { value: 'x' } }, /^config\.spCertificate: not an X\.509/],
  [
    'a certificate with a short key',
    { spEncryptionCertificate: { value: SHORT } },
    /^config\.spEncryptionCertificate: .*1024 bits/,
  ],
  [
    'a nameless attribute',
    { constantAttributes: { value: [{ value: 'x' }] } },
    /constantAttributes\[0\]\.name/,
  ],
  [
    'attributes that are no list',
    { databaseAttributes: { value: 'x' } },
    /^config\.databaseAttributes:/,
  ],
  [
    'an attribute of nothing',
    { databaseAttributes: [{ name: 'a', value: '' }] },
    /databaseAttributes\[0\]\.value/,
  ],
  [
    'an unknown mode',
    { authClaimConfiguration: { authnContextMode: { value: 'x' } } },
    /authnContextMode/,
  ],
  [
    'a mapping without methods',
    { authClaimConfiguration: { authnContextMappings: { value: [{ authnContext: 'x' }] } } },
    /authnContextMappings\[0\]\.methods/,
  ],
  [
    'a method that is no name',
    {
      authClaimConfiguration: {
        authnContextMappings: { value: [{ methods: ['\0'], authnContext: 'x' }] },
      },
    },
    /authnContextMappings\[0\]\.methods/,
  ],
  [
    'too many mappings',
    {
      authClaimConfiguration: {
        authnContextMappings: {
          value: Array.from({ length: 101 }, () => ({ methods: ['pwd'], authnContext: 'x' })),
        },
      },
    },
    /authnContextMappings: must have at most 100/,
  ],
  ['a key without its certificate', { idpPrivateKey: { value: 'x' } }, /^config\.idpCertificate:/],
]

test('invalid requests are refused in the standard form, which names the field', async () => {
  const org = await app.newOrganization()
  const cases = [
    ...badBodies.map(([name, changes, message]) => [name, bodyWith(changes), message] as const),
    ...badConfigs.map(([name, config, message]) => [name, bodyWith({ config }), message] as const),
  ]
  for (const [name, body, message] of cases) {
    const res = await org.post(URL, body)
    assert.equal(res.statusCode, 400, name)
    const { status, code, error, message: text } = res.json()
    assert.deepEqual([status, code], [400, 400], name)
    assert.equal(error, text)
    assert.match(text, message, name)
  }
  assert.deepEqual(await org.events(), [])
  assert.equal((await org.get(URL)).json().totalCount, 0)
})

test('a slug is unique in the installation, whatever its case', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const slug = `shared-${newId()}`
  const first = await create(org, { ssoUrl: `https://sso.example.com/saml2/${slug}` })
  const res = await other.post(URL, bodyWith({ ssoUrl: slug.toUpperCase() }))
  assert.equal(res.statusCode, 400)
  assert.match(res.json().message, /^ssoUrl: another application/)
  assert.equal(res.json().reason, 'bad_sso_url')
  const mine = await create(other)
  const taken = await other.put(`${URL}/${mine.id}`, { ...mine, ssoUrl: slug })
  assert.equal(taken.statusCode, 400)
  assert.match(taken.json().message, /^ssoUrl:/)
  assert.equal(taken.json().reason, 'bad_sso_url')
  // Once deleted, the slug is free for its own organization.
  assert.equal((await org.delete(`${URL}/${first.id}`)).statusCode, 200)
  await create(org, { ssoUrl: slug })
  const back = await org.post(`${URL}/${first.id}/restore`)
  assert.equal(back.statusCode, 409)
  assert.match(back.json().message, /^ssoUrl:/)
  assert.equal(back.json().reason, 'slug_taken')
})

const keptDays = async (slug: string) =>
  (await app.db.one<{ days: number }>(
    sql`select round(extract(epoch from kept_until - now()) / 86400)::int as days from application_slugs where slug = ${slug}`,
  ))!.days

test('a slug released by deletion or change stays reserved for its organization', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const [deleted, changed] = [`deleted-${newId()}`, `changed-${newId()}`]
  const gone = await create(org, { ssoUrl: deleted })
  const moved = await create(org, { ssoUrl: changed })
  await org.delete(`${URL}/${gone.id}`)
  const days = await org.put('/insights/directory/v1/retention', { days: 400 })
  assert.equal(days.statusCode, 200, days.body)
  const put = await org.put(`${URL}/${moved.id}`, { ...moved, ssoUrl: `moved-${newId()}` })
  assert.equal(put.statusCode, 200, put.body)
  assert.deepEqual([await keptDays(deleted), await keptDays(changed)], [90, 400])
  const purge = async () => {
    await app.db.tx(org.organizationId, (tx) => app.queue.send(tx, purgeApplicationsJob, {}))
    await app.runDueJobs()
  }
  await purge()
  for (const ssoUrl of [deleted, changed]) {
    assert.equal((await app.anonymous.get(`/saml2/${ssoUrl}/metadata`)).statusCode, 404)
    const refused = await other.post(URL, bodyWith({ ssoUrl }))
    assert.equal(refused.statusCode, 400)
    assert.match(refused.json().message, /^ssoUrl: another application/)
    assert.equal(refused.json().reason, 'bad_sso_url')
  }
  // Still reserved after the application is purged.
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute('delete from applications where id = $1', [gone.id]),
  )
  assert.equal((await other.post(URL, bodyWith({ ssoUrl: deleted }))).statusCode, 400)
  await create(org, { ssoUrl: deleted })
  assert.equal((await app.anonymous.get(`/saml2/${deleted}/metadata`)).statusCode, 200)
  await app.db.run(
    sql`update application_slugs set kept_until = now() - interval '1 second' where slug = ${changed}`,
  )
  await purge()
  assert.equal(
    await app.db.one(sql`select 1 from application_slugs where slug = ${changed}`),
    undefined,
  )
  await create(other, { ssoUrl: changed })
})

test('of two concurrent requests for a slug, one gets it', async () => {
  const org = await app.newOrganization()
  const ssoUrl = `race-${newId()}`
  const results = await Promise.all([0, 1, 2].map(() => org.post(URL, bodyWith({ ssoUrl }))))
  assert.deepEqual(results.map(({ statusCode }) => statusCode).sort(), [200, 400, 400])
  assert.equal((await org.get(URL)).json().totalCount, 1)
})

test('sending a record back changes nothing', async () => {
  const org = await app.newOrganization()
  const pairs = [{ name: 'mail', value: 'email' }]
  const made = await create(org, {
    color: '#FF6C03',
    sso: { hidden: true, jit: 'false' },
    referenceApplications: [{ id: newId(), orgId: newId() }],
    config: {
      acsUrl: {
        value: JSON.stringify([
          { index: '0', isDefault: 'false', url: ACS },
          { index: '1', isDefault: 'true', url: `${ACS}/2` },
        ]),
      },
      databaseAttributes: { value: pairs },
      constantAttributes: { value: [{ name: 'role', value: 'member' }] },
      authClaimConfiguration: {
        sendAmrClaim: { value: 'true' },
        authnContextMode: { value: 'MAPPING' },
      },
    },
  })
  assert.deepEqual(made.databaseAttributes, pairs)
  assert.deepEqual(made.logo, { color: '#FF6C03', url: '' })
  assert.equal(made.sso.hidden, true)
  assert.equal(made.sso.jit, false)
  assert.deepEqual(made.config.constantAttributes.value, [
    { name: 'role', value: 'member', readOnly: false, required: false, visible: true },
  ])
  assert.equal(made.config.authClaimConfiguration.sendAmrClaim.value, true)
  assert.equal(made.config.authClaimConfiguration.authnContextMode.value, 'mapping')
  const put = await org.put(`${URL}/${made.id}`, made)
  assert.equal(put.statusCode, 200, put.body)
  assert.deepEqual(put.json(), made)
  assert.deepEqual(await org.eventTypes(), ['application_create'])
})

test('user attributes are in two places; the changed one counts', async () => {
  const org = await app.newOrganization()
  const made = await create(org, { databaseAttributes: [{ name: 'a', value: 'email' }] })
  assert.deepEqual(made.config.databaseAttributes.value, [{ name: 'a', value: 'email' }])
  const put = async (changes: object) =>
    (await org.put(`${URL}/${made.id}`, { ...made, ...changes })).json().databaseAttributes
  const b = [{ name: 'b', value: 'username' }]
  assert.deepEqual(await put({ databaseAttributes: b }), b)
  const c = [{ name: 'c', value: 'lastname' }]
  const record = (await org.get(`${URL}/${made.id}`)).json()
  const config = { ...record.config, databaseAttributes: { value: c } }
  const res = await org.put(`${URL}/${made.id}`, { ...record, config })
  assert.deepEqual(res.json().databaseAttributes, c)
})

test('PUT replaces: missing members take their defaults, the template and ssoUrl stay', async () => {
  const org = await app.newOrganization()
  const made = await create(org, { active: true, description: 'x', sso: { hidden: true } })
  const res = await org.put(`${URL}/${made.id}`, { name: 'bookmark', config: {} })
  assert.equal(res.statusCode, 200, res.body)
  const after = res.json()
  assert.equal(after.name, 'saml2')
  assert.equal(after.ssoUrl, made.ssoUrl)
  assert.equal(after.active, false)
  assert.equal(after.description, '')
  assert.equal(after.displayLabel, TEMPLATES.get('saml2')!.displayName)
  assert.equal(after.sso.hidden, false)
  assert.equal(after.config.spEntityId.value, '')
  assert.notEqual(after.config.idpCertificate.value, made.config.idpCertificate.value)
  const [, event] = await org.events()
  assert.equal(event!.event_type, 'application_update')
  const changes = event!.changes as { field: string; from?: unknown; to?: unknown }[]
  assert.deepEqual(
    changes.find(({ field }) => field === 'active'),
    {
      field: 'active',
      from: true,
      to: false,
    },
  )
  assert.deepEqual(
    changes.find(({ field }) => field === 'config.idpPrivateKey'),
    {
      field: 'config.idpPrivateKey',
    },
  )
})

test('a custom certificate is accepted with its key, and the key is never shown', async () => {
  const org = await app.newOrganization()
  const pair = await makeKeyPair('own', 'Own', new Date())
  app.secrets.add(pair.privateKey.split('\n')[3]!)
  const config = {
    acsUrl: { value: ACS },
    idpCertificate: { value: base64(pair.certificate) },
    idpPrivateKey: { value: base64(pair.privateKey) },
  }
  const made = await create(org, { config })
  assert.equal(certificateOf(made).toString(), pair.certificate)
  assert.equal(made.config.idpPrivateKey.value, '')
  assert.ok(!JSON.stringify(await org.events()).includes(pair.privateKey.split('\n')[3]!))

  const other = await makeKeyPair('other', 'Other', new Date())
  const put = (idpCertificate: string, idpPrivateKey: string) =>
    org.put(`${URL}/${made.id}`, {
      ...made,
      config: {
        ...made.config,
        idpCertificate: { value: idpCertificate },
        idpPrivateKey: { value: idpPrivateKey },
      },
    })
  const refused: [string, string, RegExp, string][] = [
    [other.certificate, '', /^config\.idpPrivateKey: is required/, 'key_missing'],
    [other.certificate, pair.privateKey, /^config\.idpPrivateKey: does not belong/, 'key_mismatch'],
    ['', pair.privateKey, /^config\.idpCertificate: is required/, 'certificate_missing'],
    ['nonsense', other.privateKey, /^config\.idpCertificate: not an X\.509/, 'bad_certificate'],
  ]
  for (const [certificate, key, message, reason] of refused) {
    const res = await put(certificate, key)
    assert.equal(res.statusCode, 400)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  const changed = await put(other.certificate, other.privateKey)
  assert.equal(changed.statusCode, 200, changed.body)
  assert.equal(certificateOf(changed.json()).toString(), other.certificate)
})

test('a bookmark has a URL and nothing else', async () => {
  const org = await app.newOrganization()
  const res = await org.post(URL, { name: 'bookmark', ssoUrl: 'https://wiki.example.com/start' })
  assert.equal(res.statusCode, 200, res.body)
  const { displayName, displayLabel, config, sso } = res.json()
  assert.deepEqual([displayName, displayLabel, config], ['Bookmark', 'Bookmark', {}])
  assert.deepEqual(sso, { type: 'bookmark', beta: false, jit: false, hidden: false })
  for (const ssoUrl of ['javascript:alert(1)', 'wiki', 'data:text/html,x']) {
    const bad = await org.post(URL, { name: 'bookmark', ssoUrl })
    assert.equal(bad.statusCode, 400, ssoUrl)
    assert.match(bad.json().message, /^ssoUrl:/)
    assert.equal(bad.json().reason, 'bad_sso_url')
  }
  // Two may have the same URL.
  await create(org, { name: 'bookmark', ssoUrl: 'https://wiki.example.com/start', config: {} })
})

test('lists filter, sort, search, page and project as all v1 lists do', async () => {
  const org = await app.newOrganization()
  for (const displayLabel of ['Beta', 'Alpha', 'Gamma'])
    await create(org, { displayLabel, displayName: displayLabel, active: displayLabel !== 'Beta' })
  await create(org, {
    name: 'bookmark',
    displayLabel: 'Wiki',
    ssoUrl: 'https://w.example',
    config: {},
  })
  const labels = async (query: string) =>
    (await org.get(`${URL}?${query}`))
      .json()
      .results.map(({ displayLabel }: { displayLabel: string }) => displayLabel)
  assert.deepEqual(await labels('sort=displayLabel'), ['Alpha', 'Beta', 'Gamma', 'Wiki'])
  assert.deepEqual(await labels('sort=-displayLabel&limit=1&skip=1'), ['Gamma'])
  assert.deepEqual(await labels('filter=active:$eq:true&sort=displayLabel'), ['Alpha', 'Gamma'])
  assert.deepEqual(await labels('filter=name:$eq:bookmark'), ['Wiki'])
  assert.deepEqual(await labels('filter=sso.type:$eq:bookmark'), ['Wiki'])
  // Sorted by template by default.
  assert.equal((await labels(''))[0], 'Wiki')
  const search = encodeURIComponent(JSON.stringify({ searchTerm: 'ALP', fields: ['displayLabel'] }))
  assert.deepEqual(await labels(`search=${search}`), ['Alpha'])
  const page = (await org.get(`${URL}?fields=displayLabel%20config&limit=1`)).json()
  assert.equal(page.totalCount, 4)
  assert.deepEqual(Object.keys(page.results[0]).sort(), ['_id', 'config', 'displayLabel', 'id'])
  // Older clients sort by fields that are not there.
  assert.equal((await org.get(`${URL}?sort=secret`)).statusCode, 200)
})

test('v2 has its own representation, as a bare array with the total in the header', async () => {
  const org = await app.newOrganization()
  const made = await create(org, { active: true, sso: { hidden: true } })
  await create(org, { name: 'bookmark', ssoUrl: 'https://w.example/', config: {} })
  const list = await org.get('/api/v2/applications?filter=status:eq:active')
  assert.equal(list.headers['x-total-count'], '1')
  const [record] = list.json()
  assert.deepEqual(record, (await org.get(`/api/v2/applications/${made.id}`)).json())
  assert.equal(record._id, made.id)
  assert.equal(record.status, 'active')
  assert.deepEqual(record.sso, {
    type: 'saml',
    url: made.ssoUrl,
    hidden: true,
    active: true,
    beta: false,
    spErrorFlow: false,
    jit: { supported: true, enabled: true },
  })
  const [bookmark] = (await org.get('/api/v2/applications?filter=name:eq:bookmark')).json()
  assert.deepEqual(bookmark.sso.bookmark, { url: 'https://w.example/' })
})

test('v2 answers 404 for missing OpenID Connect settings and for unknown applications', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const made = await create(org)
  const sso = (id: string) => `/api/v2/applications/${id}/sso`
  const none = await org.get(sso(made.id))
  assert.equal(none.statusCode, 404)
  assert.equal(none.json().message, 'Not Found: oidc config not found')
  for (const unknown of [await org.get(sso(newId())), await other.get(sso(made.id))]) {
    assert.deepEqual([unknown.statusCode, unknown.json().reason], [404, 'application_not_found'])
    assert.equal(unknown.json().message, 'Not Found: there is no such application')
  }
  const helper = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await helper.get(sso(made.id))).statusCode, 403)
})

test('a deleted application is gone everywhere; restored, it has its bindings and certificate again', async () => {
  const org = await app.newOrganization()
  const made = await create(org)
  const user = await org.post('/api/systemusers', { username: 'ada', email: 'ada@example.com' })
  const userId = user.json()._id
  const associations = `/api/v2/applications/${made.id}/associations`
  const bind = { op: 'add', type: 'user', id: userId }
  assert.equal((await org.post(associations, bind)).statusCode, 204)
  const users = async () =>
    (await org.get(`/api/v2/applications/${made.id}/users`)).json() as { id: string }[]
  assert.deepEqual(
    (await users()).map(({ id }) => id),
    [userId],
  )

  assert.deepEqual((await org.delete(`${URL}/${made.id}`)).json(), made)
  for (const path of [`${URL}/${made.id}`, `/api/v2/applications/${made.id}`])
    assert.equal((await org.get(path)).statusCode, 404)
  assert.equal((await org.get(URL)).json().totalCount, 0)
  assert.equal((await org.get(`/api/v2/applications/${made.id}/users`)).statusCode, 404)
  assert.deepEqual((await org.get(`/api/v2/users/${userId}/applications`)).json(), [])

  const back = await org.post(`${URL}/${made.id}/restore`)
  assert.deepEqual(back.json(), made)
  assert.deepEqual(
    (await users()).map(({ id }) => id),
    [userId],
  )
  assert.equal((await org.post(`${URL}/${made.id}/restore`)).statusCode, 404)
  const types = await org.eventTypes()
  assert.deepEqual(
    types.filter((type) => type.startsWith('application_')),
    ['application_create', 'application_delete', 'application_restore'],
  )
  const bound = (await org.events()).find(({ event_type }) => event_type === 'association_change')
  assert.equal((bound!.resource as { name: string }).name, 'crm')
})

test('an application is deleted for good after 30 days', async () => {
  const org = await app.newOrganization()
  const made = await create(org)
  await org.delete(`${URL}/${made.id}`)
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute("update applications set deleted_at = now() - interval '31 days' where id = $1", [
      made.id,
    ]),
  )
  await app.db.tx(org.organizationId, (tx) => app.queue.send(tx, purgeApplicationsJob, {}))
  await app.runDueJobs()
  assert.equal((await org.post(`${URL}/${made.id}/restore`)).statusCode, 404)
})

test('another organization sees nothing of it', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const made = await create(org)
  const calls = [
    other.get(`${URL}/${made.id}`),
    other.put(`${URL}/${made.id}`, bodyWith()),
    other.delete(`${URL}/${made.id}`),
    other.get(`/api/v2/applications/${made.id}`),
  ]
  for (const { statusCode } of await Promise.all(calls)) assert.equal(statusCode, 404)
  await org.delete(`${URL}/${made.id}`)
  assert.equal((await other.post(`${URL}/${made.id}/restore`)).statusCode, 404)
  assert.equal((await other.get(URL)).json().totalCount, 0)
  assert.deepEqual((await other.get('/api/v2/applications')).json(), [])
  for (const id of ['nothing', newId()])
    assert.equal((await org.get(`${URL}/${id}`)).statusCode, 404)
})

test('each operation requires its scope', async () => {
  const org = await app.newOrganization()
  const made = await create(org)
  const keyWith = async (...scopes: string[]) => {
    const role = await org.post('/api/v2/roles', { name: `Role ${newId()}`, scopes })
    const robot = {
      name: `Robot ${newId()}`,
      roleId: role.json().id,
      authConfig: { authType: 'API_KEY' },
    }
    const account = await org.post('/api/v2/service-accounts', robot)
    return app.as(account.json().serviceAccount.authConfigList[0].apiKeyConfig.apiKey)
  }
  const statuses = async (by: Pick<Org, 'get' | 'post' | 'put' | 'delete'>) =>
    [
      await by.get(`${URL}/${made.id}`),
      await by.post(URL, {}),
      await by.put(`${URL}/${made.id}`, { ssoUrl: '' }),
      await by.delete(`${URL}/${newId()}`),
    ].map(({ statusCode }) => statusCode)
  assert.deepEqual(await statuses(await keyWith('applications')), [200, 400, 400, 404])
  assert.deepEqual(await statuses(await keyWith('applications.readonly')), [200, 403, 403, 403])
  assert.deepEqual(await statuses(await keyWith('applications.create')), [403, 400, 403, 403])
  assert.deepEqual(await statuses(await keyWith('applications.update')), [403, 403, 400, 403])
  assert.deepEqual(await statuses(await keyWith('applications.delete')), [403, 403, 403, 404])
  assert.equal((await app.anonymous.get(URL)).statusCode, 401)
})
