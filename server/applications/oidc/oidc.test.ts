import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { addPerson, bindApplication, Person } from '../../../test/person.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { sha256 } from '../../platform/secrets.ts'

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const URL = '/api/applications'
const CALLBACK = 'https://wiki.example.com/callback'
const ssoOf = (id: string) => `/api/v2/applications/${id}/sso`
const settings = (more: object = {}) => ({ oidc: { redirectUris: [CALLBACK], ...more } })

async function create(org: Org, more: object = {}) {
  const res = await org.post(URL, { name: 'oidc', displayLabel: 'Wiki', active: true, ...more })
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}

/** An application with its settings; the secret must not turn up in the log. */
async function createClient(org: Org, more: object = {}) {
  const { id } = await create(org)
  const res = await org.post(ssoOf(id), settings(more))
  assert.equal(res.statusCode, 200, res.body)
  const { oidc } = res.json()
  if (oidc.clientSecret) app.secrets.add(oidc.clientSecret)
  return { id: id as string, oidc }
}

const changesOf = async (org: Org) => {
  const event = (await org.events()).at(-1)!
  assert.equal(event.event_type, 'application_update')
  return event.changes as { field: string; from?: unknown; to?: unknown }[]
}

test('the catalogue has a template, and an application is created from it without ssoUrl', async () => {
  const org = await app.newOrganization()
  const template = (await org.get('/api/application-templates/oidc')).json()
  assert.equal(template.displayName, 'OpenID Connect')
  assert.equal(template.sso.type, 'oidc')
  assert.deepEqual(template.oidc, {
    grantTypes: ['authorization_code'],
    redirectUris: [],
    ssoUrl: '',
    tokenEndpointAuthMethod: 'client_secret_basic',
  })
  const made = await create(org, { displayName: 'The wiki', config: {} })
  assert.deepEqual([made.name, made.sso.type, made.ssoUrl], ['oidc', 'oidc', ''])
  assert.deepEqual(made.config, {})
  assert.deepEqual((await org.get(`${URL}/${made.id}`)).json(), made)

  // The record can be sent back, and the keys stay.
  const put = await org.put(`${URL}/${made.id}`, { ...made, description: 'All we know' })
  assert.equal(put.statusCode, 200, put.body)
  assert.deepEqual(put.json(), { ...made, description: 'All we know' })

  const v2 = (await org.get(`/api/v2/applications/${made.id}`)).json()
  assert.equal(v2.sso.type, 'oidc')
  assert.equal(v2.sso.bookmark, undefined)
  const found = (await org.get(`${URL}?filter=sso.type:$eq:oidc`)).json()
  assert.deepEqual(
    found.results.map(({ id }: { id: string }) => id),
    [made.id],
  )
})

test('ssoUrl, SAML settings and SAML metadata are refused', async () => {
  const org = await app.newOrganization()
  const { id } = await create(org)
  const events = (await org.events()).length
  const ssoUrl = `https://sso.example.com/saml2/${newId()}`
  for (const bad of [
    await org.post(URL, { name: 'oidc', ssoUrl }),
    await org.put(`${URL}/${id}`, { name: 'oidc', ssoUrl }),
  ]) {
    assert.equal(bad.statusCode, 400, bad.body)
    assert.match(bad.json().message, /^ssoUrl:/)
    assert.equal(bad.json().reason, 'bad_sso_url')
  }
  const config = { acsUrl: { value: 'https://wiki.example.com/acs' } }
  const acs = await org.post(URL, { name: 'oidc', config })
  assert.equal(acs.statusCode, 400)
  assert.match(acs.json().message, /^config\.acsUrl:/)
  assert.equal(acs.json().reason, 'bad_config')
  const metadata = `/api/v2/applications/${id}/spmetadata`
  assert.equal((await org.post(metadata, { xml: '<a/>' })).statusCode, 400)
  assert.equal((await org.events()).length, events)
})

