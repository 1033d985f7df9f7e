import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, fails } from '../../test/scim/connect.ts'
import { startRawServer } from '../../test/scim/raw.ts'
import { Allowlist } from '../platform/outbound/allowlist.ts'
import { Outbound } from '../platform/outbound/client.ts'
import type { Resolve } from '../platform/outbound/destination.ts'
import { ScimClient } from './client.ts'
import type { ScimAuth } from './connection.ts'
import { ScimFailure, type ScimFailureKind } from './failures.ts'
import { ScimProvider } from './provider.ts'

const ada = { userName: 'ada', externalId: '7' }

test('each kind of authentication reaches the provider', async (t) => {
  const { url, requests } = await startRawServer(t, () => ({ body: { id: '1' } }))
  const cases: [ScimAuth, string, string][] = [
    [{ type: 'bearer', token: 'abc' }, 'authorization', 'Bearer abc'],
    [{ type: 'basic', username: 'us', password: 'pa' }, 'authorization', 'Basic dXM6cGE='],
    [{ type: 'header', name: 'X-Api-Key', value: 'abc' }, 'x-api-key', 'abc'],
  ]
  for (const [auth, name, value] of cases) {
    await connect(t, url, { auth }).client.get('User', '1')
    assert.equal(requests.at(-1)!.headers[name], value)
  }
})

test('a base URL may end in a slash and have a query', async (t) => {
  const { url, requests } = await startRawServer(t, () => ({ body: { id: 'a/b c' } }))
  for (const base of ['/scim', '/scim/', '/scim/?tenant=5', '/scim?tenant=5#top']) {
    await connect(t, `${url}${base}`).client.get('User', 'a/b c')
    const { path, query } = requests.at(-1)!
    assert.equal(path, '/scim/Users/a%2Fb%20c')
    assert.equal(query.get('tenant'), base.includes('?') ? '5' : null)
  }
})

test('a provider that knows only application/json gets it', async (t) => {
  const { url, requests } = await startRawServer(t, ({ headers, body }) =>
    headers['content-type'] === 'application/json'
      ? { status: 201, body: { ...body, id: '1' } }
      : { status: 415 },
  )
  const { client, provider } = connect(t, url)
  await client.create('User', ada)
  await client.create('User', ada)
  assert.equal(requests.length, 3)
  assert.equal(provider.quirks.json, true)
})

test('requests that are on their way when a provider turns out to know only application/json get it, too', async (t) => {
  const { url } = await startRawServer(t, ({ headers, body }) =>
    headers['content-type'] === 'application/json'
      ? { status: 201, body: { ...body, id: '1' } }
      : { status: 415 },
  )
  const { client } = connect(t, url)
  const created = await Promise.all([1, 2, 3, 4].map(() => client.create('User', ada)))
  assert.deepEqual(
    created.map(({ id }) => id),
    ['1', '1', '1', '1'],
  )
})

test("a provider's words are found in the shapes that error bodies have", async (t) => {
  let body: object | string = {}
  const { url } = await startRawServer(t, () => ({ status: 400, body }))
  for (body of [
    { Errors: { description: 'No primary e-mail', code: 400 } },
    { Errors: [{ description: 'No primary e-mail', code: 400 }] },
    { errors: [{ code: 400, message: 'No primary e-mail' }] },
    { errors: ['No primary e-mail'] },
    { error: { code: 'BadRequest', message: 'No primary e-mail' } },
    { detail: ['No primary e-mail'] },
    { non_field_errors: ['No primary e-mail'] },
  ])
    await assert.rejects(
      connect(t, url).client.create('User', ada),
      fails('rejected', /refused to create the user: No primary e-mail \(400\)/),
      JSON.stringify(body),
    )
  body = { emails: ['Enter a valid address.'] }
  await assert.rejects(
    connect(t, url).client.create('User', ada),
    fails('rejected', /: emails: Enter a valid address\. \(400\)/),
  )
})

test('every status is one of five kinds of failure', async (t) => {
  let reply: { status: number; body?: object | string } = { status: 0 }
  const { url } = await startRawServer(t, () => reply)
  const html = '<!doctype html><title>Log in</title>'
  const cases: [number, object | string | undefined, ScimFailureKind, RegExp][] = [
    [200, html, 'misconfigured', /answers with a web page instead of SCIM \(200\)/],
    [302, undefined, 'misconfigured', /redirects/],
    [
      400,
      { detail: 'userName is too long' },
      'rejected',
      /refused to create the user: userName is too long \(400\)/,
    ],
    [400, { scimType: 'uniqueness' }, 'exists', /bad request \(400\)/],
    [400, { detail: 'Email has already been taken' }, 'exists', /taken \(400\)/],
    [401, { detail: 'Expired' }, 'misconfigured', /refused our credentials: Expired \(401\)/],
    [403, undefined, 'misconfigured', /refused to create the user: forbidden \(403\)/],
    [404, undefined, 'misconfigured', /no SCIM service at this base URL/],
    [409, { DETAIL: 'userName is already in use' }, 'exists', /userName is already in use \(409\)/],
    [413, html, 'rejected', /payload too large \(413\)/],
    [422, { message: 'A duplicate' }, 'exists', /A duplicate \(422\)/],
    [422, { message: 'No domain' }, 'rejected', /No domain \(422\)/],
    [429, undefined, 'transient', /limits the rate/],
    [500, html, 'transient', /failed to create the user \(500\)/],
    [501, undefined, 'rejected', /not implemented \(501\)/],
    [502, html, 'transient', /502/],
    [503, { detail: 'Back soon' }, 'transient', /failed to create the user: Back soon \(503\)/],
  ]
  for (const [status, body, kind, words] of cases) {
    reply = { status, ...(body !== undefined && { body }) }
    await assert.rejects(
      connect(t, url).client.create('User', ada),
      fails(kind, words),
      `${status}`,
    )
  }
  reply = { status: 404 }
  await assert.rejects(
    connect(t, url).client.get('User', '1'),
    fails('not_found', /not found \(404\)/),
  )
  reply = { status: 404, body: html }
  await assert.rejects(
    connect(t, url).client.get('User', '1'),
    fails('misconfigured', /no SCIM service/),
  )
})

