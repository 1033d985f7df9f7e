import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, fails } from '../../test/scim/connect.ts'
import { type RawAnswer, type RawRequest, startRawServer } from '../../test/scim/raw.ts'
import type { ScimQuirks } from './schema.ts'

const ada = {
  schemas: [],
  id: '1',
  userName: 'ada',
  locale: 'en',
  active: true,
  meta: { version: 'W/"4"' },
}
const rename = { before: { userName: 'ada' }, after: { userName: 'lovelace' } }

type Dialect = (request: RawRequest) => ReturnType<RawAnswer> | undefined

/** Holds one user. The dialect responds first. */
async function startProvider(t: TestContext, dialect: Dialect, quirks: ScimQuirks = {}) {
  const { url, requests } = await startRawServer(t, (request) => {
    const reply = dialect(request)
    if (reply) return reply
    if (request.path === '/ServiceProviderConfig') return { status: 404 }
    return request.method === 'GET' ? { body: ada } : { status: 204 }
  })
  return { requests, ...connect(t, url, { quirks }) }
}
const methodsOf = (requests: RawRequest[]) =>
  requests.map(({ method, path }) => `${method} ${path}`)

const configured =
  (config: object): Dialect =>
  ({ path }) =>
    path === '/ServiceProviderConfig' ? { body: config } : undefined
const hasPath = ({ method, body }: RawRequest) =>
  method === 'PATCH' && body.Operations[0].path !== undefined

test('the ServiceProviderConfig is read once, for all changes together', async (t) => {
  const { client, requests, saved } = await startProvider(
    t,
    configured({ patch: { supported: true } }),
  )
  await Promise.all([1, 2, 3].map(() => client.updateUser('1', rename)))
  await client.updateUser('1', rename)
  assert.equal(requests.filter(({ path }) => path === '/ServiceProviderConfig').length, 1)
  assert.equal(requests.length, 5)
  assert.deepEqual(saved, [{ config: 'read' }, { config: 'read', update: 'path' }])
})

test('nothing is sent when nothing changed', async (t) => {
  const { client, requests } = await startProvider(t, () => undefined)
  await client.updateUser('1', { before: rename.after, after: rename.after })
  assert.equal(requests.length, 0)
})

test('a provider without PATCH gets the whole resource, with its version', async (t) => {
  const { client, requests, saved } = await startProvider(
    t,
    configured({
      patch: { supported: 'False' },
      etag: { supported: true },
      filter: { maxResults: 50 },
    }),
  )
  await client.updateUser('1', rename)
  const sent = requests.at(-1)!
  assert.deepEqual(methodsOf(requests.slice(1)), ['GET /Users/1', 'PUT /Users/1'])
  const { meta, ...rest } = ada
  assert.deepEqual(sent.body, { ...rest, userName: 'lovelace' })
  assert.equal(sent.headers['if-match'], 'W/"4"')
  assert.deepEqual(saved.at(-1), {
    config: 'read',
    update: 'put',
    members: 'put',
    etag: true,
    pageSize: 50,
  })
})

test('without a ServiceProviderConfig, PUT follows a PATCH that is not supported', async (t) => {
  for (const status of [404, 405, 501]) {
    const { client, requests, provider } = await startProvider(t, ({ method }) =>
      method === 'PATCH' ? { status } : undefined,
    )
    await client.updateUser('1', rename)
    await client.setActive('1', true)
    assert.deepEqual(methodsOf(requests.slice(1)), [
      'PATCH /Users/1',
      ...['GET /Users/1', 'PUT /Users/1', 'GET /Users/1', 'PUT /Users/1'],
    ])
    assert.equal(requests.at(-1)!.headers['if-match'], undefined)
    assert.deepEqual(provider.quirks, { config: 'absent', update: 'put' })
  }
})

test('a provider that refuses paths gets one value', async (t) => {
  const { client, requests, provider } = await startProvider(t, (request) =>
    hasPath(request) ? { status: 400 } : undefined,
  )
  await client.updateUser('1', rename)
  await client.setActive('1', true)
  assert.equal(provider.quirks.update, 'value')
  assert.deepEqual(
    requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body.Operations),
    [
      [{ op: 'replace', path: 'userName', value: 'lovelace' }],
      [{ op: 'replace', value: { userName: 'lovelace' } }],
      [{ op: 'replace', value: { active: true } }],
    ],
  )
})

