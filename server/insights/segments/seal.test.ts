import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../../test/blocked.ts'
import { asOwner } from '../../../test/cluster.ts'
import { startApp } from '../../../test/harness.ts'
import { seeded } from '../../../test/insights/random.ts'
import { sql } from '../../platform/db/sql.ts'
import { insertPastEvents, sealEvents } from '../index.ts'
import { dropExpired } from '../jobs.ts'

const app = await startApp({ alone: true })
const EVENTS = '/insights/directory/v1/events'
const DAY = 86_400_000
const start = Date.now() - 2 * DAY
const SIZE = 10
const settled = start + DAY

type Organization = Pick<Awaited<ReturnType<typeof app.newOrganization>>, 'organizationId' | 'post'>

let made = 0
const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Events at these seconds; `more` goes into each document. */
const put = (
  { organizationId }: Pick<Organization, 'organizationId'>,
  seconds: readonly number[],
  more: (at: number) => object = (at) => ({ username: `user${at}`, message: `message ${at % 7}` }),
) =>
  app.db.tx(organizationId, (tx) =>
    insertPastEvents(
      tx,
      organizationId,
      seconds.map((second) => {
        const timestamp = new Date(start + second * 1000).toISOString()
        const id = idOf(++made)
        const document = { id, timestamp, service: 'systems', ...more(second) }
        return { id, timestamp, service: 'systems', document: JSON.stringify(document) }
      }),
    ),
  )

const range = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)

const seal = (more: object = {}) =>
  sealEvents(app.db, { settled, size: SIZE, least: SIZE, leastLate: 1, ...more })

interface Stored {
  first_time: string
  first_id: string
  last_time: string
  last_id: string
  events: number
}
const segmentsOf = ({ organizationId }: Pick<Organization, 'organizationId'>) =>
  app.db
    .tenant(organizationId)
    .many<Stored>(
      sql`select first_time, first_id, last_time, last_id, events from event_segments order by last_time, last_id`,
    )
const countOf = async ({ organizationId }: Pick<Organization, 'organizationId'>) =>
  (await app.db.tenant(organizationId).one<{ rows: number; frames: number; columns: number }>(sql`
      select (select count(*) from events) as rows, (select count(*) from event_frames) as frames,
             (select count(*) from event_columns) as columns`))!

async function ask(
  { post }: Pick<Organization, 'post'>,
  path: string,
  body: object = {},
  headers: Record<string, string> = {},
) {
  const start_time = new Date(start - DAY).toISOString()
  const response = await post(EVENTS + path, { service: ['all'], start_time, ...body }, headers)
  assert.equal(response.statusCode, 200, response.body)
  return response
}
const namesIn = async (org: Pick<Organization, 'post'>, body: object = {}): Promise<string[]> =>
  (await ask(org, '', body)).json().map(({ username }: { username: string }) => username)

test('segments hold consecutive events, do not overlap, and take the place of the rows', async () => {
  const org = await app.newOrganization()
  await put(org, range(0, SIZE - 1))
  await seal()
  assert.deepEqual(await segmentsOf(org), [], 'too few')
  await put(org, range(100, 3 * SIZE + 2))
  await seal()
  const segments = await segmentsOf(org)
  assert.deepEqual(
    segments.map(({ events }) => events),
    [SIZE, SIZE, SIZE, SIZE],
  )
  assert.equal((await countOf(org)).rows, 1, 'the last one waits for others')
  for (const [at, { first_time }] of segments.entries())
    if (at > 0) assert.ok(first_time > segments[at - 1]!.last_time)
  await seal()
  assert.deepEqual(await segmentsOf(org), segments, 'nothing to do')
})

test('small neighbours become one segment, once', async () => {
  const org = await app.newOrganization()
  const sizes: number[][] = []
  for (let part = 0; part < 5; part++) {
    await put(org, range(part * 10, 10))
    await seal({ size: 60, least: 10 })
    sizes.push((await segmentsOf(org)).map(({ events }) => events))
  }
  assert.deepEqual(sizes, [[10], [10, 10], [30], [30, 10], [30, 10, 10]])
  assert.deepEqual(
    await namesIn(org),
    range(0, 50).map((at) => `user${at}`),
  )
})

test('large documents are sealed a few at a time, and stay apart', async () => {
  const org = await app.newOrganization()
  const text = 'x'.repeat(3_000_000)
  for (let at = 0; at < 15; at++) await put(org, [at], () => ({ username: `user${at}`, text }))
  await seal({ size: 60, least: 10 })
  const sizes = (await segmentsOf(org)).map(({ events }) => events)
  // As many as make 32 MiB, the last of which may go beyond; the others are too few.
  assert.deepEqual(sizes, [12])
  assert.equal((await countOf(org)).rows, 3)
})

