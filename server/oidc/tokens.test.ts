import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Response } from '../../test/harness.ts'
import { startApp } from '../../test/harness.ts'
import {
  addClient,
  basic,
  CALLBACK,
  type Client,
  callsOf,
  claimsIn,
  type Fields,
  newPkce,
  newWorld,
  type Org,
  ssoEvents,
} from '../../test/oidc/world.ts'
import { codesOf, PASSWORD, Person } from '../../test/person.ts'
import { addGroup, attemptsOf, bind } from '../../test/sso/world.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
const { codeFor, post, tokens, exchange, refresh, userinfo } = callsOf(app)

const BOTH = { grantTypes: ['authorization_code', 'refresh_token'] }
const tenantOf = ({ organizationId }: Org) => app.db.tenant(organizationId)

function refused(res: Response, error: string, status = 400): void {
  assert.equal(res.statusCode, status, res.body)
  assert.equal(res.json().error, error, res.body)
  assert.equal(res.headers['cache-control'], 'no-store')
  assert.equal(res.json().access_token, undefined)
}
const lastReason = async (org: Org, client: Client) =>
  (await attemptsOf(org, client.id))[0].reason as string

/** A user with tokens. */
async function newHolder(settings: object = BOTH, scope = 'openid') {
  const world = await newWorld(app, settings)
  const pkce = newPkce()
  const code = await codeFor(world.client, world.person, { scope, ...pkce.asked })
  const res = await exchange(world.client, code, { code_verifier: pkce.verifier })
  assert.equal(res.statusCode, 200, res.body)
  return { ...world, code, pkce, answer: res.json() }
}

/** Both tokens are revoked. */
async function worthless(client: Client, answer: Record<string, string>): Promise<void> {
  refused(await userinfo(client, answer.access_token!), 'invalid_token', 401)
  if (answer.refresh_token) refused(await refresh(client, answer.refresh_token), 'invalid_grant')
}

test('a code is exchanged for tokens, which are stored as hashes', async () => {
  const { org, client, user, answer } = await newHolder()
  assert.equal(answer.token_type, 'Bearer')
  assert.equal(answer.expires_in, 3600)
  assert.equal(answer.scope, 'openid')
  const claims = claimsIn(answer.id_token)
  assert.equal(claims.email, undefined)
  assert.ok(!JSON.stringify(claims).includes(user.id))
  assert.deepEqual((await userinfo(client, answer.access_token)).json(), { sub: claims.sub })
  const rows = await tenantOf(org).many<{ text: string }>(
    sql`select row_to_json(t)::text as text from oidc_tokens t`,
  )
  assert.equal(rows.length, 2)
  for (const token of [answer.access_token, answer.refresh_token])
    for (const form of [token, Buffer.from(token).toString('hex')])
      assert.ok(rows.every(({ text }) => !text.includes(form)))
})

test('scopes determine the claims; unknown scopes are not granted', async () => {
  const world = await newWorld(app)
  const group = await addGroup(world.org, 'Writers', world.user.id)
  await bind(world.org, world.client.id, 'user_group', group)
  const code = await codeFor(world.client, world.person, {
    scope: 'openid groups email offline_access everything',
    nonce: 'the nonce',
  })
  const answer = (await exchange(world.client, code)).json()
  assert.equal(answer.scope, 'openid email groups')
  assert.equal(answer.refresh_token, undefined)
  const { sub, email, groups, nonce, name } = claimsIn(answer.id_token)
  assert.deepEqual([email, groups], [world.user.email, ['Writers']])
  assert.deepEqual([nonce, name], ['the nonce', undefined])
  const info = (await userinfo(world.client, answer.access_token)).json()
  assert.deepEqual(info, { sub, email, groups })
})

test('amr includes a second factor', async () => {
  const { org, client, user, person } = await newWorld(app)
  const { secret } = (await person.post('/totp')).json()
  const [now, later] = codesOf(secret)
  assert.equal((await person.post('/totp/confirm', { code: now })).statusCode, 200)
  const strong = new Person(app.http)
  await strong.signIn(user.email)
  assert.equal((await strong.post('/sign-in/totp', { code: later })).statusCode, 200)
  const answer = (await exchange(client, await codeFor(client, strong))).json()
  assert.deepEqual(claimsIn(answer.id_token).amr, ['pwd', 'otp', 'mfa'])
  assert.equal((await ssoEvents(org))[0]!.mfa, true)
})

