import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, fails } from '../../test/scim/connect.ts'
import { type RawAnswer, type RawRequest, startRawServer } from '../../test/scim/raw.ts'

type Dialect = (request: RawRequest, members: Set<string>) => ReturnType<RawAnswer> | undefined
type Operation = { op: string; path?: string; value?: { value: string }[] }

/** Holds one group, and knows all three ways to change its members. The dialect responds first. */
async function startProvider(t: TestContext, dialect: Dialect = () => undefined) {
  const members = new Set<string>()
  const group = () => ({
    id: 'g',
    displayName: 'Staff',
    members: [...members].map((value) => ({ value })),
  })
  const { url, requests } = await startRawServer(t, (request) => {
    const { method, path, body } = request
    const reply = dialect(request, members)
    if (reply) return reply
    if (path === '/ServiceProviderConfig') return { status: 404 }
    if (method === 'GET') return { body: group() }
    if (method === 'PUT') members.clear()
    const operations: Operation[] = body.Operations ?? [{ op: 'add', value: body.members }]
    for (const { op, path, value } of operations) {
      const filtered = /value eq "(.*)"/.exec(path ?? '')?.[1]
      const ids = filtered !== undefined ? [filtered] : value!.map((one) => one.value)
      for (const id of ids) op === 'add' ? members.add(id) : members.delete(id)
    }
    return { status: 204 }
  })
  const { client, provider } = connect(t, url)
  /** As the caller wrote them. */
  const written = new Set<string>()
  const change = (add: string[], remove: string[] = []) => {
    for (const id of add) written.add(id)
    for (const id of remove) written.delete(id)
    return client.changeMembers('g', { add, remove, all: async () => [...written] })
  }
  const methods = () => requests.splice(0).map(({ method }) => method)
  return { members, requests, methods, provider, change }
}

const listed = (members: Set<string>) => [...members].sort().join('')
const removesBy = (kind: 'filter' | 'values', { body }: RawRequest) =>
  body?.Operations?.some(
    ({ op, path }: Operation) => op === 'remove' && path?.includes('[') === (kind === 'filter'),
  )

test('members change by difference; the first change of each kind is read back', async (t) => {
  const { change, members, methods, provider } = await startProvider(t)
  await change(['a', 'b', 'c'])
  assert.deepEqual(methods(), ['GET', 'PATCH', 'GET'])
  await change(['d'], ['a'])
  assert.deepEqual(methods(), ['PATCH', 'PATCH', 'GET'])
  await change([], ['b'])
  await change(['e'])
  await change([])
  assert.deepEqual(methods(), ['PATCH', 'PATCH'])
  assert.equal(listed(members), 'cde')
  assert.deepEqual(provider.quirks, { config: 'absent', members: 'patch', removal: 'filter' })
})

test('a request changes a hundred members at most', async (t) => {
  const { change, members, requests } = await startProvider(t)
  const ids = Array.from({ length: 250 }, (_, at) => `u${at}`)
  await change(ids)
  await change([], ids.slice(0, 150))
  assert.equal(members.size, 100)
  const sizes = requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => body.Operations[0].value?.length ?? body.Operations.length)
  assert.deepEqual(sizes, [100, 100, 50, 100, 50])
})

test('a provider that refuses filters gets values', async (t) => {
  const { change, members, provider, methods } = await startProvider(t, (request) =>
    removesBy('filter', request) ? { status: 400 } : undefined,
  )
  await change(['a', 'b', 'c'])
  await change([], ['b'])
  methods()
  await change([], ['c'])
  assert.deepEqual(methods(), ['PATCH'])
  assert.equal(listed(members), 'a')
  assert.equal(provider.quirks.removal, 'values')
})

test('a provider that takes values for a removal of all members is repaired by PUT', async (t) => {
  const { change, members, provider } = await startProvider(t, (request, members) => {
    if (removesBy('filter', request)) return { status: 400 }
    if (!removesBy('values', request)) return undefined
    members.clear()
    return { status: 204 }
  })
  await change(['a', 'b', 'c'])
  await change([], ['b'])
  await change([], ['c'])
  assert.equal(listed(members), 'a')
  assert.equal(provider.quirks.members, 'put')
})

