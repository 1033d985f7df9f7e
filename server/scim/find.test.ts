import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, fails } from '../../test/scim/connect.ts'
import { page, type RawAnswer, startRawServer } from '../../test/scim/raw.ts'
import type { ScimQuirks } from './schema.ts'

const ada = { id: '1', userName: 'Ada@A.test', externalId: 'e1' }
const bob = { id: '2', userName: 'bob' }
const people = [ada, bob, { id: '3', userName: 'cyd', externalId: 'e3' }]

/** Answers the filters that its table holds, and others with nothing. */
async function startProvider(
  t: TestContext,
  hits: Record<string, object[]>,
  otherwise?: RawAnswer,
) {
  const { url, requests } = await startRawServer(t, (request) => {
    const found = hits[request.query.get('filter') ?? '']
    return found ? page(found) : (otherwise?.(request) ?? page([]))
  })
  const filters = () => requests.map(({ query }) => query.get('filter'))
  return { filters, ...connect(t, url) }
}

const byId = 'externalId eq "e1"'
const byName = 'userName eq "ada@a.test"'
const wanted = { externalId: 'e1', name: 'ada@a.test' }

test('externalId comes first, then the name in any case', async (t) => {
  const one = await startProvider(t, { [byId]: [ada] })
  assert.deepEqual(await one.client.find('User', wanted), ada)
  assert.deepEqual(one.filters(), [byId])
  const two = await startProvider(t, { [byName]: [{ ...ada, externalId: undefined }] })
  assert.equal((await two.client.find('User', wanted))?.id, '1')
  assert.deepEqual(two.filters(), [byId, byName])
  const none = await startProvider(t, {})
  assert.equal(await none.client.find('User', wanted), undefined)
  assert.deepEqual(none.provider.quirks, {})
})

test('values are quoted', async (t) => {
  const { client, filters } = await startProvider(t, {})
  await client.find('Group', { name: 'R&D "labs" \\ +é' })
  assert.deepEqual(filters(), [String.raw`displayName eq "R&D \"labs\" \\ +é"`])
})

test('several hits and somebody else are not adopted', async (t) => {
  const several = await startProvider(t, { [byId]: [ada, { ...ada, id: '9' }] })
  await assert.rejects(
    several.client.find('User', wanted),
    fails('rejected', /several users with the externalId e1/),
  )
  const other = await startProvider(t, { [byName]: [{ ...ada, externalId: 'e9' }] })
  await assert.rejects(
    other.client.find('User', wanted),
    fails('exists', /belongs to somebody else: its externalId is e9/),
  )
})

test('a provider that ignores a filter is not believed', async (t) => {
  const { client, provider, filters } = await startProvider(t, {}, () => page(people))
  assert.deepEqual(await client.find('User', wanted), ada)
  assert.equal(await client.find('User', { externalId: 'e7', name: 'dee' }), undefined)
  assert.equal((await client.find('User', { externalId: 'e2', name: 'BOB' }))?.id, '2')
  assert.deepEqual(provider.quirks.unfilterable, ['externalId', 'userName'])
  assert.deepEqual(filters(), [byId, byName, null, null, null])
})

test('a filter that is refused is not used again', async (t) => {
  const refusing: RawAnswer = ({ query }) =>
    query.get('filter')?.startsWith('externalId') ? { status: 400 } : page([])
  const { client, provider, filters } = await startProvider(t, { [byName]: [ada] }, refusing)
  assert.equal((await client.find('User', wanted))?.id, '1')
  assert.equal((await client.find('User', wanted))?.id, '1')
  assert.deepEqual(filters(), [byId, byName, byName])
  assert.deepEqual(provider.quirks, { unfilterable: ['externalId'] } satisfies ScimQuirks)
})

test('a refusal of an unusual value is not taken for one of the filter', async (t) => {
  const refusing: RawAnswer = ({ query }) => (query.has('filter') ? { status: 400 } : page(people))
  const { client, provider } = await startProvider(t, {}, refusing)
  assert.equal(await client.find('User', { name: 'a "quoted" name' }), undefined)
  assert.deepEqual(provider.quirks, {})
})

test('404 to a filter means that nothing matches, but a web page means a wrong base URL', async (t) => {
  const none = await startProvider(t, {}, () => ({ status: 404, body: { detail: 'No match' } }))
  assert.equal(await none.client.find('User', wanted), undefined)
  const wrong = await startProvider(t, {}, () => ({ status: 404, body: '<html>' }))
  await assert.rejects(wrong.client.find('User', wanted), fails('misconfigured', /base URL/))
})
