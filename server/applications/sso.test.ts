import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'
import { MULTI_FACTOR, PASSWORD_PROTECTED_TRANSPORT } from './settings.ts'
import { findSsoApplication, findSsoApplicationById } from './sso.ts'
import { readAcsUrls } from './sso-config.ts'
import { applicationsOfUser, mayUse } from './tiles.ts'

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>

async function create(org: Org, changes: object = {}) {
  const res = await org.post('/api/applications', {
    name: 'saml2',
    displayLabel: 'CRM',
    displayName: 'Customers',
    ssoUrl: `https://sso.example.com/saml2/App-${newId()}`,
    active: true,
    config: { acsUrl: { value: 'https://crm.example.com/acs' } },
    ...changes,
  })
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
const slugIn = ({ ssoUrl }: { ssoUrl: string }) => ssoUrl.split('/').at(-1)!.toLowerCase()

test('an application is found by its slug, with typed settings and its keys', async () => {
  const org = await app.newOrganization()
  const made = await create(org)
  const slug = slugIn(made)
  const found = (await findSsoApplication(app, slug.toUpperCase()))!
  assert.equal(found.organizationId, org.organizationId)
  assert.deepEqual([found.id, found.slug, found.active], [made.id, slug, true])
  assert.deepEqual([found.displayLabel, found.displayName], ['CRM', 'Customers'])
  assert.equal(found.ssoUrl, made.ssoUrl)
  const { current } = found.certificates
  assert.ok(new X509Certificate(current.pem).checkPrivateKey(current.privateKey))
  assert.equal(current.notAfter.toISOString(), made.sso.idpCertExpirationAt)
  const password = { methods: ['pwd'], authnContext: PASSWORD_PROTECTED_TRANSPORT }
  const strong = { methods: ['pwd', 'otp'], authnContext: MULTI_FACTOR }
  assert.deepEqual(found.config, {
    idpEntityId: `${app.config.publicUrl}/saml2/${slug}/metadata`,
    spEntityId: '',
    acsUrls: [{ index: 0, isDefault: true, url: 'https://crm.example.com/acs' }],
    defaultAcs: { index: 0, isDefault: true, url: 'https://crm.example.com/acs' },
    sloUrl: '',
    sloResponseUrl: '',
    sloSoapUrl: '',
    sloBinding: undefined,
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    subjectField: 'email',
    signAssertion: true,
    signResponse: false,
    signatureAlgorithm: 'RSA-SHA256',
    digest: 'sha256',
    spCertificates: [],
    keepsNameId: false,
    spEncryptionCertificate: undefined,
    encryptionAlgorithm: 'AES256-GCM',
    defaultRelayState: '',
    idpInitUrl: '',
    declareRedirect: false,
    spErrorFlow: false,
    constantAttributes: [],
    databaseAttributes: [
      { name: 'email', value: 'email' },
      { name: 'firstname', value: 'firstname' },
      { name: 'lastname', value: 'lastname' },
    ],
    includeGroups: false,
    groupsAttribute: undefined,
    authClaims: {
      sendAmrClaim: false,
      authnContextMode: 'single',
      singleAuthnContextValue: PASSWORD_PROTECTED_TRANSPORT,
      authnContextMappings: [strong, password],
    },
  })
  // The key is parsed once.
  const again = (await findSsoApplicationById(app, org.organizationId, made.id))!
  assert.equal(again.certificates.current.privateKey, current.privateKey)
})

test('settings arrive as they were sent', async () => {
  const org = await app.newOrganization()
  const made = await create(org, {
    config: {
      idpEntityId: { value: 'https://idp.example.com' },
      spEntityId: { value: 'urn:sp' },
      acsUrl: {
        value: JSON.stringify([
          { index: '3', isDefault: 'false', url: 'https://a.example.com' },
          { index: '4', isDefault: 'true', url: 'https://b.example.com' },
        ]),
      },
      signatureAlgorithm: { value: 'RSA-SHA512' },
      signAssertion: { value: 'false' },
      signResponse: { value: true },
      includeGroups: { value: true },
      groupsAttributeName: { value: 'groups' },
      spErrorFlow: { value: true },
      authClaimConfiguration: {
        sendAmrClaim: { value: true },
        authnContextMode: { value: 'mapping' },
        authnContextMappings: { value: [{ methods: ['otp'], authnContext: 'urn:strong' }] },
      },
    },
  })
  const { config } = (await findSsoApplication(app, slugIn(made)))!
  assert.equal(config.idpEntityId, 'https://idp.example.com')
  assert.equal(config.defaultAcs?.url, 'https://b.example.com')
  assert.deepEqual(
    config.acsUrls.map(({ index }) => index),
    [3, 4],
  )
  assert.deepEqual([config.signatureAlgorithm, config.digest], ['RSA-SHA512', 'sha512'])
  assert.deepEqual(
    [config.signAssertion, config.signResponse, config.spErrorFlow],
    [false, true, true],
  )
  assert.equal(config.groupsAttribute, 'groups')
  assert.deepEqual(config.authClaims, {
    sendAmrClaim: true,
    authnContextMode: 'mapping',
    singleAuthnContextValue: PASSWORD_PROTECTED_TRANSPORT,
    authnContextMappings: [{ methods: ['otp'], authnContext: 'urn:strong' }],
  })
})

test('with a placeholder left, there is no URL to send users to', async () => {
  const org = await app.newOrganization()
  const made = await create(org, { name: 'zendesk', config: {} })
  const { config } = (await findSsoApplication(app, slugIn(made)))!
  assert.deepEqual(config.acsUrls, [])
  assert.equal(config.defaultAcs, undefined)
  assert.equal(config.spEntityId, '')
})

test('deleted and unknown applications and bookmarks have no sign-on', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const made = await create(org)
  assert.equal(await findSsoApplicationById(app, other.organizationId, made.id), undefined)
  assert.equal(await findSsoApplicationById(app, org.organizationId, 'nothing'), undefined)
  await org.delete(`/api/applications/${made.id}`)
  assert.equal(await findSsoApplication(app, slugIn(made)), undefined)
  assert.equal(await findSsoApplicationById(app, org.organizationId, made.id), undefined)
  const bookmark = await create(org, { name: 'bookmark', ssoUrl: 'https://w.example/', config: {} })
  assert.equal(await findSsoApplicationById(app, org.organizationId, bookmark.id), undefined)
  assert.equal(await findSsoApplication(app, 'never-heard-of'), undefined)
})