test('every answer is the same before and after sealing, byte for byte', async () => {
  const org = await app.newOrganization()
  const random = seeded(7)
  // Several in one millisecond, more than a segment takes.
  const seconds = Array.from({ length: 120 }, () => random.below(40)).concat(Array(25).fill(20))
  await put(org, seconds, (at) => ({
    username: `user${at % 9}`,
    number: at,
    success: at % 3 === 0,
    list: [{ name: `n${at % 4}` }, { name: ['deep', ['deeper']] }],
    ...(at % 10 === 0 && { wide: Object.fromEntries(range(0, 60).map((n) => [`m${n}`, n])) }),
  }))
  const terms = [
    undefined,
    { and: [{ username: 'user3' }] },
    { and: [{ field: 'username', operator: 'contains', value: 'r1' }] },
    { or: [{ number: [3, 5, '7'] }, { 'list.name': 'deep' }] },
    { not: [{ 'list.name': 'deeper' }, { success: true }] },
    { and: [{ 'wide.m7': 7 }] },
  ]
  const questions: [string, object][] = terms.flatMap((search_term): [string, object][] => [
    ['', { search_term }],
    ['', { search_term, sort: 'DESC' }],
    ['', { search_term, limit: 7, skip: 5 }],
    ['', { search_term, limit: 7, skip: 30, sort: 'DESC' }],
    ['/count', { search_term }],
    ['/distinct', { search_term, field: 'username' }],
    ['/distinct', { search_term, field: 'list.name' }],
    ['/distinct', { search_term, field: 'service' }],
    ['/interval', { search_term, interval_unit: 's', interval_value: 7, timezone: '+0130' }],
    ['/export', { search_term, format: 'ndjson' }],
    ['/export', { search_term, format: 'csv', fields: ['id', 'username', 'list.name'] }],
  ])
  /** Page by page, with the cursors. */
  const walk = async (sort: string, search_term?: object) => {
    const pages: unknown[] = []
    for (let search_after: unknown; ; ) {
      const page = await ask(org, '', { limit: 4, sort, search_after, search_term })
      pages.push(page.body, page.headers['x-search_after'])
      if (page.json().length < 4) return pages
      search_after = JSON.parse(String(page.headers['x-search_after']))
    }
  }
  const answers = async () => {
    const bodies: unknown[] = []
    for (const [path, body] of questions) bodies.push((await ask(org, path, body)).body)
    return [...bodies, await walk('ASC'), await walk('DESC', terms[3])]
  }
  const before = await answers()
  await seal({ settled: start + 15_000 })
  assert.ok((await segmentsOf(org)).length > 2)
  assert.deepEqual(await answers(), before, 'half of them')
  await seal()
  assert.ok((await countOf(org)).rows < SIZE)
  assert.deepEqual(await answers(), before, 'all of them')
})

test('late events are found at once, and join the segments of their time', async () => {
  const org = await app.newOrganization()
  await put(org, range(10, 4 * SIZE))
  await seal()
  const late = () => ({ username: 'late' })
  const found = () => namesIn(org, { search_term: { and: [{ username: 'late' }] } })
  assert.deepEqual(await found(), [])
  // Before them all, amid the others, in the same second as one, and between two.
  await put(org, [0, 25, 30, 10 + 4 * SIZE - 2], late)
  assert.equal((await found()).length, 4)
  const before = await namesIn(org)
  await seal({ leastLate: 3 })
  assert.equal((await countOf(org)).rows, 4, 'too few in each')
  await seal()
  assert.equal((await countOf(org)).rows, 0)
  assert.deepEqual(await namesIn(org), before)
  // Many of them become segments of their own.
  await put(org, range(-100, 3 * SIZE), late)
  await seal()
  const segments = await segmentsOf(org)
  assert.equal(
    segments.reduce((sum, { events }) => sum + events, 0),
    4 * SIZE + 4 + 3 * SIZE,
  )
  for (const [at, { first_time, first_id }] of segments.entries()) {
    const { last_time, last_id } = segments[at - 1] ?? { last_time: '', last_id: '' }
    assert.ok(first_time > last_time || (first_time === last_time && first_id > last_id))
  }
  assert.equal((await found()).length, 4 + 3 * SIZE)
})

test('what is sealed already is not stored again, sorted or shuffled', async () => {
  const org = await app.newOrganization()
  const events = range(0, 6 * SIZE).map((at) => ({
    id: `event ${at}`,
    event_type: 'note',
    service: 'ldap',
    timestamp: new Date(start + Math.floor(at / 3) * 1000).toISOString(),
  }))
  const send = async (some: object[]) => {
    const response = await app.http.inject({
      method: 'POST',
      url: '/insights/directory/v1/ingest',
      headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' },
      payload: some.map((one) => JSON.stringify(one)).join('\n'),
    })
    const { stored, duplicates } = response.json()
    return [stored, duplicates]
  }
  assert.deepEqual(await send(events.filter((_, at) => at % 4 !== 3)), [45, 0])
  await seal()
  assert.equal((await countOf(org)).rows, 5)
  const random = seeded(3)
  const shuffled = events.toSorted(() => random.below(3) - 1)
  assert.deepEqual(await send(events.slice(0, 20)), [5, 15])
  assert.deepEqual(await send(shuffled), [10, 50])
  await seal()
  assert.deepEqual(await send(shuffled), [0, 60])
  assert.equal((await ask(org, '/count')).json().count, 60)
})

