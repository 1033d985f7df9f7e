import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { Surfer } from '../sso/surfer.ts'
import { addGroup, bind } from '../sso/world.ts'
import { begin, discover, startCallback } from './relying-party.ts'
import { addClient, type Client, claimsIn, type Org, ssoEvents } from './world.ts'

// Sign-in with an independent relying party over HTTP.

const app = await startListening()
app.secrets.add(PASSWORD)

const redirect_uri = await startCallback()

async function newPerson(org: Org) {
  const user = await addPerson(org, { firstname: 'Ada', lastname: 'Lovelace' })
  return { user, surfer: new Surfer({ identifier: user.email, password: PASSWORD }) }
}

/** One sign-in, end to end. */
async function signOn(
  config: openid.Configuration,
  surfer: Surfer,
  more: Record<string, string> = {},
  pkce = true,
) {
  const { url, finish } = await begin(config, redirect_uri, more, pkce)
  return kept(await finish((await surfer.open(url)).url))
}

/** Secrets that must not appear in the log. */
function kept<T extends openid.TokenEndpointResponse>(answer: T): T {
  for (const secret of [answer.access_token, answer.refresh_token, answer.id_token])
    if (secret) app.secrets.add(secret)
  return answer
}

const METHODS: [string, (secret: string | undefined) => openid.ClientAuth, boolean[]][] = [
  ['client_secret_basic', openid.ClientSecretBasic, [true, false]],
  ['client_secret_post', openid.ClientSecretPost, [true, false]],
  ['none', openid.None, [true]],
]
for (const [tokenEndpointAuthMethod, authenticate, withPkce] of METHODS)
  for (const pkce of withPkce)
    test(`${tokenEndpointAuthMethod} ${pkce ? 'with' : 'without'} PKCE: a user signs in, and the claims arrive`, async () => {
      const org = await app.newOrganization()
      const { user, surfer } = await newPerson(org)
      const client = await addClient(app, org, {
        redirectUris: [redirect_uri],
        tokenEndpointAuthMethod,
        grantTypes: ['authorization_code', 'refresh_token'],
        accessTokenLifespan: 120,
      })
      const group = await addGroup(org, 'Analysts & Friends', user.id)
      await bind(org, client.id, 'user_group', group)
      const config = await discover(client, authenticate(client.clientSecret))

      const answer = await signOn(config, surfer, {}, pkce)
      const claims = answer.claims()!
      assert.equal(claims.iss, client.issuer)
      assert.equal(claims.aud, client.clientId)
      assert.equal(claims.exp - claims.iat, 120)
      assert.equal(answer.expires_in, 120)
      assert.match(claims.sub, /^_[0-9a-f]{64}$/)
      assert.deepEqual(claims.amr, ['pwd'])
      const told = {
        sub: claims.sub,
        email: user.email,
        name: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
        preferred_username: user.username,
        groups: ['Analysts & Friends'],
      }
      const { sub, email, name, given_name, family_name, preferred_username, groups } = claims
      assert.deepEqual(
        { sub, email, name, given_name, family_name, preferred_username, groups },
        told,
      )
      const info = await openid.fetchUserInfo(config, answer.access_token, claims.sub)
      assert.deepEqual({ ...info }, told)

      const refreshed = kept(await openid.refreshTokenGrant(config, answer.refresh_token!))
      assert.equal(refreshed.claims()!.sub, claims.sub)
      assert.equal(refreshed.claims()!.auth_time, claims.auth_time)
      assert.equal(refreshed.claims()!.nonce, undefined)
      await openid.fetchUserInfo(config, refreshed.access_token, claims.sub)

      const [event, ...others] = await ssoEvents(org)
      assert.deepEqual(others, [])
      assert.equal(event!.success, true)
      assert.deepEqual(event!.initiated_by, { type: 'user', id: user.id, username: user.username })
      assert.equal((event!.application as { id: string }).id, client.id)
    })

test('a user has a different sub for each application, the same at every sign-in', async () => {
  const org = await app.newOrganization()
  const { user, surfer } = await newPerson(org)
  const subjectsOf = async () => {
    const client = await addClient(app, org, { redirectUris: [redirect_uri] })
    await bind(org, client.id, 'user', user.id)
    const config = await discover(client)
    const first = (await signOn(config, surfer)).claims()!.sub
    return [first, (await signOn(config, surfer)).claims()!.sub]
  }
  const [[one, again], [other]] = [await subjectsOf(), await subjectsOf()]
  assert.equal(one, again)
  assert.notEqual(one, other)
})

