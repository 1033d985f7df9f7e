import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { collect, connect, fails } from '../../test/scim/connect.ts'
import { page, startRawServer } from '../../test/scim/raw.ts'
import { list } from './list.ts'
import { Session } from './session.ts'

const user = (number: number) => ({ id: String(number), userName: `user${number}` })
const users = (count: number) => Array.from({ length: count }, (_, at) => user(at + 1))
const idsOf = (resources: { id: string }[]) => resources.map(({ id }) => id)

async function listAll(t: TestContext, url: string, quirks = {}) {
  return idsOf(await collect(connect(t, url, { quirks }).client.list('User')))
}

/** Pages of a size that the provider decides. */
const slice = (all: object[], query: URLSearchParams, cap: number) => {
  const start = Number(query.get('startIndex')) - 1
  return all.slice(start, start + Math.min(Number(query.get('count')), cap))
}

test('all pages are read, whatever their size', async (t) => {
  const all = users(250)
  for (const [cap, requests] of [
    [100, 3],
    [50, 5],
    [1000, 3],
  ] as const) {
    const provider = await startRawServer(t, ({ query }) =>
      page(slice(all, query, cap), all.length),
    )
    assert.deepEqual(await listAll(t, provider.url), idsOf(all))
    assert.equal(provider.requests.length, requests)
  }
  const provider = await startRawServer(t, ({ query }) => page(slice(all, query, 1000), all.length))
  assert.equal((await listAll(t, provider.url, { pageSize: 20 })).length, 250)
  assert.equal(provider.requests[0]!.query.get('count'), '20')
})

test('a list without totals ends at an empty page', async (t) => {
  const all = users(120)
  const { url } = await startRawServer(t, ({ query }) => ({
    body: { resources: slice(all, query, 50) },
  }))
  assert.deepEqual(await listAll(t, url), idsOf(all))
})

test('an empty list may lack its resources', async (t) => {
  const { url } = await startRawServer(t, () => ({ body: { totalResults: 0 } }))
  assert.deepEqual(await listAll(t, url), [])
})

test('repeated and unusable entries are left out', async (t) => {
  const all = users(150)
  const { url } = await startRawServer(t, ({ query }) => {
    const entries = slice(all, query, 100)
    return page([...entries, ...entries], all.length)
  })
  assert.deepEqual(await listAll(t, url), idsOf(all))
  const odd = await startRawServer(t, () =>
    page([{ userName: 'x' }, user(1), 'y' as never, { id: '..' }]),
  )
  assert.deepEqual(await listAll(t, odd.url), ['1'])
})

test('a provider that ignores startIndex is no complete list, unless it sent everything', async (t) => {
  const untold = await startRawServer(t, () => ({ body: { Resources: users(3) } }))
  assert.deepEqual(await listAll(t, untold.url), ['1', '2', '3'])
  const { url } = await startRawServer(t, () => page(users(50), 80))
  await assert.rejects(listAll(t, url), fails('rejected', /repeats its users/))
})

test('a list without end is given up', async (t) => {
  const { url } = await startRawServer(t, ({ query }) => ({
    body: { Resources: [user(Number(query.get('startIndex')))] },
  }))
  const session = new Session(connect(t, url).provider)
  await assert.rejects(
    collect(list(session, 'User', { maxPages: 120 })),
    fails('rejected', /repeats/),
  )
  assert.equal(session.chain.length, 100)
})

test('JSON that is not a list is no SCIM', async (t) => {
  const { url } = await startRawServer(t, () => ({ body: { ok: true } }))
  await assert.rejects(listAll(t, url), fails('misconfigured', /does not answer with SCIM/))
})
