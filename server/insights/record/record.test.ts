import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { systemCaller } from '../../platform/caller.ts'
import { sql } from '../../platform/db/sql.ts'
import { changesBetween, fold } from '../document.ts'
import { dropExpired, ensurePartitions } from '../jobs.ts'
import { createPartitions } from '../store.ts'
import { recordEvent, recordEvents } from './record.ts'
import { parseUserAgent } from './useragent.ts'

const app = await startApp({ alone: true })
const WEEK = 7 * 86_400_000

test('searchable values are folded to lower case; changes, useragent and times keep theirs', () => {
  const event = {
    Name: 'ABC',
    list: ['X', { y: 'Z' }],
    changes: [{ field: 'A', to: 'B' }],
    useragent: { name: 'Chrome' },
    timestamp: '2026-01-01T00:00:00Z',
    n: 1,
    none: null,
  }
  const folded = { ...event, Name: 'abc', list: ['x', { y: 'z' }] }
  assert.deepEqual(fold(event), folded)
  const below = fold({ resource: { timestamp: 'T', changes: 'C' }, user_agent: { name: 'Chrome' } })
  assert.deepEqual(below, {
    resource: { timestamp: 't', changes: 'c' },
    user_agent: { name: 'chrome' },
  })
})

test('changes list the differences, and secrets without their values', () => {
  const changes = changesBetween(
    { a: 1, b: [1], gone: 'x', pin: '1' },
    { a: 2, b: [1], new: null, pin: '2' },
    ['pin'],
  )
  assert.deepEqual(changes, [
    { field: 'a', from: 1, to: 2 },
    { field: 'gone', from: 'x' },
    { field: 'pin' },
    { field: 'new', to: null },
  ])
})

test('user agents are split into parts', () => {
  assert.deepEqual(parseUserAgent('curl/8.5.0'), {
    name: 'curl',
    version: '8.5.0',
    major: '8',
    minor: '5',
    patch: '0',
    device: 'Other',
  })
  const edge = parseUserAgent(
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36 Edg/130.0.1',
  )
  assert.equal(edge?.name, 'Edge')
  assert.equal(edge?.os, 'Windows')
  assert.equal(edge?.os_version, '10.0')
  const ipad = parseUserAgent(
    'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
  )
  assert.deepEqual(
    [ipad?.name, ipad?.version, ipad?.os, ipad?.os_version, ipad?.device],
    ['Safari', '17.0', 'iOS', '17.0', 'iPad'],
  )
  const bot = parseUserAgent(
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  )
  assert.deepEqual([bot?.name, bot?.device], ['Googlebot', 'Spider'])
  assert.equal(parseUserAgent('x'.repeat(100_000))?.name?.length, 64)
  assert.equal(parseUserAgent(undefined), undefined)
})

