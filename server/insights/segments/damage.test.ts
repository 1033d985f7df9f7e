import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { asOwner } from '../../../test/cluster.ts'
import { startApp } from '../../../test/harness.ts'
import { messagesOf } from '../../../test/insights/messages.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { ForwardingWorker } from '../../forwarding/worker.ts'
import { createLog } from '../../platform/log.ts'
import { Allowlist } from '../../platform/outbound/allowlist.ts'
import { Outbound } from '../../platform/outbound/client.ts'
import { dropExpired } from '../jobs.ts'
import { sealOrganization } from './seal.ts'

// A frame that cannot be read costs its own events and no others, whoever reads.

const app = await startApp({ alone: true })
const url = await app.listen()
const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
after(() => outbound.close())

const BASE = '/insights/directory/v1'
const DAY = 86_400_000
const start = Date.now() - 2 * DAY
const start_time = new Date(start - DAY).toISOString()
/** More than a page of an export; in one segment. */
const EVENTS = 2500
/** Where the frames start that are damaged. */
const DAMAGED = [64, 2048]

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

const eventAt = (at: number) => ({
  id: `event ${at}`,
  name: `e${at}`,
  event_type: 'sample',
  service: 'notifications',
  timestamp: new Date(start + at).toISOString(),
})
const numbers = Array.from({ length: EVENTS }, (_, at) => at)

const ingest = async ({ post }: Pick<Organization, 'post'>, events: object[]) => {
  const answer = await post(`${BASE}/ingest`, events)
  assert.equal(answer.statusCode, 200, answer.body)
  const { stored, duplicates } = answer.json()
  return { stored, duplicates }
}

/** How many events a frame has. */
const frameSize = ({ organizationId }: Organization) =>
  asOwner(app.owner, async (client) => {
    const { rows } = await client.query(
      'select min(start) as size from event_frames where organization_id = $1 and start > 0',
      [organizationId],
    )
    return rows[0].size as number
  })

/** Changes a byte of the frames that start with these events, counted from either end. */
const damage = ({ organizationId }: Organization, starts: number[], at: number) =>
  asOwner(app.owner, async (client) => {
    const place = at < 0 ? `length(data) - ${-at}` : String(at)
    const { rows } = await client.query(
      `update event_frames set data = set_byte(data, ${place}, get_byte(data, ${place}) # 255)
        where organization_id = $1 and start = any($2::int[]) returning segment_id as id`,
      [organizationId, starts],
    )
    assert.equal(rows.length, starts.length)
    return rows[0].id as string
  })

async function damagedOrganization() {
  const org = await app.newOrganization()
  await ingest(org, numbers.map(eventAt))
  await sealOrganization(app.db, org.organizationId, { size: EVENTS, least: 1 })
  const segment = await damage(org, DAMAGED, -5)
  const size = await frameSize(org)
  const isLost = (at: number) => DAMAGED.some((first) => at >= first && at < first + size)
  const readable = numbers.filter((at) => !isLost(at)).map((at) => `e${at}`)
  return { org, segment, readable }
}
const { org, segment, readable } = await damagedOrganization()

const namesOf = (events: { name: string }[]) => events.map(({ name }) => name)

async function walk(sort: string, limit: number): Promise<string[]> {
  const names: string[] = []
  for (let search_after: unknown; ; ) {
    const body = { service: ['all'], start_time, sort, limit, search_after }
    const page = await org.post(`${BASE}/events`, body)
    assert.equal(page.statusCode, 200, page.body)
    names.push(...namesOf(page.json()))
    if (page.json().length < limit) return names
    search_after = JSON.parse(String(page.headers['x-search_after']))
  }
}

test('pages have all other events, and the log names the segment and the frame', async () => {
  assert.deepEqual(await walk('ASC', 10), readable)
  assert.deepEqual(await walk('ASC', 10_000), readable)
  assert.deepEqual(await walk('DESC', 900), readable.toReversed())
  const logged = app.lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'events are damaged')
  assert.deepEqual([...new Set(logged.map((line) => `${line.segment} ${line.frame}`))].sort(), [
    `${segment} 2048`,
    `${segment} 64`,
  ])
  assert.ok(logged.every(({ organizationId }) => organizationId === org.organizationId))
})

test('an export has all other events', async () => {
  const body = { service: ['all'], start_time, format: 'ndjson' }
  const answer = await org.post(`${BASE}/events/export`, body)
  const lines = answer.body.trimEnd().split('\n')
  assert.deepEqual(namesOf(lines.map((line) => JSON.parse(line))), readable)
})

