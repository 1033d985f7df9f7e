import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import {
  addClient,
  answerIn,
  authorizeUrl,
  CALLBACK,
  callsOf,
  type Fields,
  newPkce,
  newWorld,
  ssoEvents,
} from '../../test/oidc/world.ts'
import { addPerson, PASSWORD, Person } from '../../test/person.ts'
import { attemptsOf, bind } from '../../test/sso/world.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
const { visit, post, codeFor, exchange } = callsOf(app)

const errorsOf = async (...[org]: Parameters<typeof ssoEvents>) =>
  (await ssoEvents(org)).map((event) => String(event.error_message).split(':')[0])

test('discovery lists what the application may use, and its keys are public ones', async () => {
  const org = await app.newOrganization()
  const client = await addClient(app, org, { tokenEndpointAuthMethod: 'client_secret_post' })
  const res = await visit(`${client.path}/.well-known/openid-configuration`)
  assert.equal(res.statusCode, 200)
  const { issuer } = client
  assert.equal(issuer, `${app.config.publicUrl}${client.path}`)
  const told = res.json()
  assert.deepEqual(
    [told.issuer, told.authorization_endpoint, told.token_endpoint, told.jwks_uri],
    [issuer, `${issuer}/authorize`, `${issuer}/token`, `${issuer}/jwks`],
  )
  assert.deepEqual(told.token_endpoint_auth_methods_supported, ['client_secret_post'])
  assert.deepEqual(told.grant_types_supported, ['authorization_code'])
  const jwks = await visit(`${client.path}/jwks`)
  const [key, ...others] = jwks.json().keys
  assert.deepEqual(others, [])
  assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])

  for (const path of ['.well-known/openid-configuration', 'jwks', 'userinfo'])
    assert.equal((await visit(`/oidc/${newId()}/${path}`)).statusCode, 404)
  assert.equal((await post(`/oidc/${newId()}/token`, {})).statusCode, 404)
  await org.delete(`/api/applications/${client.id}`)
  const gone = await visit(`${client.path}/jwks`)
  assert.deepEqual([gone.statusCode, gone.json().reason], [404, 'client_not_found'])
})

test('a signed-in user gets a code, at the exact registered URI', async () => {
  const { org, client, user, person } = await newWorld(app)
  const answer = answerIn(await visit(authorizeUrl(client), person))
  assert.deepEqual(Object.keys(answer), ['code', 'state', 'iss'])
  assert.equal(answer.state, 'the state')
  assert.equal(answer.iss, client.issuer)
  const [event] = await ssoEvents(org)
  assert.deepEqual(
    [event!.success, event!.idp_initiated, event!.mfa, event!.error_message],
    [true, false, false, undefined],
  )
  assert.deepEqual(event!.initiated_by, { type: 'user', id: user.id, username: user.username })
  const [attempt] = await attemptsOf(org, client.id)
  assert.deepEqual([attempt.success, attempt.user.id], [true, user.id])
})

test('until the client and redirect URI are verified, errors are pages', async () => {
  const { org, client, person } = await newWorld(app)
  const uris = [
    undefined,
    CALLBACK.toUpperCase(),
    `${CALLBACK}&x=1`,
    `${CALLBACK}#`,
    CALLBACK.replace('?', '/?'),
    CALLBACK.split('?')[0],
    CALLBACK.replace('https', 'http'),
    CALLBACK.replace('example.com', 'example.com.evil.example'),
    CALLBACK.replace('wiki', 'evil@wiki'),
    CALLBACK.replace('.com', '.com:443'),
    'javascript:alert(1)',
    'x'.repeat(3000),
  ]
  const urls = [
    ...uris.map((redirect_uri) => authorizeUrl(client, { redirect_uri })),
    authorizeUrl(client, { client_id: undefined }),
    authorizeUrl(client, { client_id: newId() }),
    `${authorizeUrl(client)}&redirect_uri=${encodeURIComponent('https://evil.example')}`,
    `${authorizeUrl(client)}&client_id=${client.clientId}`,
  ]
  for (const url of urls) {
    const res = await visit(url, person)
    assert.equal(res.statusCode, 400, url)
    assert.equal(res.headers.location, undefined)
    assert.match(String(res.headers['content-type']), /html/)
    assert.match(String(res.headers['content-security-policy']), /frame-ancestors 'none'/)
    assert.ok(!res.body.includes('evil'))
  }
  assert.equal((await errorsOf(org)).length, urls.length)
  const [attempt] = (await attemptsOf(org, client.id)).filter(
    ({ reason }: { reason: string }) => reason === 'redirect_uri_unknown',
  )
  assert.match(attempt.explanation, /is not registered \(oidc\.redirectUris\)/)
})

