import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { insertPastEvents, makeDigests } from '../index.ts'
import { dropExpired } from '../jobs.ts'

const app = await startApp()
const DAY = 86_400_000
const start = Date.now() - 2 * DAY
const SIZE = 10
const settled = start + DAY

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

let made = 0
/** Events a second apart, from the given second on; `more` goes into each document. */
const put = (
  { organizationId }: Pick<Organization, 'organizationId'>,
  from: number,
  count: number,
  more: (at: number) => object = () => ({}),
) =>
  app.db.tx(organizationId, (tx) =>
    insertPastEvents(
      tx,
      organizationId,
      Array.from({ length: count }, (_, at) => {
        const timestamp = new Date(start + (from + at) * 1000).toISOString()
        const id = `00000000-0000-7000-8000-${String(++made).padStart(12, '0')}`
        const document = { id, timestamp, service: 'systems', ...more(at) }
        return { id, timestamp, service: 'systems', document: JSON.stringify(document) }
      }),
    ),
  )

const digest = () => makeDigests(app.db, { settled, size: SIZE })

const digestsOf = async ({ organizationId }: Organization) => {
  const tenant = app.db.tx(organizationId, async (tx) => {
    const { rows } = await tx.execute(
      'select from_time, until_time, events, listed from event_digests order by from_time',
    )
    return rows as { from_time: string; until_time: string; events: number; listed: boolean }[]
  })
  return tenant
}

async function search(
  org: Pick<Organization, 'post'>,
  search_term: object,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<string[]> {
  const start_time = new Date(start - DAY).toISOString()
  const response = await org.post(
    '/insights/directory/v1/events',
    {
      service: ['all'],
      start_time,
      search_term,
      fields: ['username'],
      ...more,
    },
    headers,
  )
  assert.equal(response.statusCode, 200, response.body)
  return response.json().map(({ username }: { username: string }) => username)
}

const named = (at: number) => ({ username: `user${at}`, message: `message ${at % 7}` })

test('digests cover consecutive events without gaps and wait for enough of them', async () => {
  const org = await app.newOrganization()
  await put(org, 0, SIZE - 1, named)
  await digest()
  assert.deepEqual(await digestsOf(org), [], 'too few')
  await put(org, 100, 3 * SIZE + 2, named)
  await digest()
  const digests = await digestsOf(org)
  assert.equal(
    digests.reduce((sum, { events }) => sum + events, 0),
    4 * SIZE + 1,
  )
  for (const [at, { from_time }] of digests.entries())
    if (at > 0) assert.equal(from_time, digests[at - 1]!.until_time)
  await digest()
  assert.deepEqual(await digestsOf(org), digests, 'nothing to do')
})

test('what comes late is found at once, and its time gets a new digest', async () => {
  const org = await app.newOrganization()
  await put(org, 10, 4 * SIZE, named)
  await digest()
  const before = await digestsOf(org)
  const late = () => ({ username: 'late' })
  assert.deepEqual(await search(org, { and: [{ username: 'late' }] }), [])
  // Amid the others, before them all, and at the very end.
  for (const second of [25, 0, 10 + 4 * SIZE - 1]) await put(org, second, 1, late)
  assert.equal((await digestsOf(org)).length, before.length - 2)
  const found = () => search(org, { and: [{ username: 'late' }] })
  assert.deepEqual(await found(), ['late', 'late', 'late'])
  await digest()
  const after = await digestsOf(org)
  assert.equal(
    after.reduce((sum, { events }) => sum + events, 0),
    4 * SIZE + 3,
  )
  assert.equal(after.length, before.length + 1, 'one more, for the time before the first')
  assert.deepEqual(await found(), ['late', 'late', 'late'])
})

test('an import that has not committed yet holds digests of its organization up, no others', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  await put(org, 0, SIZE, named)
  await put(other, 0, SIZE, named)
  let making: Promise<void> | undefined
  await app.db.tx(org.organizationId, async (tx) => {
    const timestamp = new Date(start + 500).toISOString()
    const id = '11111111-0000-7000-8000-000000000000'
    const document = JSON.stringify({ id, timestamp, service: 'systems', username: 'late' })
    await insertPastEvents(tx, org.organizationId, [
      { id, timestamp, service: 'systems', document },
    ])
    making = digest()
    // Tenants come in the order of their ids, which is that of their making: this one waits.
    assert.deepEqual(await digestsOf(other), [])
  })
  await making
  assert.equal((await digestsOf(org))[0]!.events, SIZE + 1)
  assert.equal((await digestsOf(other)).length, 1)
  assert.deepEqual(await search(org, { and: [{ username: 'late' }] }), ['late'])
})

