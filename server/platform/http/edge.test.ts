import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Response, startApp } from '../../../test/harness.ts'
import { newId } from '../ids.ts'

const app = await startApp({ env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.0/8' } })
const org = await app.newOrganization()
const json = { 'content-type': 'application/json' }

test('paths are case-insensitive and a trailing slash does not matter', async () => {
  for (const path of [
    '/api/organizations',
    '/api/organizations/',
    '/api/Organizations',
    '/API/ORGANIZATIONS/',
    '/api/users/getSelf',
    '/api/users/getself',
    '/api/V2/Roles/',
  ]) {
    assert.equal((await org.get(path)).statusCode, 200, path)
  }
})

test('an id in a path keeps its case', async () => {
  const res = await org.get('/api/v2/roles/ABC')
  assert.equal(res.statusCode, 404)
})

test('Content-Type: application/json without a body is accepted on GET and DELETE', async () => {
  assert.equal((await org.get('/api/organizations', json)).statusCode, 200)
  const made = await org.post('/api/v2/roles', { name: 'Short-lived', scopes: ['users'] })
  const gone = await app.http.inject({
    method: 'DELETE',
    url: `/api/v2/roles/${made.json().id}`,
    headers: { ...json, 'x-api-key': org.apiKey },
    payload: '',
  })
  assert.equal(gone.statusCode, 200)
  assert.deepEqual(gone.json(), {})
})

test('a malformed JSON body is 400 in the error format of its API family', async () => {
  const send = (url: string, payload: string) =>
    app.http.inject({ method: 'POST', url, headers: { ...json, 'x-api-key': org.apiKey }, payload })
  const v1 = await send('/api/search/organizations', '{"filter":')
  assert.equal(v1.statusCode, 400)
  assert.deepEqual(Object.keys(v1.json()), ['status', 'code', 'error', 'message', 'reason'])
  assert.equal(v1.json().reason, 'body_malformed')
  const v2 = await send('/api/v2/roles', '{nope}')
  assert.equal(v2.statusCode, 400)
  assert.equal(v2.json().status, 'INVALID_ARGUMENT')
  assert.deepEqual([v2.json().details, v2.json().reason], [[], 'body_malformed'])
  const insights = await app.http.inject({
    method: 'POST',
    url: '/insights/directory/v1/nothing',
    payload: {},
  })
  assert.deepEqual(Object.keys(insights.json()), ['message', 'reason'])
  assert.equal(insights.json().reason, 'route_not_found')
})

test('a body that is too deep or too large is refused', async () => {
  const deep = await app.http.inject({
    method: 'POST',
    url: '/api/search/organizations',
    headers: { ...json, 'x-api-key': org.apiKey },
    payload: '['.repeat(200) + ']'.repeat(200),
  })
  assert.equal(deep.statusCode, 400)
  assert.equal(deep.json().reason, 'body_too_deep')
  const large = await org.post('/api/v2/roles', {
    name: 'x',
    scopes: ['users'],
    description: 'x'.repeat(2_000_000),
  })
  assert.deepEqual([large.statusCode, large.json().reason], [413, 'body_too_large'])
})

test('__proto__ in a body is refused', async () => {
  const res = await app.http.inject({
    method: 'POST',
    url: '/api/v2/roles',
    headers: { ...json, 'x-api-key': org.apiKey },
    payload: '{"__proto__":{"a":1},"name":"x","scopes":["users"]}',
  })
  assert.equal(res.statusCode, 400)
})

test('a validation error names the field, in the message and in the v2 details', async () => {
  const res = await org.post('/api/v2/roles', { name: 7, scopes: ['users'] })
  assert.equal(res.statusCode, 400)
  assert.match(res.json().message, /name/)
  assert.equal(res.json().details[0].fieldViolationsList[0].field, 'body.name')
  assert.equal(res.json().reason, 'validation')
  const missing = await org.post('/api/v2/roles', { name: 'x' })
  assert.match(missing.json().message, /scopes/)
})

test('text that the database cannot store is 400, in a body, a query and a path', async () => {
  const url = `/api/organizations/${org.organizationId}`
  for (const contactName of ['nothing \u0000', 'half \ud800']) {
    const res = await org.put(url, { settings: { contactName } })
    assert.equal(res.statusCode, 400, JSON.stringify(contactName))
    assert.equal(res.json().reason, 'bad_character')
  }
  assert.equal(
    (await org.post('/api/v2/roles', { name: 'a\0b', scopes: ['users'] })).statusCode,
    400,
  )
  assert.equal((await org.get('/api/organizations?filter=displayName:$eq:a%00b')).statusCode, 400)
  assert.equal((await org.get('/api/v2/roles/a%00b')).statusCode, 400)
})

test('unknown members of a body are ignored', async () => {
  const res = await org.post('/api/v2/roles', {
    name: 'Tolerant',
    scopes: ['users'],
    somethingNew: { a: 1 },
  })
  assert.equal(res.statusCode, 200)
})

test('X-Request-Id is on every response, copied from the request when it is valid', async () => {
  const own = await org.get('/api/organizations', { 'x-request-id': 'my-request-1' })
  assert.equal(own.headers['x-request-id'], 'my-request-1')
  const made = await org.get('/api/nowhere', { 'x-request-id': 'bad id\twith spaces' })
  assert.match(String(made.headers['x-request-id']), /^[0-9a-f-]{36}$/)
  assert.ok(app.lines.some((line) => line.includes('"reqId":"my-request-1"')))
})

test('an unknown route is 404 in the error format of its API family', async () => {
  const res = await app.anonymous.get('/api/v2/nothing/here')
  assert.equal(res.statusCode, 404)
  assert.equal(res.json().status, 'NOT_FOUND')
  assert.match(res.json().message, /GET \/api\/v2\/nothing\/here/)
  assert.equal(res.json().reason, 'route_not_found')
})

test('security headers are set', async () => {
  const { headers } = await org.get('/api/organizations')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-powered-by'], undefined)
})

test('behind a trusted proxy the event carries the address of the client', async () => {
  const res = await org.post(
    '/api/v2/roles',
    { name: 'From afar', scopes: ['users'] },
    { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'curl/8.5.0' },
  )
  assert.equal(res.statusCode, 200)
  const event = (await org.events()).at(-1)!
  assert.equal(event.client_ip, '203.0.113.9')
  assert.equal((event.useragent as { name: string }).name, 'curl')
})

test('rate limiting is off by default and answers 429 with Retry-After when it is on', async () => {
  const limited = await startApp({ env: { GATEHOUSE_RATE_LIMIT: '3' } })
  const caller = await limited.newOrganization()
  const codes: number[] = []
  for (let n = 0; n < 5; n++) codes.push((await caller.get('/api/organizations')).statusCode)
  assert.deepEqual(codes, [200, 200, 200, 429, 429])
  const refused = await caller.get('/api/organizations')
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.deepEqual([refused.json().status, refused.json().reason], [429, 'rate_limited'])
  const another = await limited.newOrganization()
  assert.equal((await another.get('/api/organizations')).statusCode, 200)
})

test('unknown credentials of any kind are rate-limited by address', async () => {
  const limited = await startApp({ env: { GATEHOUSE_RATE_LIMIT: '3' } })
  const caller = await limited.newOrganization()
  const ask = (headers: Record<string, string>, remoteAddress: string) =>
    limited.http.inject({ url: '/api/organizations', headers, remoteAddress })
  const kinds = [
    (n: number) => ({ 'x-api-key': `made-up-${n}-${newId()}` }),
    (n: number) => ({ authorization: `Bearer made-up-${n}` }),
    (n: number) => ({ authorization: `Signature keyId="system/${newId()}",signature="${n}"` }),
    (n: number) => ({ cookie: `gatehouse_session=made-up-${n}` }),
    () => ({}),
  ]
  for (const [at, kind] of kinds.entries()) {
    const codes: number[] = []
    for (let n = 0; n < 5; n++) {
      const address = `2001:db8:${at}:1::${n + 1}`
      codes.push((await ask(kind(n), address)).statusCode)
    }
    assert.deepEqual(codes, [401, 401, 401, 429, 429], String(at))
    const known = await ask({ 'x-api-key': caller.apiKey }, `2001:db8:${at}:1::1`)
    assert.equal(known.statusCode, at < 3 ? 200 : 429, 'a known credential is counted separately')
  }
})

test('times that cannot be stored are 400 in every position', async () => {
  const made = await org.post('/api/systemusers', { username: 'ada', email: 'ada@example.com' })
  const user = made.json().id
  const self = `/api/users/${org.adminId}`
  const asks: ((time: string) => Promise<Response>)[] = [
    (start_date) =>
      org.post('/api/v2/bulk/userstates', { user_ids: [user], state: 'SUSPENDED', start_date }),
    (exclusionUntil) =>
      org.put(`/api/systemusers/${user}`, { mfa: { exclusion: true, exclusionUntil } }),
    (lastWhatsNewChecked) => org.put(self, { lastWhatsNewChecked }),
    (expireAt) => org.post(`${self}/apikey`, { expireAt }),
    (at) =>
      org.get(`/api/v2/access/explain?user=${user}&system=${user}&at=${encodeURIComponent(at)}`),
  ]
  const times = [
    '2998-12-31T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '2999-01-01T00:00:00+23:59',
    '2999-01-01T00:00:00-16:00',
    '2999-02-30T00:00:00Z',
    '-271821-04-20T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
  ]
  for (const time of times)
    for (const ask of asks) {
      const res = await ask(time)
      assert.equal(res.statusCode, 400, `${time}: ${res.body}`)
    }
  for (const date of ['0000-01-01', '2999-02-30'])
    assert.equal((await org.put(self, { lastWhatsNewChecked: date })).statusCode, 400)
  const far = await asks[0]!('2999-12-31t23:59:59.123456+14:00')
  assert.equal(far.statusCode, 201, far.body)
})

test('numbers that cannot be stored are 400', async () => {
  const provider = await app.newProvider()
  const [first] = provider.organizationIds
  const url = `/api/organizations/${org.organizationId}`
  const days = 'passwordExpirationInDays'
  for (const number of [2 ** 31, 2 ** 53, 1e21, 1.7e308]) {
    const answers = [
      await org.put(url, { settings: { maxSystemUsers: number } }),
      await org.put(url, { settings: { systemUserPasswordExpirationInDays: number } }),
      await org.put(url, { settings: { passwordPolicy: { [days]: number } } }),
      await org.put(url, { settings: { passwordPolicy: { maxLoginAttempts: number } } }),
      await provider.post(`/api/v2/providers/${provider.providerId}/organizations`, {
        name: 'Large',
        maxSystemUsers: number,
      }),
      await provider.put(`/api/v2/providers/${provider.providerId}/organizations/${first}`, {
        name: 'Large',
        maxSystemUsers: number,
      }),
    ]
    for (const { statusCode, body } of answers) assert.equal(statusCode, 400, `${number}: ${body}`)
  }
  // The maximum is accepted.
  const policy = { enablePasswordExpirationInDays: true, [days]: 100_000 }
  assert.equal((await org.put(url, { settings: { passwordPolicy: policy } })).statusCode, 200)
  const person = { username: 'bob', email: 'bob@example.com', password: 'Tangled-Orchard-58' }
  assert.equal((await org.post('/api/systemusers', person)).statusCode, 200)
})
