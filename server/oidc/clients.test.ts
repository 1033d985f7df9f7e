import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import {
  answerIn,
  authorizeUrl,
  basic,
  type Client,
  callsOf,
  claimsIn,
  type Fields,
  newPkce,
  newWorld,
} from '../../test/oidc/world.ts'
import { PASSWORD, Person } from '../../test/person.ts'

// What clients may ask besides the sign-in itself: revocation, introspection, hints, loopback redirects, CORS.

const app = await startApp()
app.secrets.add(PASSWORD)
const { visit, post, codeFor, exchange, refresh, userinfo } = callsOf(app)

const authorized = ({ clientId, clientSecret }: Client) => ({
  authorization: basic(clientId, clientSecret!),
})
const both = { grantTypes: ['authorization_code', 'refresh_token'] }
const activeOf = async (client: Client, token: string) =>
  (await post(`${client.path}/introspect`, { token }, authorized(client))).json().active

test('revocation: an access token takes only itself along, a refresh token its whole grant', async () => {
  const { client, person } = await newWorld(app, both)
  const revoke = (fields: Fields) => post(`${client.path}/revoke`, fields, authorized(client))
  const tokens = (await exchange(client, await codeFor(client, person))).json()
  const first = await revoke({ token: tokens.access_token, token_type_hint: 'refresh_token' })
  assert.deepEqual([first.statusCode, first.body], [200, ''])
  assert.equal((await userinfo(client, tokens.access_token)).statusCode, 401)
  const renewed = (await refresh(client, tokens.refresh_token)).json()
  assert.ok(renewed.access_token)
  assert.equal((await revoke({ token: renewed.refresh_token })).statusCode, 200)
  assert.equal((await userinfo(client, renewed.access_token)).statusCode, 401)
  assert.equal((await refresh(client, renewed.refresh_token)).json().error, 'invalid_grant')

  assert.equal((await revoke({ token: 'unknown' })).statusCode, 200)
  assert.equal((await revoke({})).json().error, 'invalid_request')
  const stranger = await post(`${client.path}/revoke`, { token: 'x' })
  assert.deepEqual([stranger.statusCode, stranger.json().error], [401, 'invalid_client'])
})

test('introspection: live tokens of the client itself, and nothing else', async () => {
  const { org, client, user, person } = await newWorld(app, both)
  const other = await newWorld(app)
  const tokens = (await exchange(client, await codeFor(client, person))).json()
  const res = await post(
    `${client.path}/introspect`,
    { token: tokens.access_token },
    authorized(client),
  )
  const { exp, ...told } = res.json()
  assert.deepEqual(told, {
    active: true,
    scope: 'openid',
    client_id: client.clientId,
    username: user.username,
    token_type: 'Bearer',
    sub: claimsIn(tokens.id_token).sub,
    aud: client.clientId,
    iss: client.issuer,
  })
  assert.ok(exp > Date.now() / 1000)
  assert.equal(await activeOf(client, tokens.refresh_token), true)
  assert.equal(await activeOf(other.client, tokens.access_token), false)
  assert.equal(await activeOf(client, 'unknown'), false)
  await org.put(`/api/systemusers/${user.id}`, { state: 'SUSPENDED' })
  assert.equal(await activeOf(client, tokens.access_token), false)

  const open = await newWorld(app, { tokenEndpointAuthMethod: 'none' })
  const fields = { client_id: open.client.clientId, token: 'x' }
  assert.equal((await post(`${open.client.path}/introspect`, fields)).statusCode, 401)
  const discovery = await visit(`${open.client.path}/.well-known/openid-configuration`)
  assert.equal(discovery.json().introspection_endpoint, undefined)
})

test('userinfo accepts the token in the header or in a form, not in the URL', async () => {
  const { client, person } = await newWorld(app)
  const { access_token, id_token } = (await exchange(client, await codeFor(client, person))).json()
  const { sub } = claimsIn(id_token)
  const url = `${client.path}/userinfo`
  assert.equal((await userinfo(client, access_token)).json().sub, sub)
  assert.equal((await post(url, {}, { authorization: `Bearer ${access_token}` })).json().sub, sub)
  assert.equal((await post(url, { access_token })).json().sub, sub)
  assert.equal((await visit(`${url}?access_token=none`)).statusCode, 401)
})

test('public subjects are the id of the user, pairwise ones are not', async () => {
  for (const subjectType of ['public', 'pairwise']) {
    const { client, user, person } = await newWorld(app, { subjectType })
    const { id_token } = (await exchange(client, await codeFor(client, person))).json()
    assert.equal(claimsIn(id_token).sub === user.id, subjectType === 'public')
    const discovery = await visit(`${client.path}/.well-known/openid-configuration`)
    assert.deepEqual(discovery.json().subject_types_supported, [subjectType])
  }
})