test('every operator finds the same with digests as without', async () => {
  const org = await app.newOrganization()
  const values = [
    'plain',
    'a\u001fb',
    'a\u001eb',
    '@ab',
    'AB'.toLowerCase(),
    '',
    'true',
    '1',
    'ünï😀',
  ]
  await put(org, 0, 60, (at) => ({
    username: values[at % values.length],
    number: at,
    success: at % 3 === 0,
    list: [{ name: values[at % values.length] }, { name: `n${at}` }],
  }))
  const terms = values.flatMap((value) => [
    ...['eq', 'ne', 'contains', 'startsWith', 'endsWith'].map((operator) => ({
      and: [{ field: 'username', operator, value }],
    })),
    { and: [{ field: 'list.name', operator: 'eq', value }, { success: true }] },
    {
      or: [
        { field: 'username', operator: 'eq', value },
        { field: 'list.name', operator: 'in', value: ['n7', 'n8'] },
      ],
    },
    { and: [{ number: [3, 5, '7'] }] },
  ])
  const sorted = (names: string[]) => JSON.stringify(names)
  const before = await Promise.all(terms.map((term) => search(org, term).then(sorted)))
  await digest()
  assert.ok((await digestsOf(org)).length >= 5)
  const after = await Promise.all(terms.map((term) => search(org, term).then(sorted)))
  for (const [at, term] of terms.entries())
    assert.equal(after[at], before[at], JSON.stringify(term))
  assert.ok(before.some((found) => found !== '[]'))
})

test('pages of a search walk through digests in both directions, with a limit and a skip', async () => {
  const org = await app.newOrganization()
  await put(org, 0, 20 * SIZE, named)
  await digest()
  const term = { and: [{ field: 'message', operator: 'endsWith', value: '3' }] }
  const all = await search(org, term)
  assert.equal(
    all.length,
    Array.from({ length: 20 * SIZE }, (_, at) => at % 7).filter((n) => n === 3).length,
  )
  assert.deepEqual(await search(org, term, { sort: 'DESC' }), all.toReversed())
  assert.deepEqual(await search(org, term, { limit: 4, skip: 3 }), all.slice(3, 7))
  assert.deepEqual(
    await search(org, term, { limit: 4, sort: 'DESC' }),
    all.toReversed().slice(0, 4),
  )
})

test('a search in several organizations merges what their digests leave', async () => {
  const provider = await app.newProvider(2)
  const [one, two] = provider.organizationIds as [string, string]
  await put({ organizationId: one }, 0, 10 * SIZE, (at) => ({
    username: `one${at}`,
    message: `m${at % 5}`,
  }))
  await put({ organizationId: two }, 7, 10 * SIZE, (at) => ({
    username: `two${at}`,
    message: `m${at % 5}`,
  }))
  await digest()
  const term = { and: [{ message: 'm3' }] }
  const both = (more: object) =>
    search(provider, term, more, { 'x-org-id': provider.organizationIds.join(',') })
  const expected = Array.from({ length: 10 * SIZE }, (_, at) => at)
    .filter((at) => at % 5 === 3)
    .flatMap((at) => [
      { time: at, name: `one${at}` },
      { time: at + 7, name: `two${at}` },
    ])
    .sort((a, b) => a.time - b.time)
    .map(({ name }) => name)
  assert.deepEqual(await both({}), expected)
  assert.deepEqual(await both({ sort: 'DESC' }), expected.toReversed())
  assert.deepEqual(await both({ limit: 9 }), expected.slice(0, 9))
})

test('more events in one millisecond than a digest takes, and more fields, are searched all the same', async () => {
  const org = await app.newOrganization()
  const timestamp = new Date(start).toISOString()
  await app.db.tx(org.organizationId, (tx) =>
    insertPastEvents(
      tx,
      org.organizationId,
      Array.from({ length: 9 * SIZE }, (_, at) => {
        const id = `22222222-0000-7000-8000-${String(at).padStart(12, '0')}`
        const document = { id, timestamp, service: 'systems', username: `same${at}` }
        return { id, timestamp, service: 'systems', document: JSON.stringify(document) }
      }),
    ),
  )
  await put(org, 10, SIZE, (at) => ({
    username: `wide${at}`,
    resource: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`member${n}`, n])),
  }))
  await digest()
  const digests = await digestsOf(org)
  assert.deepEqual(
    digests.map(({ listed }) => listed),
    [false, false],
  )
  assert.deepEqual(await search(org, { and: [{ username: 'same77' }] }), ['same77'])
  assert.deepEqual(await search(org, { and: [{ username: 'wide3' }] }), ['wide3'])
  assert.deepEqual(await search(org, { and: [{ username: 'nobody' }] }), [])
})

test('a digest of another organization is neither seen nor used', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  await put(org, 0, SIZE, named)
  await digest()
  assert.equal((await digestsOf(org)).length, 1)
  assert.deepEqual(await digestsOf(other), [])
  await put(other, 0, 1, () => ({ username: 'user1' }))
  assert.deepEqual(await search(other, { and: [{ username: 'user1' }] }), ['user1'])
})

test('digests go when their events do', async () => {
  const org = await app.newOrganization()
  await put(org, 0, 3 * SIZE, named)
  await digest()
  const last = (await digestsOf(org)).at(-1)!
  await dropExpired(app.db, Date.parse(last.until_time) + 90 * DAY)
  assert.deepEqual(await digestsOf(org), [last])
  const left = await app.db.tx(org.organizationId, (tx) =>
    tx.execute('select distinct from_time from event_digest_lists'),
  )
  assert.deepEqual(left.rows, [{ from_time: last.from_time }])
})

test('the job makes the digests of all tenants', async () => {
  const org = await app.newOrganization()
  await put(org, 0, 600, named)
  await makeDigests(app.db)
  assert.equal((await digestsOf(org)).length, 1)
})