test('a code used twice revokes its tokens', async () => {
  const { org, client, code, pkce, answer } = await newHolder()
  const next = (await refresh(client, answer.refresh_token)).json()
  refused(await exchange(client, code, { code_verifier: pkce.verifier }), 'invalid_grant')
  assert.equal(await lastReason(org, client), 'code_replayed')
  await worthless(client, answer)
  await worthless(client, next)
})

test('concurrent use of a code revokes all its tokens', async () => {
  const { client, person } = await newWorld(app, BOTH)
  const code = await codeFor(client, person)
  const answers = await Promise.all([1, 2, 3].map(() => exchange(client, code)))
  const given = answers.filter(({ statusCode }) => statusCode === 200)
  assert.ok(given.length <= 1)
  for (const res of given) await worthless(client, res.json())
})

test('a code is valid for a minute', async () => {
  const { org, client, person } = await newWorld(app)
  const before = (await app.db.one<{ now: string }>(sql`select now()`))!.now
  const code = await codeFor(client, person)
  const valid = await tenantOf(org).many(
    sql`select id from oidc_grants where code_expires_at - interval '60 seconds'
                                         between ${before}::timestamptz(3) and now()::timestamptz(3)`,
  )
  assert.equal(valid.length, 1)
  await tenantOf(org).run(sql`update oidc_grants set code_expires_at = now()`)
  refused(await exchange(client, code), 'invalid_grant')
  assert.equal(await lastReason(org, client), 'code_expired')
})

test('a code belongs to its challenge', async () => {
  const { org, client, person } = await newWorld(app, { tokenEndpointAuthMethod: 'none' })
  const { verifier, asked } = newPkce()
  const code = await codeFor(client, person, asked)
  const wrong = [
    undefined,
    newPkce().verifier,
    asked.code_challenge,
    `${verifier}=`,
    verifier.slice(1),
  ]
  for (const code_verifier of wrong) {
    refused(await exchange(client, code, { code_verifier }), 'invalid_grant')
    assert.equal(await lastReason(org, client), 'pkce')
  }
  assert.equal((await exchange(client, code, { code_verifier: verifier })).statusCode, 200)
})

test('a verifier without a challenge is refused as a downgrade', async () => {
  const { client, person } = await newWorld(app)
  const code = await codeFor(client, person)
  refused(await exchange(client, code, { code_verifier: newPkce().verifier }), 'invalid_grant')
})

test('a code belongs to its client and to its redirect URI', async () => {
  const registered = 'https://wiki.example.com/other'
  const { org, client, person } = await newWorld(app, { redirectUris: [CALLBACK, registered] })
  const other = await addClient(app, org)
  const foreign = await addClient(app, await app.newOrganization())
  const code = await codeFor(client, person)
  for (const thief of [other, foreign]) refused(await exchange(thief, code), 'invalid_grant')
  for (const redirect_uri of [registered, 'https://wiki.example.com/callback', `${CALLBACK}#`])
    refused(await exchange(client, code, { redirect_uri }), 'invalid_grant')
  refused(await exchange(client, code, { redirect_uri: undefined }), 'invalid_request')
  refused(await exchange(client, `${code}x`), 'invalid_grant')
  const oidc = { redirectUris: [registered] }
  await org.put(`/api/v2/applications/${client.id}/sso`, { oidc })
  refused(await exchange(client, code), 'invalid_grant')
})