test('prompt and max_age: the user signs in again once, and auth_time shows when', async () => {
  const org = await app.newOrganization()
  const { user, surfer } = await newPerson(org)
  const client = await addClient(app, org, { redirectUris: [redirect_uri] })
  await bind(org, client.id, 'user', user.id)
  const config = await discover(client)
  const before = Math.floor(Date.now() / 1000)
  for (const more of [
    { prompt: 'login' },
    { max_age: '0' },
    { max_age: '3600' },
    { prompt: 'none' },
  ]) {
    const { auth_time } = (await signOn(config, surfer, more)).claims()!
    assert.ok(Number(auth_time) >= before)
  }
})

test('an independent client revokes and introspects its tokens, and ends the session', async () => {
  const org = await app.newOrganization()
  const { user, surfer } = await newPerson(org)
  const bye = `${redirect_uri}/bye`
  const client = await addClient(app, org, {
    redirectUris: [redirect_uri],
    postLogoutRedirectUris: [bye],
    grantTypes: ['authorization_code', 'refresh_token'],
  })
  await bind(org, client.id, 'user', user.id)
  const config = await discover(client)
  const tokens = await signOn(config, surfer)
  const told = await openid.tokenIntrospection(config, tokens.access_token)
  assert.deepEqual([told.active, told.sub], [true, tokens.claims()!.sub])
  await openid.tokenRevocation(config, tokens.refresh_token!)
  assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, false)

  const end = openid.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token!,
    post_logout_redirect_uri: bye,
    state: 'over',
  })
  assert.equal((await surfer.open(end.href)).url, `${bye}?state=over`)
  const { url } = await begin(config, redirect_uri, { prompt: 'none' })
  assert.match((await surfer.open(url)).url, /error=login_required/)
})

test('after a key rotation both old and new tokens verify', async () => {
  const org = await app.newOrganization()
  const { user, surfer } = await newPerson(org)
  const client = await addClient(app, org, { redirectUris: [redirect_uri] })
  await bind(org, client.id, 'user', user.id)
  const config = await discover(client)
  const first = (await signOn(config, surfer)).id_token!
  const certificates = `/api/v2/applications/${client.id}/certificates`
  await org.post(certificates)
  const seen = await keysOf(client)
  assert.equal(seen.length, 2)
  await org.post(`${certificates}/promote`)

  // A relying party that read the keys before the rotation knows the new one.
  const second = (await signOn(await discover(client), surfer)).id_token!
  assert.notEqual(kidIn(first), kidIn(second))
  assert.deepEqual([kidIn(second), kidIn(first)].sort(), seen.map(({ kid }) => kid).sort())
  const keys = await keysOf(client)
  for (const token of [first, second]) assert.ok(await verifies(token, keys))
  assert.ok(!(await verifies(tampered(second), keys)))

  const fetched = (await org.get(certificates)).json() as { fetchedBy: object[] }[]
  assert.ok(fetched.every(({ fetchedBy }) => fetchedBy.length > 0))
})

type Key = JsonWebKey & { kid: string }
const keysOf = async ({ issuer }: Client): Promise<Key[]> =>
  ((await (await fetch(`${issuer}/jwks`)).json()) as { keys: Key[] }).keys
const partsOf = (token: string) => token.split('.') as [string, string, string]
const kidIn = (token: string): string =>
  JSON.parse(Buffer.from(partsOf(token)[0], 'base64url').toString()).kid

/** Verified by Web Crypto, which did not create the signature. */
async function verifies(token: string, keys: Key[]): Promise<boolean> {
  const [header, claims, signature] = partsOf(token)
  const jwk = keys.find(({ kid }) => kid === kidIn(token))!
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  return crypto.subtle.verify(
    algorithm.name,
    key,
    Buffer.from(signature, 'base64url'),
    Buffer.from(`${header}.${claims}`),
  )
}

function tampered(token: string): string {
  const [header, , signature] = partsOf(token)
  const claims = Buffer.from(JSON.stringify({ ...claimsIn(token), sub: 'somebody else' }))
  return `${header}.${claims.toString('base64url')}.${signature}`
}
