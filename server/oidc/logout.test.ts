import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEndpoint } from '../../test/endpoint.ts'
import { startApp } from '../../test/harness.ts'
import {
  addClient,
  authorizeUrl,
  CALLBACK,
  type Client,
  callsOf,
  claimsIn,
  type Fields,
  newWorld,
} from '../../test/oidc/world.ts'
import { PASSWORD, Person } from '../../test/person.ts'
import { addApplication, attemptsOf, bind, type Org } from '../../test/sso/world.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
const { visit, post, codeFor, exchange } = callsOf(app)

const BYE = 'https://wiki.example.com/bye'

const idTokenFor = async (client: Client, person: Person): Promise<string> => {
  const res = await exchange(client, await codeFor(client, person))
  return res.json().id_token as string
}
const logoutUrl = ({ path }: Client, fields: Record<string, string> = {}) =>
  `${path}/logout?${new URLSearchParams(fields)}`
const isSignedIn = async (client: Client, person: Person) =>
  String((await visit(authorizeUrl(client), person)).headers.location).includes('code=')

const framesOf = (body: string) =>
  [...body.matchAll(/<iframe src="([^"]*)"/g)].map(([, src]) => src!)
const statesAt = async (path: string) =>
  ((await visit(`${path}/states`)).json() as { state: string }[]).map(({ state }) => state)

test('RP-initiated logout with an ID token ends the session and returns with the state', async () => {
  const { client, person } = await newWorld(app, { postLogoutRedirectUris: [BYE] })
  const id_token_hint = await idTokenFor(client, person)
  const url = logoutUrl(client, { id_token_hint, post_logout_redirect_uri: BYE, state: 'a b' })
  const res = await visit(url, person)
  assert.equal(res.headers.location, `${BYE}?state=a+b`)
  assert.equal(await isSignedIn(client, person), false)
  // Once more: there is nothing to end.
  assert.equal((await visit(url, person)).headers.location, `${BYE}?state=a+b`)
})

test('without an address to return to, a logout ends on a page of ours', async () => {
  const { client, user } = await newWorld(app, { postLogoutRedirectUris: [BYE] })
  for (const more of [{}, { state: 'x' }] as Record<string, string>[]) {
    const person = await new Person(app.http).enter(user.email)
    const id_token_hint = await idTokenFor(client, person)
    const res = await visit(logoutUrl(client, { id_token_hint, ...more }), person)
    assert.equal(res.statusCode, 200)
    assert.match(res.body, /You are signed out/)
  }
  const person = await new Person(app.http).enter(user.email)
  const id_token_hint = await idTokenFor(client, person)
  const silent = logoutUrl(client, { id_token_hint, post_logout_redirect_uri: BYE })
  assert.equal((await visit(silent, person)).headers.location, BYE)
})

test('without an ID token of this session the user is asked', async () => {
  const { org, client, person, user } = await newWorld(app, { postLogoutRedirectUris: [BYE] })
  const other = await addClient(app, org, {})
  await bind(org, other.id, 'user', user.id)
  const elsewhere = await new Person(app.http).enter(user.email)
  const foreign = await idTokenFor(client, elsewhere)
  for (const fields of [{}, { id_token_hint: foreign }] as Record<string, string>[]) {
    const asked = await visit(logoutUrl(client, fields), person)
    assert.equal(asked.statusCode, 200)
    assert.match(asked.body, /Sign out\?/)
  }
  assert.equal(await isSignedIn(client, person), true)
  // A POST of another site carries no cookie: it leads to the same question.
  const crossSite = await post(`${client.path}/logout`, { confirmed: 'yes', state: 's' })
  assert.equal(crossSite.headers.location, `${client.path}/logout?state=s`)

  const { cookie } = person
  const confirmed = { confirmed: 'yes', post_logout_redirect_uri: BYE }
  const done = await post(`${client.path}/logout`, confirmed, { cookie })
  assert.equal(done.headers.location, BYE)
  assert.equal(await isSignedIn(client, person), false)
})

test('an invalid logout request is a page, and ends nothing', async () => {
  const { org, client, person } = await newWorld(app, { postLogoutRedirectUris: [BYE] })
  const token = await idTokenFor(client, person)
  const [header, claims] = token.split('.')
  const cases: [string, Record<string, string>][] = [
    ['redirect_uri_unknown', { id_token_hint: token, post_logout_redirect_uri: `${BYE}/x` }],
    ['redirect_uri_unknown', { id_token_hint: token, post_logout_redirect_uri: `${BYE}?x=1` }],
    ['redirect_uri_unknown', { post_logout_redirect_uri: CALLBACK }],
    ['client_differs', { client_id: 'another' }],
    ['id_token_hint', { id_token_hint: 'nonsense' }],
    ['id_token_hint', { id_token_hint: `${header}.${claims}.AAAA` }],
  ]
  for (const [reason, fields] of cases) {
    const res = await visit(logoutUrl(client, fields), person)
    assert.equal(res.statusCode, 400)
    const [attempt] = await attemptsOf(org, client.id)
    assert.deepEqual([attempt.kind, attempt.reason], ['logout', reason])
  }
  assert.equal((await visit('/oidc/nothing/logout')).statusCode, 404)
  assert.equal(await isSignedIn(client, person), true)
})

/** A client that receives logout tokens. */
async function backChannel(respond: () => string | undefined = () => '') {
  const tokens: string[] = []
  const uri = await startEndpoint((body) => {
    tokens.push(new URLSearchParams(body).get('logout_token')!)
    return respond()
  })
  return { tokens, uri }
}