test('an event commits and rolls back with its transaction', async () => {
  const { organizationId } = await app.newOrganization()
  const actor = systemCaller(organizationId, 'test')
  await assert.rejects(
    app.db.tx(organizationId, async (tx) => {
      await recordEvent(tx, actor, { event_type: 'rolled_back' })
      throw new Error('no')
    }),
  )
  assert.deepEqual(await app.eventsOf(organizationId), [])
  await app.db.tx(organizationId, (tx) =>
    recordEvent(tx, actor, { event_type: 'Kept', resource: { type: 'thing', name: 'O"\\/ é\n' } }),
  )
  const [event] = await app.eventsOf(organizationId)
  assert.equal(event?.event_type, 'kept')
  assert.deepEqual(event?.resource, { type: 'thing', name: 'o"\\/ é\n' })
  assert.match(String(event?.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const row = await app.db
    .tenant(organizationId)
    .one<{ timestamp: string; id: string }>(sql`select timestamp, id from events`)
  assert.equal(row?.timestamp, event?.timestamp)
  assert.equal(row?.id, event?.id)
})

test('events that are written together have one time, and keep their order', async () => {
  const { organizationId } = await app.newOrganization()
  const names = ['first "', 'second, {}', 'third \\']
  const inputs = names.map((name) => ({ event_type: 'many', resource: { type: 'thing', name } }))
  await app.db.tx(organizationId, (tx) =>
    recordEvents(tx, systemCaller(organizationId, 'test'), inputs),
  )
  const rows = await app.db
    .tenant(organizationId)
    .many<{ timestamp: string; document: string }>(sql`select * from events order by timestamp, id`)
  const documents = rows.map(({ document }) => JSON.parse(document))
  assert.deepEqual(
    documents.map(({ resource }) => resource.name),
    names,
  )
  assert.equal(new Set(documents.map(({ timestamp }) => timestamp)).size, 1)
  assert.equal(documents[0].timestamp, rows[0]!.timestamp)
})

test('own documents never contain text that jsonb cannot store', async () => {
  const org = await app.newOrganization()
  const name = 'half \ud800 and nothing \u0000'
  const actor = systemCaller(org.organizationId, 'test')
  await app.db.tx(org.organizationId, (tx) =>
    recordEvent(tx, actor, { event_type: 'odd', changes: [{ field: 'name', to: name }] }),
  )
  const tenant = app.db.tenant(org.organizationId)
  const rows = await tenant.many(sql`select document::jsonb from events`)
  assert.ok(rows.length > 0)
})

test('the watermark stays below every transaction that may still commit an event', async () => {
  const { organizationId } = await app.newOrganization()
  const actor = systemCaller(organizationId, 'test')
  const watermark = async () =>
    (await app.db.one<{ at: string }>(sql`select event_watermark() as at`))!.at
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let written = () => {}
  const wrote = new Promise<void>((resolve) => {
    written = resolve
  })
  const slow = app.db.tx(organizationId, async (tx) => {
    await recordEvent(tx, actor, { event_type: 'slow' })
    written()
    await held
  })
  await wrote
  await app.db.tx(organizationId, (tx) => recordEvent(tx, actor, { event_type: 'quick' }))
  const during = await watermark()
  const [quick] = await app.eventsOf(organizationId)
  assert.ok(
    during <= String(quick?.timestamp),
    'a later event is held back while an earlier one is open',
  )
  release()
  await slow
  const [first] = await app.eventsOf(organizationId)
  assert.equal(first?.event_type, 'slow')
  assert.ok(during <= String(first?.timestamp))
  assert.ok((await watermark()) > String(quick?.timestamp))
})

test('partitions are created ahead, once, and take over rows from the default partition', async () => {
  const { organizationId } = await app.newOrganization()
  const future = Date.now() + 60 * WEEK
  const insert = (at: number) =>
    app.db.tx(organizationId, (tx) =>
      tx.execute(
        "insert into events (organization_id, timestamp, id, service, document) values ($1, $2, gen_random_uuid(), 'directory', '{}')",
        [organizationId, new Date(at)],
      ),
    )
  await insert(future)
  assert.ok((await ensurePartitions(app.db, future)) >= 4)
  assert.equal(await ensurePartitions(app.db, future), 0)
  const [row] = await app.db
    .tenant(organizationId)
    .many<{ partition: string }>(sql`select tableoid::regclass::text as partition from events`)
  assert.match(row!.partition, /^events_\d{4}w\d\d$/)
})

test('expired weeks are dropped, and nothing newer', async () => {
  const { organizationId } = await app.newOrganization()
  const insert = (at: number) =>
    app.db.tx(organizationId, (tx) =>
      tx.execute(
        "insert into events (organization_id, timestamp, id, service, document) values ($1, $2, gen_random_uuid(), 'directory', '{}')",
        [organizationId, new Date(at)],
      ),
    )
  const now = Date.now()
  await createPartitions(app.db, new Date(now - 20 * WEEK), new Date(now))
  await insert(now - 19 * WEEK)
  await insert(now - 60 * WEEK)
  await insert(now - 12 * WEEK)
  assert.ok((await dropExpired(app.db, now)).weeks >= 6)
  assert.deepEqual(await dropExpired(app.db, now), { weeks: 0, events: 0 })
  const rows = await app.db.tenant(organizationId).many(sql`select from events`)
  assert.equal(rows.length, 1)
})