test('a list of ACS URLs may mix strings and numbers, but its shape is strict', () => {
  assert.deepEqual(readAcsUrls(' https://a.example '), [
    { index: 0, isDefault: true, url: 'https://a.example' },
  ])
  assert.deepEqual(readAcsUrls('[{"url":"a"},{"url":"b","isDefault":true,"index":7}]'), [
    { index: 0, isDefault: false, url: 'a' },
    { index: 7, isDefault: true, url: 'b' },
  ])
  for (const bad of [
    '[]',
    '[1]',
    '[{}]',
    '[{"url":1}]',
    '[{"url":"a","index":"x"}]',
    '[null]',
    '[',
  ])
    assert.equal(readAcsUrls(bad), null, bad)
})

test('users see the applications they are bound to, directly or through groups, each once', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const person = async (username: string) =>
    (await org.post('/api/systemusers', { username, email: `${username}@example.com` })).json()._id
  const [ada, bob] = [await person('ada'), await person('bob')]
  const group = (await org.post('/api/v2/usergroups', { name: 'Sales' })).json().id
  const direct = await create(org, { displayLabel: 'b direct' })
  const both = await create(org, {
    displayLabel: 'A both',
    sso: { hidden: true },
    config: {
      acsUrl: { value: 'https://crm.example.com/acs' },
      idpInitUrl: { value: 'https://crm.example.com/login' },
    },
  })
  const wiki = await create(org, {
    name: 'bookmark',
    displayLabel: 'Wiki',
    ssoUrl: 'https://w.example/',
    config: {},
  })
  const idle = await create(org, { displayLabel: 'Idle', active: false })
  const bind = async (application: string, type: string, id: string, op = 'add') =>
    assert.equal(
      (await org.post(`/api/v2/applications/${application}/associations`, { op, type, id }))
        .statusCode,
      204,
    )
  await bind(direct.id, 'user', ada)
  for (const application of [both, wiki, idle]) await bind(application.id, 'user_group', group)
  await bind(both.id, 'user', ada)
  const member = (op: string) =>
    org.post(`/api/v2/usergroups/${group}/members`, { op, type: 'user', id: ada })
  await member('add')

  const tiles = () => applicationsOfUser(app.db, organizationId, ada)
  const allowed = (application: { id: string }, user = ada) =>
    mayUse(app.db.tenant(organizationId), organizationId, user, application.id)
  const [first, second, third, ...more] = await tiles()
  assert.deepEqual(more, [])
  assert.deepEqual(first, {
    id: both.id,
    name: 'saml2',
    displayName: 'Customers',
    displayLabel: 'A both',
    slug: slugIn(both),
    logo: null,
    color: '',
    url: 'https://crm.example.com/login',
    hidden: true,
  })
  assert.equal(second!.url, `/saml2/${slugIn(direct)}`)
  assert.deepEqual([third!.slug, third!.url], [null, 'https://w.example/'])
  assert.deepEqual(await applicationsOfUser(app.db, organizationId, bob), [])
  assert.deepEqual(
    await Promise.all([direct, both, wiki, idle].map((application) => allowed(application))),
    [true, true, true, false],
  )
  assert.equal(await allowed(both, bob), false)
  assert.equal(await allowed({ id: newId() }), false)

  // Without the group only direct bindings are left; then none.
  await member('remove')
  assert.deepEqual(
    (await tiles()).map(({ id }) => id),
    [both.id, direct.id],
  )
  assert.equal(await allowed(wiki), false)
  await bind(both.id, 'user', ada, 'remove')
  assert.equal(await allowed(both), false)
  await org.delete(`/api/applications/${direct.id}`)
  assert.deepEqual(await tiles(), [])
  assert.equal(await allowed(direct), false)
})