test('a provider that ignores members in PATCH gets PUT', async (t) => {
  const { change, members, provider, methods } = await startProvider(t, ({ method }) =>
    method === 'PATCH' ? { status: 204 } : undefined,
  )
  await change(['a', 'b'])
  assert.deepEqual(methods(), ['GET', 'PATCH', 'GET', 'GET', 'PUT', 'GET'])
  await change(['c'], ['a'])
  assert.deepEqual(methods(), ['GET', 'PUT'])
  assert.equal(listed(members), 'bc')
  assert.equal(provider.quirks.members, 'put')
})

test('a provider that refuses PATCH of members gets PUT', async (t) => {
  for (const status of [400, 405, 501]) {
    const { change, members, provider } = await startProvider(t, ({ method }) =>
      method === 'PATCH' ? { status } : undefined,
    )
    await change(['a', 'b'])
    await change([], ['a'])
    assert.equal(listed(members), 'b')
    assert.equal(provider.quirks.members, 'put')
  }
})

test('a provider that never lists members gets PATCH, whether it has PUT or not', async (t) => {
  for (const withPut of [true, false]) {
    const { change, members, provider } = await startProvider(t, ({ method, path }) => {
      if (method === 'GET' && path === '/Groups/g') return { body: { id: 'g', members: [] } }
      return method === 'PUT' && !withPut ? { status: 405 } : undefined
    })
    await change(['a', 'b'])
    await change(['c'], ['a'])
    await change([], ['b'])
    assert.equal(listed(members), 'c')
    assert.deepEqual(provider.quirks, { config: 'absent', members: 'patch', removal: 'filter' })
  }
})

test('a provider that takes one operation in a request gets one removal in each', async (t) => {
  const single: Dialect = ({ method, body }) =>
    method === 'PATCH' &&
    (body.Operations.length > 1 || removesBy('values', { body } as RawRequest))
      ? { status: 400 }
      : undefined
  for (const first of [['a'], ['a', 'b']]) {
    const { change, members, methods, provider } = await startProvider(t, single)
    await change(['a', 'b', 'c', 'd', 'e'])
    await change([], first)
    await change([], ['c', 'd'])
    assert.equal(listed(members), first.length === 1 ? 'be' : 'e')
    assert.equal(provider.quirks.removal, 'single')
    methods()
    await change([], ['b', 'e'])
    assert.deepEqual(methods(), ['PATCH', 'PATCH'], 'it was learnt')
  }
})

test('a provider that refuses to leave the members out is asked for all of the group', async (t) => {
  const { url } = await startRawServer(t, ({ query }) => {
    if (query.has('excludedAttributes')) return { status: 400 }
    const group = { id: 'g', displayName: 'Staff' }
    return { body: { totalResults: 1, itemsPerPage: 1, startIndex: 1, Resources: [group] } }
  })
  const { client } = connect(t, url)
  assert.equal((await client.find('Group', { name: 'Staff' }))?.id, 'g')
})

test('a group that is gone is not found, and a refusal is reported', async (t) => {
  const gone = await startProvider(t, () => ({ status: 404 }))
  await assert.rejects(gone.change(['a']), fails('not_found', /404/))
  const refusing = await startProvider(t, ({ method }) =>
    method === 'GET' ? undefined : { status: 400, body: { detail: `no such member in ${method}` } },
  )
  await assert.rejects(refusing.change(['a']), fails('rejected', /no such member in PATCH/))
  assert.equal(refusing.provider.quirks.members, undefined)
})

test('a group with more members than a response may hold can be changed', async (t) => {
  const long = `{"id":"g","members":[${'{"value":"x"},'.repeat(100_000)}{}]}`
  const { change, members, provider } = await startProvider(t, ({ method, path, query }) =>
    method === 'GET' && path === '/Groups/g' && !query.has('excludedAttributes')
      ? { body: long }
      : undefined,
  )
  await change(['a'])
  assert.equal(listed(members), 'a')
  assert.equal(provider.quirks.members, 'patch')
})

test('renaming a group by PUT keeps its members, even if the provider does not list them', async (t) => {
  const { url, requests } = await startRawServer(t, ({ method }) =>
    method === 'GET' ? { body: { id: 'g', displayName: 'Old', externalId: 'e' } } : { status: 200 },
  )
  const { client } = connect(t, url, { quirks: { config: 'read', update: 'put' } })
  const change = { before: { displayName: 'Old' }, after: { displayName: 'New' } }
  await client.updateGroup('g', change, async () => ['a', 'b'])
  assert.deepEqual(requests.at(-1)!.body, {
    schemas: [],
    id: 'g',
    displayName: 'New',
    externalId: 'e',
    members: [{ value: 'a' }, { value: 'b' }],
  })
})