test('a client authenticates by its registered method only', async () => {
  const org = await app.newOrganization()
  const [header, form, none] = await Promise.all(
    ['client_secret_basic', 'client_secret_post', 'none'].map((tokenEndpointAuthMethod) =>
      addClient(app, org, { tokenEndpointAuthMethod }),
    ),
  )
  const asks = (client: Client, fields: Fields, headers: Record<string, string> = {}) =>
    post(
      `${client.path}/token`,
      { grant_type: 'authorization_code', code: 'x', ...fields },
      headers,
    )
  const proof = (client: Client, secret = client.clientSecret!) => ({
    authorization: basic(client.clientId, secret),
  })
  const inForm = (client: Client, secret = client.clientSecret) => ({
    client_id: client.clientId,
    client_secret: secret,
  })
  const wrong: Promise<Response>[] = [
    asks(header!, {}),
    asks(header!, inForm(header!)),
    asks(header!, {}, proof(header!, 'wrong')),
    asks(header!, {}, proof(form!)),
    asks(header!, inForm(header!), proof(header!)),
    asks(header!, { client_id: form!.clientId }, proof(header!)),
    asks(header!, {}, { authorization: `Bearer ${header!.clientSecret}` }),
    asks(header!, {}, { authorization: 'Basic eA==' }),
    asks(form!, {}),
    asks(form!, {}, proof(form!)),
    asks(form!, inForm(form!, 'wrong')),
    asks(form!, { client_id: form!.clientId }),
    asks(form!, { ...inForm(form!), client_id: undefined }),
    asks(none!, {}),
    asks(none!, inForm(none!, 'x')),
    asks(none!, { client_id: form!.clientId }),
  ]
  for (const res of await Promise.all(wrong)) {
    refused(res, 'invalid_client', 401)
    assert.match(String(res.headers['www-authenticate']), /^Basic/)
  }
  // An authenticated client gets an error about the code.
  const good = [
    asks(header!, {}, proof(header!)),
    asks(form!, inForm(form!)),
    asks(none!, { client_id: none!.clientId }),
  ]
  for (const res of await Promise.all(good)) refused(res, 'invalid_grant')
  assert.equal((await ssoEvents(org)).length, wrong.length + good.length)
  const said = JSON.stringify(await org.events())
  for (const { clientSecret } of [header!, form!]) assert.ok(!said.includes(clientSecret!))
})

test('a new secret replaces the old one at once', async () => {
  const { org, client, person } = await newWorld(app)
  const oidc = { redirectUris: [CALLBACK], newClientSecret: true }
  const put = await org.put(`/api/v2/applications/${client.id}/sso`, { oidc })
  const { clientSecret } = put.json().oidc
  app.secrets.add(clientSecret)
  const code = await codeFor(client, person)
  refused(await exchange(client, code), 'invalid_client', 401)
  assert.equal((await exchange({ ...client, clientSecret }, code)).statusCode, 200)
})

test('the token endpoint accepts forms only, and no repeated parameter', async () => {
  const { client } = await newWorld(app)
  const url = `${client.path}/token`
  const authorization = basic(client.clientId, client.clientSecret!)
  const headers = { authorization }
  const json = { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK }
  const asJson = await app.http.inject({ method: 'POST', url, headers, payload: json })
  assert.equal(asJson.statusCode, 415)
  const twice = await app.http.inject({
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'grant_type=authorization_code&grant_type=authorization_code&code=x',
  })
  refused(twice, 'invalid_request')
  refused(await tokens(client, {}), 'invalid_request')
  refused(await tokens(client, { grant_type: 'password' }), 'unsupported_grant_type')
  refused(await refresh(client, 'x'), 'unauthorized_client')
  const got = await app.http.inject({ url, headers })
  assert.equal(got.statusCode, 404)
})

test('refresh tokens rotate; one used twice revokes the grant', async () => {
  const { org, client, answer } = await newHolder()
  const second = (await refresh(client, answer.refresh_token)).json()
  assert.notEqual(second.refresh_token, answer.refresh_token)
  assert.equal(claimsIn(second.id_token).sub, claimsIn(answer.id_token).sub)
  const third = (await refresh(client, second.refresh_token, { scope: 'openid' })).json()
  assert.equal((await userinfo(client, third.access_token)).statusCode, 200)
  refused(await refresh(client, answer.refresh_token), 'invalid_grant')
  assert.equal(await lastReason(org, client), 'refresh_reused')
  for (const lost of [answer, second, third]) await worthless(client, lost)
})

test('concurrent use of a refresh token revokes the grant', async () => {
  const { client, answer } = await newHolder()
  const answers = await Promise.all([1, 2, 3].map(() => refresh(client, answer.refresh_token)))
  const given = answers.filter(({ statusCode }) => statusCode === 200)
  assert.ok(given.length <= 1)
  for (const lost of [answer, ...given.map((res) => res.json())]) await worthless(client, lost)
})

