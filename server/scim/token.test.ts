import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, fails } from '../../test/scim/connect.ts'
import { type RawAnswer, startRawServer } from '../../test/scim/raw.ts'
import type { OAuthClient } from './connection.ts'

const client = { clientId: 'gate house', clientSecret: 's3cret&' }
const authOf = (tokenUrl: string, more: Partial<OAuthClient> = {}) => ({
  auth: { type: 'oauth', tokenUrl, ...client, ...more } as const,
})

/** Issues t1, t2 and so on, and accepts the last one only. */
async function startProtected(t: Parameters<typeof startRawServer>[0], lifetime?: number) {
  let issued = 0
  const tokens = await startRawServer(t, () => ({
    body: { access_token: `t${++issued}`, token_type: 'Bearer', expires_in: lifetime },
  }))
  const scim = await startRawServer(t, ({ headers }) =>
    headers.authorization === `Bearer t${issued}` ? { body: { id: '1' } } : { status: 401 },
  )
  return { tokens, scim, revoke: () => issued++ }
}

test('a token is fetched once for all requests, and again when it expires', async (t) => {
  const { tokens, scim } = await startProtected(t, 100)
  let now = 0
  const { client } = connect(t, scim.url, {
    ...authOf(`${tokens.url}/token`, { scope: 'scim a', audience: 'x' }),
    now: () => now,
  })
  await Promise.all([1, 2, 3, 4].map(() => client.get('User', '1')))
  assert.equal(tokens.requests.length, 1)
  const { headers, body } = tokens.requests[0]!
  assert.equal(body, 'grant_type=client_credentials&scope=scim+a&audience=x')
  const basic = Buffer.from('gate%20house:s3cret%26').toString('base64')
  assert.equal(headers.authorization, `Basic ${basic}`)
  now = 89_999
  await client.get('User', '1')
  assert.equal(tokens.requests.length, 1)
  now = 90_000
  await client.get('User', '1')
  assert.equal(tokens.requests.length, 2)
})

test('a refused token is replaced once', async (t) => {
  const { tokens, scim, revoke } = await startProtected(t)
  const { client } = connect(t, scim.url, authOf(tokens.url))
  await client.get('User', '1')
  revoke()
  await Promise.all([client.get('User', '1'), client.get('User', '1')])
  assert.equal(tokens.requests.length, 2)
  const refusing = await startRawServer(t, ({ headers }) => ({
    status: 401,
    body: { detail: `No ${headers.authorization}` },
  }))
  const { client: refused } = connect(t, refusing.url, authOf(tokens.url))
  await assert.rejects(
    refused.get('User', '1'),
    fails('misconfigured', /credentials: No Bearer \*\*\*/),
  )
  assert.equal(refusing.requests.length, 2)
})

test('a token server that wants the secret in the body gets it there', async (t) => {
  const tokens = await startRawServer(t, ({ headers, body }) => {
    if (headers.authorization) return { status: 401, body: { error: 'invalid_client' } }
    const form = new URLSearchParams(body)
    const right =
      form.get('client_id') === client.clientId && form.get('client_secret') === client.clientSecret
    return right ? { body: { access_token: 't' } } : { status: 400 }
  })
  const scim = await startRawServer(t, () => ({ body: { id: '1' } }))
  await connect(t, scim.url, authOf(tokens.url)).client.get('User', '1')
  assert.equal(scim.requests[0]!.headers.authorization, 'Bearer t')
})

test('a token server that fails is reported', async (t) => {
  let reply: ReturnType<RawAnswer> = 'cut'
  const tokens = await startRawServer(t, () => reply)
  const { client: failing } = connect(t, 'http://127.0.0.1:1', authOf(tokens.url))
  const get = () => failing.get('User', '1')
  await assert.rejects(
    get(),
    fails('transient', /get an access token: 127.* closed the connection/),
  )
  reply = { status: 503 }
  await assert.rejects(get(), fails('transient', /gave no access token.*\(503\)/))
  reply = {
    status: 401,
    body: { error: 'invalid_client', error_description: `Not ${client.clientSecret}` },
  }
  await assert.rejects(get(), fails('misconfigured', /gave no access token: Not \*\*\* \(401\)/))
  reply = { body: '<html>' }
  await assert.rejects(get(), fails('misconfigured', /it sent none \(200\)/))
  reply = { body: { access_token: '' } }
  await assert.rejects(get(), fails('misconfigured', /it sent none \(200\)/))
  assert.equal(failing.chain.length, 0)
})