test('an OpenID Connect application has no SAML endpoints', async () => {
  const org = await app.newOrganization()
  const { id, oidc } = await createClient(org)
  const unknown = await app.http.inject({ url: `/saml2/${newId()}` })
  for (const slug of [id, oidc.clientId, 'oidc']) {
    const res = await app.http.inject({ url: `/saml2/${slug}` })
    assert.equal(res.statusCode, unknown.statusCode)
    assert.equal((await app.http.inject({ url: `/saml2/${slug}/metadata` })).statusCode, 404)
  }
  const metadata = `/api/organizations/${org.organizationId}/applications/${id}/metadata.xml`
  assert.equal((await org.get(metadata)).statusCode, 404)
})

test('POST creates a client; its secret is returned once and stored as a hash', async () => {
  const org = await app.newOrganization()
  const { id } = await create(org)
  const none = await org.get(ssoOf(id))
  assert.deepEqual([none.statusCode, none.json().reason], [404, 'oidc_config_not_found'])
  assert.equal(none.json().message, 'Not Found: oidc config not found')
  assert.equal((await org.put(ssoOf(id), settings())).statusCode, 404)

  const res = await org.post(ssoOf(id), { hidden: true, ...settings({ clientName: 'ignored' }) })
  assert.equal(res.statusCode, 200, res.body)
  const { clientId, clientSecret, ...rest } = res.json().oidc
  app.secrets.add(clientSecret)
  assert.match(clientId, /^[0-9a-f-]{36}$/)
  assert.match(clientSecret, /^[\w-]{43}$/)
  const defaults = {
    issuer: `${app.config.publicUrl}/oidc/${clientId}`,
    redirectUris: [CALLBACK],
    grantTypes: ['authorization_code'],
    tokenEndpointAuthMethod: 'client_secret_basic',
    accessTokenLifespan: 3600,
    ssoUrl: '',
    postLogoutRedirectUris: [],
    frontchannelLogoutUri: '',
    backchannelLogoutUri: '',
    subjectType: 'pairwise',
  }
  assert.deepEqual(rest, defaults)
  const read = { type: 'oidc', hidden: true, oidc: { clientId, ...defaults } }
  assert.deepEqual((await org.get(ssoOf(id))).json(), read)
  assert.equal((await org.get(`${URL}/${id}`)).json().sso.hidden, true)

  const stored = await app.db
    .tenant(org.organizationId)
    .one<{ secret_hash: Buffer }>(sql`select secret_hash from application_oidc`)
  assert.deepEqual(stored!.secret_hash, sha256(clientSecret))

  const changes = await changesOf(org)
  assert.deepEqual(
    changes.find(({ field }) => field === 'oidc.clientSecret'),
    { field: 'oidc.clientSecret' },
  )
  assert.deepEqual(changes.find(({ field }) => field === 'oidc.redirectUris')?.to, [CALLBACK])
  assert.equal(changes.find(({ field }) => field === 'sso.hidden')?.to, true)
  const hash = sha256(clientSecret).toString('hex')
  const told = JSON.stringify(await org.events())
  assert.ok(!told.includes(clientSecret) && !told.includes(hash))

  const events = (await org.events()).length
  const second = await org.post(ssoOf(id), settings())
  assert.deepEqual([second.statusCode, second.json().reason], [409, 'oidc_config_exists'])
  assert.equal((await org.events()).length, events)
})

test('a public client has no secret', async () => {
  const org = await app.newOrganization()
  const { oidc } = await createClient(org, { tokenEndpointAuthMethod: 'none' })
  assert.equal(oidc.clientSecret, undefined)
  assert.equal(oidc.tokenEndpointAuthMethod, 'none')
})

