import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScimLab } from '../../../lab/scim/serve.ts'
import { fails, open, readAll } from '../../../test/imports/source.ts'
import { page, startRawServer } from '../../../test/scim/raw.ts'

const user = (number: number) => ({ id: String(number), userName: `user${number}` })

test('all users of a SCIM provider are read, although it fails now and then', async (t) => {
  const all = Array.from({ length: 250 }, (_, at) => user(at))
  let failures = 0
  const { url, requests } = await startRawServer(t, ({ query }) => {
    if (requests.length % 2 === 0 && ++failures > 1) return 'cut'
    if (requests.length % 2 === 0) return { status: 429, headers: { 'retry-after': '9' } }
    const start = Number(query.get('startIndex')) - 1
    return page(all.slice(start, start + 100), all.length)
  })
  const auth = { type: 'bearer' as const, token: 'T' }
  const { source, waits } = open(t, { kind: 'scim', baseUrl: url, auth })
  const records = await readAll(source)
  assert.deepEqual(
    records.map((one) => 'record' in one && one.record),
    all,
  )
  assert.equal(waits[0], 9000)
  assert.equal(requests[0]!.headers.authorization, 'Bearer T')
})

test('the filter of the request is added to that of the settings', async (t) => {
  const { url, requests } = await startRawServer(t, () => page([]))
  const auth = { type: 'bearer' as const, token: 'T' }
  const filtered = open(t, { kind: 'scim', baseUrl: url, auth, filter: 'active eq true' }).source
  const plain = open(t, { kind: 'scim', baseUrl: url, auth }).source
  await readAll(filtered)
  await readAll(filtered, { query: 'userName sw "a"' })
  await readAll(plain, { query: 'userName sw "a"' })
  await readAll(plain)
  assert.deepEqual(
    requests.map(({ query }) => query.get('filter')),
    ['active eq true', '(active eq true) and (userName sw "a")', 'userName sw "a"', null],
  )
})

test('failures of the provider are failures of the source', async (t) => {
  const lab = await startScimLab({ token: 'T' })
  t.after(lab.close)
  const read = (token: string, path = '') =>
    readAll(
      open(t, { kind: 'scim', baseUrl: `${lab.url}${path}`, auth: { type: 'bearer', token } })
        .source,
    )
  assert.deepEqual(await read('T'), [])
  await assert.rejects(read('wrong'), fails('misconfigured', /refused our credentials/))
  await assert.rejects(read('T', '/nowhere'), fails('misconfigured', /404/))
  lab.faults.set({ failRate: 1, status: 500 })
  await assert.rejects(read('T'), fails('transient', /500/))
})

test('a user without an id is a problem, and the others are read', async (t) => {
  const { url } = await startRawServer(t, () => page([user(1), { userName: 'lost' }, user(2)]))
  const auth = { type: 'bearer' as const, token: 'T' }
  const records = await readAll(open(t, { kind: 'scim', baseUrl: url, auth }).source)
  assert.deepEqual(records, [
    { record: user(1) },
    { problem: 'a user has no usable id', excerpt: '{"userName":"lost"}' },
    { record: user(2) },
  ])
})