const BAD: [string, Fields, string][] = [
  ['no response type', { response_type: undefined }, 'invalid_request'],
  ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ['the hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['a fragment', { response_mode: 'fragment' }, 'invalid_request'],
  ['no scope', { scope: undefined }, 'invalid_scope'],
  ['no openid', { scope: 'email' }, 'invalid_scope'],
  ['a request object', { request: 'x' }, 'request_not_supported'],
  ['a request elsewhere', { request_uri: 'https://a.example' }, 'request_uri_not_supported'],
  ['a registration', { registration: '{}' }, 'registration_not_supported'],
  ['an unknown prompt', { prompt: 'sing' }, 'invalid_request'],
  ['none and more', { prompt: 'none login' }, 'invalid_request'],
  ['an age in words', { max_age: 'old' }, 'invalid_request'],
  ['a plain challenge', { ...newPkce().asked, code_challenge_method: 'plain' }, 'invalid_request'],
  [
    'a challenge alone',
    { ...newPkce().asked, code_challenge_method: undefined },
    'invalid_request',
  ],
  ['a method alone', { code_challenge_method: 'S256' }, 'invalid_request'],
  ['a short challenge', { ...newPkce().asked, code_challenge: 'x' }, 'invalid_request'],
  ['a control character', { nonce: 'a\0b' }, 'invalid_request'],
  ['a long nonce', { nonce: 'x'.repeat(3000) }, 'invalid_request'],
]
test('errors in a request are reported to the client, whether or not a user is signed in', async () => {
  const { org, client, person } = await newWorld(app)
  for (const [name, more, error] of BAD)
    for (const visitor of [person, { cookie: '' }]) {
      const answer = answerIn(await visit(authorizeUrl(client, more), visitor))
      assert.equal(answer.error, error, name)
      assert.equal(answer.code, undefined)
      assert.equal(answer.state, 'the state')
      assert.equal(answer.iss, client.issuer)
      assert.ok(answer.error_description)
    }
  const twice = answerIn(await visit(`${authorizeUrl(client)}&state=other`, person))
  assert.deepEqual([twice.error, twice.state], ['invalid_request', undefined])
  assert.equal((await errorsOf(org)).length, 2 * BAD.length + 1)
})

test('a client without a secret must send a challenge', async () => {
  const { client, person } = await newWorld(app, { tokenEndpointAuthMethod: 'none' })
  const answer = answerIn(await visit(authorizeUrl(client), person))
  assert.equal(answer.error, 'invalid_request')
  assert.match(answer.error_description!, /code_challenge/)
  await codeFor(client, person, newPkce().asked)
})

test('a user who is not signed in does so and comes back; prompt none is refused', async () => {
  const { org, client, user } = await newWorld(app)
  const url = authorizeUrl(client, { nonce: 'the nonce', login_hint: 'ignored' })
  const waiting = await visit(url)
  assert.equal(waiting.statusCode, 303)
  const login = new URL(String(waiting.headers.location), 'http://x')
  assert.equal(login.pathname, '/login')
  assert.equal(login.searchParams.get('organization'), org.organizationId)
  assert.equal(login.searchParams.get('fresh'), null)
  assert.deepEqual(await ssoEvents(org), [])
  const person = await new Person(app.http).enter(user.email)
  answerIn(await visit(login.searchParams.get('continue')!, person))

  const silent = answerIn(await visit(authorizeUrl(client, { prompt: 'none' })))
  assert.equal(silent.error, 'login_required')
  assert.ok(answerIn(await visit(authorizeUrl(client, { prompt: 'none' }), person)).code)
  assert.deepEqual(await errorsOf(org), ['undefined', 'passive', 'undefined'])
})

test('a user who must sign in again is asked once', async () => {
  const { client, user, person } = await newWorld(app)
  for (const more of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'select_account' }]) {
    const url = authorizeUrl(client, more)
    const login = new URL(String((await visit(url, person)).headers.location), 'http://x')
    assert.equal(login.pathname, '/login')
    assert.equal(login.searchParams.get('fresh'), '1')
    const back = login.searchParams.get('continue')!
    // Without a new sign-in, the return URL asks for one as well.
    const again = new URL(String((await visit(back, person)).headers.location), 'http://x')
    assert.equal(again.pathname, '/login')
    await person.enter(user.email)
    assert.ok(answerIn(await visit(back, person)).code)
    const silent = authorizeUrl(client, { max_age: '0', prompt: 'none' })
    assert.equal(answerIn(await visit(silent, person)).error, 'login_required')
  }
  assert.ok(answerIn(await visit(authorizeUrl(client, { max_age: '600' }), person)).code)
})