test('a refresh token belongs to its client, cannot widen the scopes, and expires', async () => {
  const { org, client, answer } = await newHolder()
  const other = await addClient(app, org, BOTH)
  const foreign = await addClient(app, await app.newOrganization(), BOTH)
  for (const thief of [other, foreign])
    refused(await refresh(thief, answer.refresh_token), 'invalid_grant')
  refused(await refresh(client, answer.access_token), 'invalid_grant')
  const wider = await refresh(client, answer.refresh_token, { scope: 'openid email' })
  refused(wider, 'invalid_scope')
  await tenantOf(org).run(sql`update oidc_tokens set expires_at = now()`)
  await worthless(client, answer)
})

test('tokens of a confidential client are invalid once it is public', async () => {
  const { org, client, answer } = await newHolder()
  const oidc = { redirectUris: [CALLBACK], ...BOTH, tokenEndpointAuthMethod: 'none' }
  await org.put(`/api/v2/applications/${client.id}/sso`, { oidc })
  const bare = { ...client, clientSecret: undefined }
  refused(await refresh(bare, answer.refresh_token), 'invalid_grant')
  assert.equal(await lastReason(org, client), 'client_changed')
})

test('userinfo requires a token of this client', async () => {
  const { org, client, answer } = await newHolder()
  const url = `${client.path}/userinfo`
  const token: string = answer.access_token
  const other = await addClient(app, org)
  const foreign = await addClient(app, await app.newOrganization())
  const flipped = token.startsWith('A') ? `B${token.slice(1)}` : `A${token.slice(1)}`
  for (const res of [
    await app.http.inject({ url }),
    await app.http.inject({ url: `${url}?access_token=${token}` }),
    await userinfo(client, flipped),
    await userinfo(client, answer.refresh_token),
    await userinfo(client, answer.id_token),
    await userinfo(other, token),
    await userinfo(foreign, token),
  ]) {
    refused(res, 'invalid_token', 401)
    assert.match(String(res.headers['www-authenticate']), /^Bearer/)
  }
  const posted = await post(url, {}, { authorization: `Bearer ${token}` })
  assert.equal(posted.statusCode, 200)
  assert.equal(posted.headers['access-control-allow-origin'], undefined)
})

type Holder = Awaited<ReturnType<typeof newHolder>>
const ENDS: [string, (holder: Holder) => Promise<unknown>][] = [
  ['the session ends', ({ person }) => person.post('/sign-out')],
  [
    'the user is staged',
    ({ org, user }) =>
      tenantOf(org).run(sql`update users set state = 'STAGED' where id = ${user.id}`),
  ],
  [
    'the user is suspended',
    ({ org, user }) => org.put(`/api/systemusers/${user.id}`, { state: 'SUSPENDED' }),
  ],
  [
    'the user is locked',
    ({ org, user }) => org.put(`/api/systemusers/${user.id}`, { account_locked: true }),
  ],
  ['the user is deleted', ({ org, user }) => org.delete(`/api/systemusers/${user.id}`)],
  [
    'the user is unbound',
    ({ org, user, client }) => bind(org, client.id, 'user', user.id, 'remove'),
  ],
  [
    'the session has rested for too long',
    ({ org }) =>
      tenantOf(org).run(sql`update user_sessions set seen_at = now() - interval '2 hours'`),
  ],
  [
    'the application is switched off',
    async ({ org, client }) => {
      const url = `/api/applications/${client.id}`
      await org.put(url, { ...Object((await org.get(url)).json()), active: false })
    },
  ],
]
for (const [name, end] of ENDS)
  test(`${name}: codes, refresh tokens and access tokens are invalid from then on`, async () => {
    const holder = await newHolder()
    const { org, client, person, answer } = holder
    const code = await codeFor(client, person)
    assert.equal((await userinfo(client, answer.access_token)).statusCode, 200)
    await end(holder)
    refused(await exchange(client, code), 'invalid_grant')
    await worthless(client, answer)
    const events = await ssoEvents(org)
    assert.ok(events.slice(2).every(({ success }) => success === false))
    assert.equal(events.length, 4)
  })