test('PUT replaces all but the client id; it returns a secret only if it generates one', async () => {
  const org = await app.newOrganization()
  const { id, oidc } = await createClient(org, {
    accessTokenLifespan: 300,
    grantTypes: ['authorization_code', 'refresh_token'],
    ssoUrl: 'https://wiki.example.com/login',
  })
  const next = 'http://127.0.0.1:8123/callback?a=b'
  const put = await org.put(ssoOf(id), { oidc: { ...oidc, clientId: 'x', redirectUris: [next] } })
  assert.equal(put.statusCode, 200, put.body)
  const { clientSecret, ...kept } = oidc
  assert.deepEqual(put.json().oidc, { ...kept, redirectUris: [next] })
  const changes = await changesOf(org)
  assert.deepEqual(changes, [{ field: 'oidc.redirectUris', from: [CALLBACK], to: [next] }])

  // No change, no event.
  const events = (await org.events()).length
  await org.put(ssoOf(id), { oidc: put.json().oidc })
  assert.equal((await org.events()).length, events)

  // Missing members take the template's defaults.
  const reset = (await org.put(ssoOf(id), settings())).json()
  assert.equal(reset.oidc.accessTokenLifespan, 3600)
  assert.deepEqual(reset.oidc.grantTypes, ['authorization_code'])
  assert.equal(reset.oidc.ssoUrl, '')

  const renewed = (await org.put(ssoOf(id), settings({ newClientSecret: true }))).json()
  app.secrets.add(renewed.oidc.clientSecret)
  assert.match(renewed.oidc.clientSecret, /^[\w-]{43}$/)
  assert.notEqual(renewed.oidc.clientSecret, clientSecret)
  assert.equal(renewed.oidc.clientId, oidc.clientId)
  assert.deepEqual(await changesOf(org), [{ field: 'oidc.clientSecret' }])

  const bare = (await org.put(ssoOf(id), settings({ tokenEndpointAuthMethod: 'none' }))).json()
  assert.equal(bare.oidc.clientSecret, undefined)
  const again = { tokenEndpointAuthMethod: 'client_secret_post' }
  const back = (await org.put(ssoOf(id), settings(again))).json()
  app.secrets.add(back.oidc.clientSecret)
  assert.notEqual(back.oidc.clientSecret, renewed.oidc.clientSecret)
  assert.equal((await org.get(ssoOf(id))).json().oidc.clientSecret, undefined)
})

const BAD: [string, object, RegExp][] = [
  ['nothing', {}, /oidc/],
  ['no address', { oidc: {} }, /redirectUris/],
  ['no addresses', settings({ redirectUris: [] }), /redirectUris/],
  ['a text for addresses', settings({ redirectUris: CALLBACK }), /redirectUris/],
  ['plain http', settings({ redirectUris: [CALLBACK, 'http://a.example'] }), /redirectUris\[1\]/],
  ['a host like localhost', settings({ redirectUris: ['http://localhost.a.example'] }), /https/],
  ['a fragment', settings({ redirectUris: [`${CALLBACK}#x`] }), /redirectUris\[0\].*fragment/],
  ['an empty fragment', settings({ redirectUris: [`${CALLBACK}#`] }), /fragment/],
  ['a script', settings({ redirectUris: ['javascript:alert(1)'] }), /redirectUris\[0\]/],
  ['a scheme of its own', settings({ redirectUris: ['app:/callback'] }), /redirectUris\[0\]/],
  ['a password', settings({ redirectUris: ['https://a:b@c.example/'] }), /password/],
  ['a space', settings({ redirectUris: [`${CALLBACK}/a b`] }), /redirectUris\[0\]/],
  ['an unknown grant', settings({ grantTypes: ['implicit'] }), /grantTypes/],
  ['no way to sign in', settings({ grantTypes: ['refresh_token'] }), /oidc\.grantTypes/],
  ['an unknown method', settings({ tokenEndpointAuthMethod: 'private_key_jwt' }), /AuthMethod/],
  ['a short life', settings({ accessTokenLifespan: 10 }), /accessTokenLifespan/],
  ['a life in words', settings({ accessTokenLifespan: '1h' }), /accessTokenLifespan/],
  ['a script to open', settings({ ssoUrl: 'javascript:alert(1)' }), /oidc\.ssoUrl/],
  [
    'a new secret for a public client',
    settings({ tokenEndpointAuthMethod: 'none', newClientSecret: true }),
    /oidc\.newClientSecret/,
  ],
]
test('invalid settings are refused by name, and change nothing', async () => {
  const org = await app.newOrganization()
  const [{ id: fresh }, { id }] = [await create(org), await createClient(org)]
  const before = (await org.get(ssoOf(id))).json()
  const events = (await org.events()).length
  for (const [name, body, message] of BAD)
    for (const res of [await org.post(ssoOf(fresh), body), await org.put(ssoOf(id), body)]) {
      assert.equal(res.statusCode, 400, `${name}: ${res.body}`)
      assert.match(res.json().message, message, name)
    }
  assert.deepEqual((await org.get(ssoOf(id))).json(), before)
  assert.equal((await org.get(ssoOf(fresh))).statusCode, 404)
  assert.equal((await org.events()).length, events)
})