test('a stream goes on beyond them', async () => {
  const stop = new AbortController()
  const from = `${start - 1}:00000000-0000-0000-0000-000000000000`
  const address = `${url}${BASE}/events/stream?service=notifications&last_event_id=${from}`
  const response = await fetch(address, {
    headers: { 'x-api-key': org.apiKey },
    signal: stop.signal,
  })
  await ingest(org, [{ ...eventAt(0), id: 'end', name: 'end', timestamp: new Date() }])
  const names: unknown[] = []
  for await (const { event } of messagesOf(response)) {
    if (event.name === 'end') break
    names.push(event.name)
  }
  stop.abort()
  assert.deepEqual(names, readable)
})

test('a forwarder sends all other events and is not held up', async () => {
  const receiver = await startReceiver()
  const settings = { name: 'SIEM', url: receiver.url, service: ['notifications'], batch_size: 50 }
  const made = (await org.post(`${BASE}/forwarders`, settings)).json()
  app.secrets.add(made.secret)
  const path = `${BASE}/forwarders/${made.id}`
  assert.equal((await org.post(`${path}/replay`, { from: start_time })).statusCode, 200)
  const context = { ...app.contexts.forwarding, searchDb: app.db, outbound }
  await new ForwardingWorker(context, createLog('silent')).runDue()
  assert.deepEqual(
    receiver.names().filter((name) => name !== 'end'),
    readable,
  )
  const { status, lag_seconds } = (await org.get(path)).json()
  assert.deepEqual({ status, lag_seconds }, { status: 'active', lag_seconds: 0 })
})

test('a damaged column is made anew from the documents, and the log names it', async () => {
  const other = await app.newOrganization()
  await ingest(other, numbers.slice(0, 100).map(eventAt))
  await sealOrganization(app.db, other.organizationId, { size: 100, least: 1 })
  const id = await asOwner(app.owner, async (client) => {
    const { rows } = await client.query(
      `update event_columns set data = set_byte(data, length(data) - 9, get_byte(data, length(data) - 9) # 255)
        where organization_id = $1 and field = 'name' returning segment_id as id`,
      [other.organizationId],
    )
    return rows[0].id as string
  })
  const search_term = { and: [{ name: 'e42' }] }
  const body = { service: ['all'], start_time, search_term }
  const page = await other.post(`${BASE}/events`, body)
  assert.deepEqual(namesOf(page.json()), ['e42'])
  const logged = app.lines.map((line) => JSON.parse(line)).find(({ column }) => column === 'name')
  assert.equal(logged.segment, id)
})

test('ingest of events at their times goes on, and stores no other twice', async () => {
  const other = await app.newOrganization()
  const some = numbers.slice(0, 100).map(eventAt)
  await ingest(other, some)
  await sealOrganization(app.db, other.organizationId, { size: 100, least: 1 })
  // The number of events: it would have more ids than bytes.
  await damage(other, [32], 0)
  const size = await frameSize(other)
  assert.deepEqual(await ingest(other, some), { stored: size, duplicates: 100 - size })
})

test('what has to be written anew is left as it is, by name, and everything else goes on', async () => {
  const owner = await app.newOrganization()
  const old = Date.now() - 80 * DAY
  const aged = (at: number, time: number) => ({ ...eventAt(at), timestamp: iso(time) })
  const iso = (time: number) => new Date(time).toISOString()
  await ingest(
    owner,
    numbers.slice(0, 100).map((at) => aged(at, old + at * 1000)),
  )
  const seal = () =>
    sealOrganization(app.db, owner.organizationId, { size: 100, least: 50, leastLate: 1 })
  await seal()
  const id = await damage(owner, [32], -5)
  await ingest(owner, [aged(200, old + 1500), aged(201, Date.now() - DAY)])
  await ingest(
    owner,
    numbers.slice(300, 400).map((at) => aged(at, Date.now() - 2 * DAY + at)),
  )
  await assert.rejects(seal(), new RegExp(id))
  const count = async () => {
    const body = { service: ['notifications'], start_time: iso(old - DAY) }
    return (await owner.post(`${BASE}/events/count`, body)).json().count
  }
  assert.equal(await count(), 202, 'new events are sealed, late ones stay rows')
  // Another one keeps its events for longer, so that those of this one are deleted row by row.
  const keeper = await app.newOrganization()
  await keeper.put(`${BASE}/retention`, { days: 300 })
  const now = old + 50_000 + 90 * DAY
  await assert.rejects(dropExpired(app.db, now), new RegExp(id))
  assert.equal(await count(), 201, 'the late row has gone')
  await dropExpired(app.db, now + DAY)
  assert.equal(await count(), 101, 'all of the segment has gone')
})