test('an import that commits while its organization is being sealed is sealed by the next run', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  await put(org, range(0, SIZE))
  await put(other, range(0, SIZE))
  const sealing = await app.db.tx(org.organizationId, async (tx) => {
    const timestamp = new Date(start + 500).toISOString()
    const id = '11111111-0000-7000-8000-000000000000'
    const document = JSON.stringify({ id, timestamp, service: 'systems', username: 'late' })
    await insertPastEvents(tx, org.organizationId, [
      { id, timestamp, service: 'systems', document },
    ])
    const run = seal({ size: SIZE + 1 })
    await untilBlocked(app.db, tx)
    return { run }
  })
  await sealing.run
  assert.deepEqual(await segmentsOf(org), [], 'nothing between two sealed events is left out')
  assert.equal((await segmentsOf(other))[0]!.events, SIZE)
  await seal({ size: SIZE + 1 })
  assert.equal((await segmentsOf(org))[0]!.events, SIZE + 1)
})

test('two at once seal every event once', async () => {
  const org = await app.newOrganization()
  await put(org, range(0, 20 * SIZE))
  await Promise.all([seal(), seal(), seal()])
  const segments = await segmentsOf(org)
  assert.equal(segments.length, 20)
  assert.deepEqual(
    await namesIn(org),
    range(0, 20 * SIZE).map((at) => `user${at}`),
  )
})

test('a search in several organizations merges their segments', async () => {
  const provider = await app.newProvider(2)
  const [one, two] = provider.organizationIds as [string, string]
  await put({ organizationId: one }, range(0, 10 * SIZE), (at) => ({ username: `one${at}` }))
  await put({ organizationId: two }, range(7, 10 * SIZE), (at) => ({ username: `two${at}` }))
  await seal({ settled: start + 70_000 })
  const ids = { 'x-org-id': provider.organizationIds.join(',') }
  const both = async (more: object): Promise<string[]> =>
    (await ask(provider, '', more, ids))
      .json()
      .map(
        ({ timestamp, username }: { timestamp: string; username: string }) =>
          `${timestamp} ${username.slice(0, 3)}`,
      )
  const all = await both({})
  assert.equal(all.length, 20 * SIZE)
  assert.deepEqual(
    all.map((one) => one.slice(0, 24)),
    all.map((one) => one.slice(0, 24)).toSorted(),
  )
  assert.deepEqual(await both({ sort: 'DESC' }), all.toReversed())
  assert.deepEqual(await both({ limit: 13, skip: 21 }), all.slice(21, 34))
  assert.equal((await ask(provider, '/count', {}, ids)).json().count, 20 * SIZE)
})

test('a segment of another organization is neither seen nor used', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  await put(org, range(0, SIZE))
  await seal()
  assert.equal((await segmentsOf(org)).length, 1)
  assert.deepEqual(await segmentsOf(other), [])
  assert.deepEqual(await countOf(other), { rows: 0, frames: 0, columns: 0 })
  assert.deepEqual(await namesIn(other), [])
})

test('segments go when their events do, and the one in between is cut', async () => {
  const org = await app.newOrganization()
  await put(org, range(0, 3 * SIZE))
  await seal()
  const { frames, columns } = await countOf(org)
  assert.ok(frames >= 3 && columns > 3)
  await dropExpired(app.db, start + (SIZE + 5) * 1000 + 90 * DAY)
  assert.deepEqual(
    (await segmentsOf(org)).map(({ events }) => events),
    [5, SIZE],
  )
  assert.deepEqual(
    await namesIn(org),
    range(15, 15).map((at) => `user${at}`),
  )
  await dropExpired(app.db, start + 4 * SIZE * 1000 + 90 * DAY)
  assert.deepEqual(await segmentsOf(org), [])
  assert.deepEqual(await countOf(org), { rows: 0, frames: 0, columns: 0 })
})

test('a damaged frame is reported with its segment and hides no other', async () => {
  const org = await app.newOrganization()
  await put(org, range(0, 80))
  await seal({ size: 80, least: 80 })
  const segment = await asOwner(app.owner, async (client) => {
    const { rows } = await client.query(
      `update event_frames set data = set_byte(data, length(data) - 5, get_byte(data, length(data) - 5) # 255)
        where organization_id = $1 and start = 32 returning segment_id`,
      [org.organizationId],
    )
    return rows[0].segment_id as string
  })
  assert.equal((await namesIn(org)).length, 48)
  const damaged = app.lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'events are damaged')
  assert.deepEqual(
    damaged.map(({ segment, frame }) => [segment, frame]),
    [[segment, 32]],
  )
  // What the columns tell does not depend on it.
  assert.equal((await ask(org, '/count')).json().count, 80)
})

test('the job seals the events of all tenants', async () => {
  const org = await app.newOrganization()
  await put(org, range(0, 1100))
  await sealEvents(app.db)
  assert.deepEqual(
    (await segmentsOf(org)).map(({ events }) => events),
    [1100],
  )
})