test('a loopback redirect may use any port, and nothing else may differ', async () => {
  const registered = 'http://127.0.0.1/callback?x=1'
  const { client, person } = await newWorld(app, {
    redirectUris: [registered, 'http://[::1]:8000/', 'https://wiki.example.com/callback'],
    tokenEndpointAuthMethod: 'none',
  })
  const ask = (redirect_uri: string) =>
    visit(authorizeUrl(client, { redirect_uri, ...newPkce().asked }), person)
  for (const uri of ['http://127.0.0.1:51004/callback?x=1', registered, 'http://[::1]:1/'])
    assert.ok(String((await ask(uri)).headers.location).startsWith(uri), uri)
  for (const uri of [
    'http://127.0.0.1:51004/callback',
    'http://127.0.0.1:51004/callback?x=1&y=2',
    'http://127.0.0.1:51004/other?x=1',
    'http://127.0.0.2:51004/callback?x=1',
    'http://localhost:51004/callback?x=1',
    'https://127.0.0.1:51004/callback?x=1',
    'http://127.0.0.1:51004@evil.test/callback?x=1',
    'http://127.0.0.1.evil.test:1/callback?x=1',
    'http://127.0.0.1:/callback?x=1',
    'https://wiki.example.com:8443/callback',
  ])
    assert.equal((await ask(uri)).statusCode, 400, uri)

  const { verifier, asked } = newPkce()
  const redirect_uri = 'http://127.0.0.1:51005/callback?x=1'
  const res = await visit(authorizeUrl(client, { redirect_uri, ...asked }), person)
  const code = new URL(String(res.headers.location)).searchParams.get('code')!
  app.secrets.add(code)
  const wrong = await exchange(client, code, { redirect_uri: registered, code_verifier: verifier })
  assert.equal(wrong.json().error, 'invalid_grant')
  const right = await exchange(client, code, { redirect_uri, code_verifier: verifier })
  assert.equal(right.statusCode, 200, right.body)
})

test('login_hint fills the sign-in form, acr_values are accepted and answered', async () => {
  const { client, person } = await newWorld(app)
  const hinted = authorizeUrl(client, { login_hint: 'ada@example.com', acr_values: 'urn:x' })
  const page = new URL(String((await visit(hinted)).headers.location), client.issuer)
  assert.equal(page.searchParams.get('identifier'), 'ada@example.com')
  const { code } = answerIn(await visit(hinted, person))
  app.secrets.add(code!)
  const { id_token } = (await exchange(client, code!)).json()
  assert.equal(claimsIn(id_token).acr, 'https://refeds.org/profile/sfa')
})

test('parameters that we do not use change nothing', async () => {
  const { client, person } = await newWorld(app)
  const cases: Fields[] = [
    { display: 'page' },
    { display: 'popup' },
    { ui_locales: 'se' },
    { claims_locales: 'se' },
    { claims: '{"userinfo":{"name":{"essential":true}}}' },
    { extra: 'foobar' },
    { scope: 'email openid' },
  ]
  for (const fields of cases) {
    const { code } = answerIn(await visit(authorizeUrl(client, fields), person))
    assert.ok(code, JSON.stringify(fields))
    app.secrets.add(code)
  }
})

test('id_token_hint: another user than expected has to sign in, or is refused without a page', async () => {
  const { client, user, person } = await newWorld(app)
  const mine = (await exchange(client, await codeFor(client, person))).json().id_token
  const { code } = answerIn(
    await visit(authorizeUrl(client, { prompt: 'none', id_token_hint: mine }), person),
  )
  assert.ok(code)
  app.secrets.add(code)
  const silent = authorizeUrl(client, { prompt: 'none', id_token_hint: mine })
  assert.equal(answerIn(await visit(silent)).error, 'login_required')
  // Another session of the same user is fine.
  const elsewhere = await new Person(app.http).enter(user.email)
  assert.ok(answerIn(await visit(silent, elsewhere)).code)
  const wrong = authorizeUrl(client, { id_token_hint: `${mine}x` })
  assert.equal(answerIn(await visit(wrong, person)).error, 'invalid_request')
})

test('CORS: documents for all, tokens for the own origin of public clients', async () => {
  const publicClient = await newWorld(app, { tokenEndpointAuthMethod: 'none' })
  const confidential = await newWorld(app)
  const origin = 'https://wiki.example.com'
  const allowed = async (
    method: 'GET' | 'POST' | 'OPTIONS',
    { path }: Client,
    endpoint: string,
    from = origin,
  ) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const res = await app.http.inject({
      method,
      url: `${path}/${endpoint}`,
      headers: { origin: from, ...(method === 'POST' && form) },
      ...(method === 'POST' && { payload: '' }),
    })
    return res.headers['access-control-allow-origin']
  }
  for (const { client } of [publicClient, confidential])
    for (const path of ['.well-known/openid-configuration', 'jwks'])
      assert.equal(await allowed('GET', client, path), '*')
  for (const path of ['token', 'userinfo', 'revoke'])
    for (const method of ['OPTIONS', 'POST'] as const) {
      assert.equal(await allowed(method, publicClient.client, path), origin, `${method} ${path}`)
      assert.equal(await allowed(method, publicClient.client, path, 'https://evil.test'), undefined)
      assert.equal(await allowed(method, confidential.client, path), undefined)
    }
  assert.equal(await allowed('POST', publicClient.client, 'introspect'), undefined)
})