test('a posted request is redirected to a GET, which carries the cookie', async () => {
  const { client, person } = await newWorld(app)
  const url = authorizeUrl(client)
  const res = await post(`${client.path}/authorize`, {
    ...Object.fromEntries(new URLSearchParams(url.split('?')[1])),
  })
  assert.equal(res.statusCode, 303)
  assert.equal(res.headers.location, url)
  assert.ok(answerIn(await visit(String(res.headers.location), person)).code)
})

test('users who are not bound, and users of another organization, are denied', async () => {
  const { org, client, user, person } = await newWorld(app)
  const [stranger, foreigner] = [await addPerson(org), await addPerson(await app.newOrganization())]
  for (const { email } of [stranger, foreigner]) {
    const other = await new Person(app.http).enter(email)
    const answer = answerIn(await visit(authorizeUrl(client), other))
    assert.deepEqual([answer.error, answer.error_description], ['access_denied', undefined])
  }
  await bind(org, client.id, 'user', user.id, 'remove')
  assert.equal(answerIn(await visit(authorizeUrl(client), person)).error, 'access_denied')
  const events = await ssoEvents(org)
  assert.deepEqual(await errorsOf(org), ['no_access', 'no_access', 'no_access'])
  assert.deepEqual(
    events.map(({ initiated_by }) => (initiated_by as { id?: string }).id),
    [stranger.id, undefined, user.id],
  )
})

test('suspended, staged and locked users are sent to sign in, which they cannot', async () => {
  const { org, client, user, person } = await newWorld(app)
  for (const change of [{ account_locked: true }, { account_locked: false, state: 'SUSPENDED' }]) {
    await org.put(`/api/systemusers/${user.id}`, change)
    const res = await visit(authorizeUrl(client), person)
    assert.match(String(res.headers.location), /^\/login\?/)
  }
  const staged = await newWorld(app)
  await app.db
    .tenant(staged.org.organizationId)
    .run(sql`update users set state = 'STAGED' where id = ${staged.user.id}`)
  const res = await visit(authorizeUrl(staged.client), staged.person)
  assert.match(String(res.headers.location), /^\/login\?/)
})

test('an inactive, unknown or deleted application looks the same', async () => {
  const { org, client, person } = await newWorld(app)
  const url = `/api/applications/${client.id}`
  await org.put(url, { ...Object((await org.get(url)).json()), active: false })
  const off = await visit(authorizeUrl(client), person)
  await org.delete(url)
  const deleted = await visit(authorizeUrl(client), person)
  const unknown = await visit(`/oidc/${newId()}/authorize`, person)
  for (const res of [off, deleted, unknown]) {
    assert.equal(res.statusCode, 403)
    assert.equal(res.headers.location, undefined)
    assert.match(res.body, /do not have access/)
  }
  assert.deepEqual(await errorsOf(org), ['no_access'])
})

test('HEAD signs nobody in', async () => {
  const { org, client, person } = await newWorld(app)
  const { cookie } = person
  const head = { method: 'HEAD', url: authorizeUrl(client), headers: { cookie } } as const
  assert.equal((await app.http.inject(head)).statusCode, 404)
  assert.deepEqual(await ssoEvents(org), [])
})

test('codes are stored as hashes, and requests only as far as the tokens need', async () => {
  const { org, client, person } = await newWorld(app)
  const code = await codeFor(client, person, { nonce: 'the nonce' })
  const [row] = await app.db
    .tenant(org.organizationId)
    .many<{ text: string }>(sql`select row_to_json(g)::text as text from oidc_grants g`)
  assert.ok(row!.text.includes('the nonce'))
  assert.ok(!row!.text.includes(code) && !row!.text.includes('the state'))
  const hex = Buffer.from(code).toString('hex')
  assert.ok(!row!.text.includes(hex))
  assert.equal((await exchange(client, code)).statusCode, 200)
})

test('a sign-in denied at the portal is an attempt on the application', async () => {
  const { org, client, user } = await newWorld(app)
  await org.put(`/api/systemusers/${user.id}`, { suspended: true })
  const sent = await visit(authorizeUrl(client))
  const search = new URL(String(sent.headers.location), 'http://localhost').searchParams
  const res = await app.http.inject({
    method: 'POST',
    url: '/auth/users/sign-in',
    payload: { identifier: user.email, password: PASSWORD, continue: search.get('continue') },
  })
  assert.equal(res.statusCode, 401)
  const [event, another] = await ssoEvents(org)
  assert.equal(another, undefined)
  assert.deepEqual(
    [event!.success, event!.error_message],
    [false, 'user_state: the user is suspended'],
  )
  assert.deepEqual(event!.initiated_by, { type: 'user', id: user.id, username: user.username })
})