test('Retry-After is seconds or a date, an hour at most', async (t) => {
  let after = ''
  const { url } = await startRawServer(t, () => ({
    status: 429,
    headers: { 'retry-after': after },
  }))
  const now = () => Date.parse('2026-01-01T00:00:00Z')
  for (const [header, expected] of [
    ['120', 120_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['86400', 3_600_000],
    ['soon', 0],
  ] as const) {
    after = header
    await assert.rejects(connect(t, url, { now }).client.get('User', '1'), (error) => {
      assert.ok(error instanceof ScimFailure)
      assert.equal(error.retryAfterMs, expected)
      return true
    })
  }
})

test("a provider's words are one bounded line without our secrets", async (t) => {
  const { url } = await startRawServer(t, ({ headers }) => ({
    status: 400,
    body: { detail: `No\u0000\n ${headers.authorization}\r\n${'x'.repeat(5000)}` },
  }))
  const secret = 'a-secret'
  const basic = Buffer.from(`me:${secret}`).toString('base64')
  const auths: ScimAuth[] = [
    { type: 'bearer', token: secret },
    { type: 'basic', username: 'me', password: secret },
    { type: 'header', name: 'Authorization', value: secret },
  ]
  for (const auth of auths)
    await assert.rejects(connect(t, url, { auth }).client.get('User', '1'), (error) => {
      assert.ok(error instanceof ScimFailure)
      assert.match(error.detail, /^No (Bearer |Basic )?\*\*\* x+…$/)
      assert.ok(error.detail.length <= 301)
      assert.doesNotMatch(error.message + error.stack, new RegExp(`${secret}|${basic}`))
      return true
    })
})

test('a connection that cannot work is told from one that fails now', async (t) => {
  const unresolved =
    (code: string): Resolve =>
    async () => {
      throw Object.assign(new Error(code), { code })
    }
  const cases: [string, Resolve | undefined, ScimFailureKind, RegExp][] = [
    ['not a URL', undefined, 'misconfigured', /must start with https/],
    ['https://10.0.0.1', undefined, 'misconfigured', /not a public address/],
    ['https://a.test', unresolved('ENOTFOUND'), 'misconfigured', /Unknown host a\.test/],
    ['https://a.test', unresolved('EAI_AGAIN'), 'transient', /Could not resolve a\.test/],
    [
      'http://127.0.0.1:1',
      undefined,
      'transient',
      /read the user: 127\.0\.0\.1:1 refused the connection/,
    ],
  ]
  for (const [baseUrl, resolve, kind, words] of cases) {
    const outbound = new Outbound({
      allowlist: new Allowlist(['127.0.0.1']),
      ...(resolve && { resolve }),
    })
    t.after(() => outbound.close())
    const connection = { baseUrl, auth: { type: 'bearer', token: 'x' }, concurrency: 1 } as const
    const provider = new ScimProvider({ outbound, connection, throttleKey: '' })
    await assert.rejects(new ScimClient(provider).get('User', '1'), fails(kind, words))
  }
  const { url } = await startRawServer(t, () => 'cut')
  const { client } = connect(t, url)
  await assert.rejects(client.get('User', '1'), fails('transient', /closed the connection/))
  assert.deepEqual(client.chain, [{ method: 'GET', path: '/Users/1', status: null }])
  const { client: pasted } = connect(t, url, { token: 'two\nlines' })
  await assert.rejects(pasted.get('User', '1'), fails('misconfigured', /characters that HTTP/))
})

test('responses that are no SCIM resource are refused', async (t) => {
  let body: object | string = ''
  const { url } = await startRawServer(t, () => ({ body }))
  const { client } = connect(t, url)
  for (const [text, kind, words] of [
    ['', 'misconfigured', /does not answer with SCIM/],
    ['hello', 'misconfigured', /does not answer with SCIM/],
    ['[]', 'misconfigured', /does not answer with SCIM/],
    [
      `{"id":"1","a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      'misconfigured',
      /does not answer/,
    ],
    [`{"id":"1","a":"${'x'.repeat(1_048_576)}"}`, 'rejected', /the response is too large/],
    ['{"id":"2"}', 'rejected', /without the user it was asked for/],
    ['{"userName":"ada"}', 'rejected', /without the user it was asked for/],
  ] as const) {
    body = text
    await assert.rejects(client.get('User', '1'), fails(kind, words))
  }
  body = '\ufeff {"ID":"1","Active":"False"}\n'
  assert.deepEqual(await client.get('User', '1'), { id: '1', active: false })
})