test('back-channel logout: a client gets a logout token, its state is on the page', async () => {
  const { tokens, uri } = await backChannel()
  const { client, person } = await newWorld(app, { backchannelLogoutUri: uri })
  const idToken = claimsIn(await idTokenFor(client, person))
  const { continueTo } = (await person.post('/sign-out')).json()
  assert.match((await visit(continueTo)).body, /Signing out/)
  assert.deepEqual(await statesAt(continueTo), ['waiting'])
  await app.runDueJobs()
  assert.deepEqual(await statesAt(continueTo), ['done'])
  const [token, ...others] = tokens
  assert.deepEqual(others, [])
  const { iat, exp, jti, ...claims } = claimsIn(token!)
  assert.deepEqual(claims, {
    iss: client.issuer,
    aud: client.clientId,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sub: idToken.sub,
    sid: idToken.sid,
  })
  assert.equal(Number(exp) - Number(iat), 120)
  assert.ok(jti)
  const { typ } = JSON.parse(Buffer.from(token!.split('.')[0]!, 'base64url').toString())
  assert.equal(typ, 'logout+jwt')
})

test('back-channel logout: the client that asks for a logout gets a logout token as well', async () => {
  const { tokens, uri } = await backChannel()
  const { client, person } = await newWorld(app, {
    backchannelLogoutUri: uri,
    postLogoutRedirectUris: [BYE],
  })
  const id_token_hint = await idTokenFor(client, person)
  const asked = logoutUrl(client, { id_token_hint, post_logout_redirect_uri: BYE, state: 's' })
  const path = String((await visit(asked, person)).headers.location)
  assert.match(path, /^\/logout\//)
  await app.runDueJobs()
  assert.deepEqual(await statesAt(path), ['done'])
  assert.equal(claimsIn(tokens[0]!).sid, claimsIn(id_token_hint).sid)
  assert.equal((await visit(`${path}/done`)).headers.location, `${BYE}?state=s`)
})

test('back-channel logout: also when a session ends without its browser, and failures are shown', async () => {
  const { tokens, uri } = await backChannel(() => undefined)
  const { org, client, user, person } = await newWorld(app, { backchannelLogoutUri: uri })
  const { sid } = claimsIn(await idTokenFor(client, person))
  const { continueTo } = (await person.post('/sign-out')).json()
  await app.runDueJobs()
  assert.deepEqual(await statesAt(continueTo), ['failed'])
  assert.match((await visit(`${continueTo}/done`)).body, /may still be signed in to:.*Wiki/s)

  const again = await new Person(app.http).enter(user.email)
  const second = claimsIn(await idTokenFor(client, again))
  const before = tokens.length
  await org.put(`/api/systemusers/${user.id}`, { state: 'SUSPENDED' })
  await app.runDueJobs()
  assert.deepEqual(
    tokens.slice(before).map((token) => claimsIn(token).sid),
    [second.sid],
  )
  assert.notEqual(second.sid, sid)
})

test('front-channel logout: the frame leads to the client, beside those of SAML', async () => {
  const uri = 'https://wiki.example.com/frame?a=1'
  const { org, client, user, person } = await newWorld(app, { frontchannelLogoutUri: uri })
  const saml = await addApplication(org, { sloUrl: 'https://sp.example.com/slo' })
  await bind(org, saml.id, 'user', user.id)
  const { sid } = claimsIn(await idTokenFor(client, person))
  await visit(saml.url, person)
  const { continueTo } = (await person.post('/sign-out')).json()
  const page = await visit(continueTo)
  assert.match(String(page.headers['content-security-policy']), /frame-src 'self' https: http:/)
  const [first, second] = framesOf(page.body)
  assert.match(String((await visit(first!)).headers.location), /^https:\/\/sp\.example\.com\/slo/)
  const told = new URLSearchParams({ iss: client.issuer, sid: String(sid) })
  assert.equal((await visit(second!)).headers.location, `${uri}&${told}`)
  assert.deepEqual(await statesAt(continueTo), ['waiting', 'sent'])
})

test('discovery announces logout, revocation and introspection', async () => {
  const { client } = await newWorld(app)
  const { path, issuer } = client
  const told = (await visit(`${path}/.well-known/openid-configuration`)).json()
  assert.equal(told.end_session_endpoint, `${issuer}/logout`)
  assert.equal(told.revocation_endpoint, `${issuer}/revoke`)
  assert.equal(told.introspection_endpoint, `${issuer}/introspect`)
  for (const name of ['frontchannel', 'backchannel'])
    assert.deepEqual(
      [told[`${name}_logout_supported`], told[`${name}_logout_session_supported`]],
      [true, true],
    )
})

test('the settings of logout are validated and returned', async () => {
  const org: Org = await app.newOrganization()
  const client = await addClient(app, org)
  const url = `/api/v2/applications/${client.id}/sso`
  const bad: Fields[] = [
    { frontchannelLogoutUri: 'http://wiki.example.com/' },
    { backchannelLogoutUri: 'javascript:alert(1)' },
  ]
  for (const more of bad) {
    const res = await org.put(url, { oidc: { redirectUris: [CALLBACK], ...more } })
    assert.equal(res.json().reason, 'bad_oidc', res.body)
  }
  const settings = {
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [BYE],
    frontchannelLogoutUri: 'https://wiki.example.com/front',
    backchannelLogoutUri: 'https://wiki.example.com/back',
    subjectType: 'public',
  }
  const saved = await org.put(url, { oidc: settings })
  assert.equal(saved.statusCode, 200, saved.body)
  const { oidc } = (await org.get(url)).json()
  for (const [name, value] of Object.entries(settings)) assert.deepEqual(oidc[name], value, name)
})