test('a value without a path removes nothing, so PUT does', async (t) => {
  const { client, provider, requests } = await startProvider(
    t,
    (request) => (hasPath(request) ? { status: 400 } : undefined),
    { config: 'absent', update: 'value' },
  )
  await client.updateUser('1', { before: { locale: 'en' }, after: {} })
  assert.equal('locale' in requests.at(-1)!.body, false)
  assert.equal(provider.quirks.update, 'put')
})

test('another form is tried when the known one is no longer supported', async (t) => {
  const unpatched: Dialect = ({ method }) => (method === 'PATCH' ? { status: 405 } : undefined)
  const { client, provider } = await startProvider(t, unpatched, { config: 'read', update: 'path' })
  await client.updateUser('1', rename)
  assert.equal(provider.quirks.update, 'put')
})

test('a change that every form refuses is reported as the first one was', async (t) => {
  const refusing: Dialect = ({ method }) =>
    method === 'GET' ? undefined : { status: 400, body: { detail: `bad ${method}` } }
  const unknown = await startProvider(t, refusing)
  await assert.rejects(
    unknown.client.updateUser('1', rename),
    fails('rejected', /refused to change the user: bad PATCH \(400\)/),
  )
  assert.equal(unknown.provider.quirks.update, undefined)
  const known = await startProvider(t, refusing, { config: 'absent', update: 'path' })
  await assert.rejects(known.client.updateUser('1', rename), fails('rejected', /bad PATCH/))
  assert.equal(known.requests.length, 1)
})

test('a user who is gone is not found, in any form', async (t) => {
  const gone: Dialect = () => ({ status: 404 })
  for (const update of [undefined, 'path', 'value', 'put'] as const) {
    const { client, provider } = await startProvider(t, gone, { ...(update && { update }) })
    await assert.rejects(client.updateUser('1', rename), fails('not_found', /404/))
    assert.equal(provider.quirks.update, update)
  }
})

test('a name in use is told from a form that is refused', async (t) => {
  const { client, requests } = await startProvider(t, ({ method }) =>
    method === 'PATCH'
      ? { status: 400, body: { scimType: 'uniqueness', detail: 'taken' } }
      : undefined,
  )
  await assert.rejects(client.updateUser('1', rename), fails('exists', /taken/))
  assert.equal(requests.filter(({ method }) => method === 'PUT').length, 0)
})

test('a deactivation that has no effect is not believed', async (t) => {
  // The response shows it.
  const echoing = await startProvider(
    t,
    (request) => (hasPath(request) ? { body: ada } : undefined),
    {
      config: 'absent',
      update: 'path',
    },
  )
  await assert.rejects(
    echoing.client.setActive('1', false),
    fails('rejected', /active is still true/),
  )
  // The response is empty.
  const silent = await startProvider(t, () => undefined)
  await assert.rejects(
    silent.client.setActive('1', false),
    fails('rejected', /active is still true/),
  )
  assert.equal(silent.requests.at(-2)!.method, 'PUT')
  assert.equal(silent.provider.quirks.update, undefined)
})

test('another form is tried when a deactivation has no effect', async (t) => {
  let active = 'True'
  const { client, provider } = await startProvider(t, ({ method, path, body }) => {
    if (method === 'GET') return path === '/Users/1' ? { body: { ...ada, active } } : undefined
    if (method === 'PUT') active = body.active ? 'True' : 'False'
    return undefined
  })
  await client.setActive('1', false)
  assert.equal(active, 'False')
  assert.equal(provider.quirks.update, 'put')
})

test('a provider that deletes inactive users has deactivated them', async (t) => {
  let patched = false
  const { client } = await startProvider(t, ({ method }) => {
    if (method === 'PATCH') patched = true
    return method === 'GET' && patched ? { status: 404 } : undefined
  })
  await client.setActive('1', false)
  await assert.rejects(client.get('User', '1'), fails('not_found', /404/))
})

test('a response that is too long, or no JSON, does not undo a change', async (t) => {
  for (const body of [`{"id":"1","x":"${'x'.repeat(1_100_000)}"}`, 'OK']) {
    const { client } = await startProvider(t, ({ method }) =>
      method === 'PATCH' ? { body } : undefined,
    )
    await client.updateUser('1', rename)
  }
})