test('only OpenID Connect applications have these settings', async () => {
  const org = await app.newOrganization()
  const bookmark = await org.post(URL, { name: 'bookmark', ssoUrl: 'https://wiki.example.com/' })
  const res = await org.post(ssoOf(bookmark.json().id), settings())
  assert.equal(res.statusCode, 400)
  assert.match(res.json().message, /^name: .*"bookmark"/)
  assert.equal(res.json().reason, 'no_oidc')
})

test('other organizations and roles can neither read nor write them', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const { id } = await createClient(org)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  const events = (await org.events()).length
  assert.equal((await reader.get(ssoOf(id))).statusCode, 200)
  assert.equal((await runner.get(ssoOf(id))).statusCode, 403)
  for (const [caller, status] of [
    [reader, 403],
    [runner, 403],
    [other, 404],
  ] as const) {
    assert.equal((await caller.post(ssoOf(id), settings())).statusCode, status)
    assert.equal((await caller.put(ssoOf(id), settings())).statusCode, status)
  }
  assert.equal((await other.get(ssoOf(id))).statusCode, 404)
  assert.equal((await org.events()).length, events)
})

test('a client is deleted and restored with its application', async () => {
  const org = await app.newOrganization()
  const { id, oidc } = await createClient(org)
  await org.delete(`${URL}/${id}`)
  assert.equal((await org.get(ssoOf(id))).statusCode, 404)
  await org.post(`${URL}/${id}/restore`)
  assert.equal((await org.get(ssoOf(id))).json().oidc.clientId, oidc.clientId)
})

test('its keys rotate like those of SAML', async () => {
  const org = await app.newOrganization()
  const { id } = await createClient(org)
  const url = `/api/v2/applications/${id}/certificates`
  const [{ id: first }] = (await org.get(url)).json()
  assert.equal((await org.post(url)).statusCode, 201)
  const promoted = (await org.post(`${url}/promote`)).json() as { id: string; role: string }[]
  assert.deepEqual(
    promoted.map(({ role }) => role),
    ['current', 'previous'],
  )
  assert.equal(promoted[1]!.id, first)
})

test('the portal opens its ssoUrl, otherwise its origin; without settings there is no tile', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const bare = await bindApplication(org, user.id, { name: 'oidc', ssoUrl: undefined })
  const person = await new Person(app.http).enter(user.email)
  const tiles = async () =>
    ((await person.get('/applications')).json() as { url: string }[]).map(({ url }) => url)
  assert.deepEqual(await tiles(), [])
  const { clientSecret } = (await org.post(ssoOf(bare), settings())).json().oidc
  app.secrets.add(clientSecret)
  assert.deepEqual(await tiles(), ['https://wiki.example.com'])
  await org.put(ssoOf(bare), settings({ ssoUrl: 'https://wiki.example.com/login' }))
  assert.deepEqual(await tiles(), ['https://wiki.example.com/login'])
})
