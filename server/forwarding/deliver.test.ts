import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { startReceiver } from '../../test/receiver.ts'
import { createLog } from '../platform/log.ts'
import { Allowlist } from '../platform/outbound/allowlist.ts'
import { Outbound } from '../platform/outbound/client.ts'
import { dropArrivals } from './jobs.ts'
import { ForwardingWorker } from './worker.ts'

const app = await startApp()
const BASE = '/insights/directory/v1/forwarders'
const HOUR = 3_600_000
type Organization = Awaited<ReturnType<typeof app.newOrganization>>

const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
after(() => outbound.close())
const log = createLog('silent')
/** A separate worker with its own clock. */
const worker = (now: () => number = Date.now) =>
  new ForwardingWorker({ ...app.contexts.forwarding, searchDb: app.db, outbound, now }, log)
const later = (ms: number) => worker(() => Date.now() + ms)

/** Ingests events one second apart, the last of them now or at `end`. */
async function ingest(org: Organization, names: string[], end = Date.now(), more: object = {}) {
  const events = names.map((name, at) => ({
    service: 'notifications',
    event_type: 'sample',
    name,
    timestamp: new Date(end - (names.length - 1 - at) * 1000).toISOString(),
    ...more,
  }))
  const answer = await org.post('/insights/directory/v1/ingest', events)
  assert.equal(answer.json().stored, names.length, answer.body)
}

/** A forwarder past its own creation event, so that tests see only the events they ingest. */
async function newForwarder(settings: object = {}) {
  const org = await app.newOrganization()
  const receiver = await startReceiver()
  const made = await org.post(BASE, {
    name: 'SIEM',
    url: receiver.url,
    service: ['notifications'],
    ...settings,
  })
  assert.equal(made.statusCode, 201, made.body)
  const { id, secret } = made.json() as { id: string; secret: string }
  app.secrets.add(secret)
  const state = async () => (await org.get(`${BASE}/${id}`)).json()
  const deliveries = async () => (await org.get(`${BASE}/${id}/deliveries`)).json().results
  const put = (more: object = {}) =>
    org.put(`${BASE}/${id}`, {
      name: 'SIEM',
      url: receiver.url,
      service: ['notifications'],
      ...settings,
      ...more,
    })
  return { org, receiver, id, secret, state, deliveries, put }
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `e${from + at}`)

test('events are sent in order, signed, in batches of the configured size', async () => {
  const { org, receiver, secret, state, deliveries } = await newForwarder({ batch_size: 4 })
  await ingest(org, numbered(1, 10))
  await worker().runDue()
  assert.deepEqual(receiver.names(), numbered(1, 10))
  assert.deepEqual(
    receiver.accepted.map(({ events }) => events.length),
    [4, 4, 2],
  )
  const key = `hexkey:${Buffer.from(secret.slice(6), 'base64').toString('hex')}`
  for (const { id, headers, body } of receiver.accepted) {
    assert.equal(headers['content-type'], 'application/json')
    const sent = Number(headers['webhook-timestamp'])
    assert.ok(Math.abs(sent - Date.now() / 1000) < 60)
    const mac = execFileSync(
      'openssl',
      ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', key, '-binary'],
      {
        input: `${id}.${sent}.${body}`,
      },
    )
    assert.equal(headers['webhook-signature'], `v1,${mac.toString('base64')}`)
  }
  assert.equal(new Set(receiver.accepted.map(({ id }) => id)).size, 3)
  const { status, last_success, delivered_to, lag_seconds } = await state()
  assert.equal(status, 'active')
  assert.ok(last_success && delivered_to)
  assert.equal(lag_seconds, 0)
  const log = await deliveries()
  assert.deepEqual(
    log.map(({ count }: { count: number }) => count),
    [2, 4, 4],
  )
  assert.equal(log[0].http_status, 200)
  assert.equal(log[0].webhook_id, receiver.accepted[2]!.id)
  await worker().runDue()
  assert.equal(receiver.received.length, 3, 'no event is sent twice')
})

test('events of the service itself are sent, as NDJSON if configured', async () => {
  const { org, receiver } = await newForwarder({ service: ['directory'], format: 'ndjson' })
  await org.post('/api/v2/roles', { name: 'Watcher', scopes: ['users'] })
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['forwarder_create', 'role_create'])
  assert.equal(receiver.accepted[0]!.headers['content-type'], 'application/x-ndjson')
  assert.deepEqual(
    receiver.accepted[0]!.events.map((event) => JSON.stringify(event)),
    (await org.events()).map((event) => JSON.stringify(event)),
  )
})

test('a filter matches like a query, and the cursor moves past other events', async () => {
  const search_term = {
    or: [{ name: 'e2' }, { and: [{ field: 'name', operator: 'startsWith', value: 'e9' }] }],
  }
  const { org, receiver, state } = await newForwarder({ search_term })
  const before = (await state()).cursor
  await ingest(org, ['e1', 'e2', 'e3'])
  await ingest(org, ['e91'], Date.now(), { service: 'radius' })
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['e2'])
  const after = (await state()).cursor
  assert.ok(after[0] > before[0])
  await ingest(org, ['e4', 'e92'])
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['e2', 'e92'])
})

test('a failing receiver gets everything once it recovers, each batch under its original id', async () => {
  const { org, receiver, state, deliveries } = await newForwarder({ batch_size: 3 })
  receiver.answerStatus(500)
  await ingest(org, numbered(1, 2))
  const now = Date.now()
  await worker(() => now).runDue()
  const failed = await state()
  assert.equal(failed.status, 'retrying')
  assert.equal(failed.last_error, 'The receiver answered 500 Internal Server Error')
  assert.ok(Date.parse(failed.next_attempt) > now)
  await worker(() => Date.parse(failed.next_attempt) - 1).runDue()
  assert.equal(receiver.received.length, 1, 'not before the retry is due')
  await ingest(org, numbered(3, 7))
  await later(10_000).runDue()
  await later(30_000).runDue()
  assert.equal(receiver.received.length, 3)
  receiver.answerStatus(204)
  await later(HOUR).runDue()
  assert.deepEqual(receiver.names(), numbered(1, 7))
  assert.equal(new Set(receiver.received.slice(0, 4).map(({ id, body }) => id + body)).size, 1)
  const { status, last_error, next_attempt } = await state()
  assert.deepEqual(
    { status, last_error, next_attempt },
    { status: 'active', last_error: null, next_attempt: null },
  )
  assert.deepEqual(
    (await deliveries()).map((one: { http_status: number }) => one.http_status),
    [204, 204, 204, 500, 500, 500],
  )
})

test('Retry-After of a receiver is respected', async () => {
  const { org, receiver, state } = await newForwarder()
  receiver.answerStatus(429, { 'retry-after': '600' })
  await ingest(org, ['e1'])
  const now = Date.now()
  await worker(() => now).runDue()
  assert.equal(Date.parse((await state()).next_attempt), now + 600_000)
  receiver.answerStatus(200)
  await worker(() => now + 599_000).runDue()
  assert.equal(receiver.received.length, 1)
  await worker(() => now + 600_000).runDue()
  assert.deepEqual(receiver.names(), ['e1'])
})

test('a worker that dies midway loses nothing, and another sends the same batch', async () => {
  const { org, receiver, state } = await newForwarder()
  await ingest(org, numbered(1, 3))
  let release = () => {}
  const arrived = new Promise<void>((resolve) => {
    receiver.answerWith(async (_, response) => {
      resolve()
      await new Promise<void>((go) => {
        release = go
      })
      response.end()
    })
  })
  const now = Date.now()
  const dying = worker(() => now).runDue()
  await arrived
  await worker(() => now + 5000).runDue()
  assert.equal(receiver.received.length, 1, 'its lease excludes others')
  const { answerStatus } = receiver
  answerStatus(200)
  await ingest(org, ['e4'])
  await worker(() => now + 20_000).runDue()
  assert.deepEqual(receiver.names(), numbered(1, 4))
  assert.equal(receiver.received[1]!.id, receiver.received[0]!.id)
  assert.equal(receiver.received[1]!.body, receiver.received[0]!.body)
  const { cursor } = await state()
  release()
  await dying
  assert.deepEqual((await state()).cursor, cursor, 'the late outcome of the dead worker is ignored')
  await ingest(org, ['e5'])
  await worker().runDue()
  assert.equal(receiver.names().at(-1), 'e5')
})

test('several workers at once send each event once', async () => {
  const { org, receiver } = await newForwarder({ batch_size: 5 })
  await ingest(org, numbered(1, 60))
  await Promise.all(Array.from({ length: 4 }, () => worker().runDue()))
  await worker().runDue()
  assert.deepEqual(receiver.names(), numbered(1, 60))
  assert.equal(receiver.received.length, 12)
})

test('late events of other sources are sent when they arrive', async () => {
  const { org, receiver, state } = await newForwarder({ batch_size: 2 })
  await ingest(org, ['now'])
  await worker().runDue()
  assert.ok((await state()).delivered_to)
  await ingest(org, numbered(1, 3), Date.now() - 30 * 24 * HOUR)
  await ingest(org, ['other'], Date.now() - 24 * HOUR, { service: 'radius' })
  await ingest(org, ['next'])
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['now', 'e1', 'e2', 'e3', 'next'])
  await worker().runDue()
  assert.equal(receiver.names().length, 5)
  // Behind again, so that the cursor passes the late events: they are not sent twice.
  receiver.answerStatus(500)
  await ingest(org, ['slow1', 'slow2', 'slow3'])
  await worker().runDue()
  await ingest(org, ['late'], Date.now() - 10 * HOUR)
  await ingest(org, ['slow4', 'slow5'])
  receiver.answerStatus(200)
  await later(HOUR).runDue()
  await later(HOUR).runDue()
  assert.deepEqual(receiver.names().slice(5).sort(), [
    'late',
    'slow1',
    'slow2',
    'slow3',
    'slow4',
    'slow5',
  ])
  const left = await app.db.tx(org.organizationId, (tx) =>
    tx.execute('select from forwarder_arrivals'),
  )
  assert.equal(left.rows.length, 0)
})

test('events ingested twice are sent once', async () => {
  const { org, receiver } = await newForwarder()
  const timestamp = new Date(Date.now() - HOUR).toISOString()
  const event = { service: 'notifications', event_type: 'sample', name: 'sample', timestamp }
  const tellAll = async (...names: string[]) => {
    const body = names.map((name) => ({ ...event, id: name, name }))
    return (await org.post('/insights/directory/v1/ingest', body)).json()
  }
  assert.equal((await tellAll('once', 'once')).stored, 1)
  await worker().runDue()
  const { stored, duplicates } = await tellAll('once', 'more')
  assert.deepEqual([stored, duplicates], [1, 1])
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['once', 'more'])
})

test('events slightly in the future wait until they are due', async () => {
  const { org, receiver } = await newForwarder()
  await ingest(org, ['ahead'], Date.now() + HOUR)
  await ingest(org, ['now'])
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['now'])
})

test('changing the batch size rebuilds the batches and loses nothing', async () => {
  const { org, receiver, state, put } = await newForwarder({ batch_size: 4 })
  await ingest(org, ['now'])
  await worker().runDue()
  receiver.answerStatus(413)
  await ingest(org, numbered(1, 3), Date.now() - HOUR)
  await ingest(org, numbered(4, 6))
  await worker().runDue()
  assert.equal((await state()).status, 'retrying')
  receiver.answerStatus(200)
  assert.equal((await put({ batch_size: 2 })).json().status, 'active')
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['now', ...numbered(1, 6)])
  assert.deepEqual(
    receiver.accepted.map(({ events }) => events.length),
    [1, 2, 2, 2],
  )
})

test('a disabled forwarder sends nothing, and everything once enabled again', async () => {
  const { org, receiver, state, put } = await newForwarder()
  await put({ enabled: false })
  await ingest(org, ['e1'])
  await ingest(org, ['old'], Date.now() - HOUR)
  await worker().runDue()
  assert.equal(receiver.received.length, 0)
  assert.equal((await state()).status, 'paused')
  await put()
  await worker().runDue()
  assert.deepEqual(receiver.names().sort(), ['e1', 'old'])
})

test('replay resends from a time or from after an event', async () => {
  const { org, receiver, id, state } = await newForwarder()
  const end = Date.now()
  await ingest(org, numbered(1, 4), end)
  await worker().runDue()
  const query = {
    service: ['notifications'],
    start_time: new Date(end - HOUR).toISOString(),
    limit: 2,
  }
  const page = await org.post('/insights/directory/v1/events', query)
  const after = JSON.parse(String(page.headers['x-search_after']))
  const answer = await org.post(`${BASE}/${id}/replay`, { from: after })
  assert.deepEqual(answer.json().cursor, after)
  assert.ok(answer.json().lag_seconds > 0)
  await worker().runDue()
  assert.deepEqual(receiver.names(), [...numbered(1, 4), 'e3', 'e4'])
  const from = new Date(end - 80 * 24 * HOUR).toISOString()
  assert.equal((await org.post(`${BASE}/${id}/replay`, { from })).statusCode, 200)
  await worker().runDue()
  assert.deepEqual(receiver.names().slice(6), numbered(1, 4))
  assert.equal((await state()).lag_seconds, 0)
  const changes = (await org.events()).filter(({ event_type }) => event_type === 'forwarder_update')
  assert.equal(changes.length, 2)
  assert.deepEqual((changes[0]!.changes as { field: string; to: unknown }[])[0]!.to, after)
})

test('after 72 hours of failures a forwarder fails, with an event; a change restarts it', async () => {
  const { org, receiver, id, state, put } = await newForwarder()
  receiver.answerStatus(500)
  await ingest(org, ['e1'])
  const start = Date.now()
  await worker(() => start).runDue()
  await worker(() => start + 71 * HOUR).runDue()
  assert.equal((await state()).status, 'retrying')
  await worker(() => start + 72 * HOUR).runDue()
  assert.equal((await state()).status, 'failed')
  assert.equal(receiver.received.length, 3)
  await worker(() => start + 80 * HOUR).runDue()
  assert.equal(receiver.received.length, 3)
  const event = (await org.events()).find(({ event_type }) => event_type === 'forwarder_failed')!
  assert.deepEqual(event.resource, { type: 'forwarder', id, name: 'siem' })
  assert.equal(event.success, false)
  assert.equal(event.error_message, 'the receiver answered 500 internal server error')
  receiver.answerStatus(200)
  await ingest(org, ['e2'])
  assert.equal((await put()).json().status, 'active')
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['e1', 'e2'])
  assert.equal((await state()).status, 'active')
})

test('a stored filter over the search budget stops a forwarder, with an error and an event; a new one restarts it', async () => {
  const { org, receiver, id, state, put } = await newForwarder()
  const names = Array.from({ length: app.config.limits.events.values + 1 }, (_, at) => `n${at}`)
  const term = JSON.stringify({ and: [{ field: 'name', operator: 'in', value: names }] })
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute('update forwarders set search_term = $1 where id = $2', [term, id]),
  )
  await ingest(org, ['n1'])
  assert.equal(await worker().runDue(), 0)
  const { status, enabled, last_error, last_error_at, next_attempt } = await state()
  assert.deepEqual([status, enabled, next_attempt], ['failed', true, null])
  assert.match(last_error, /^search_term: 50001 values exceed the limit of 50000$/)
  assert.ok(last_error_at)
  const failed = async () =>
    (await org.events()).filter(({ event_type }) => event_type === 'forwarder_failed')
  const [event, ...more] = await failed()
  assert.deepEqual([event!.success, event!.error_message, more], [false, last_error, []])
  await later(HOUR).runDue()
  assert.equal((await failed()).length, 1)
  await put({ search_term: { and: [{ name: 'n1' }] } })
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['n1'])
  const healed = await state()
  assert.deepEqual([healed.status, healed.last_error], ['active', null])
})

test('a success resets the retry state', async () => {
  const { org, receiver, state } = await newForwarder()
  const start = Date.now()
  receiver.answerStatus(500)
  await ingest(org, ['e1'])
  await worker(() => start).runDue()
  receiver.answerStatus(200)
  await worker(() => start + 71 * HOUR).runDue()
  receiver.answerStatus(500)
  await ingest(org, ['e2'])
  await worker(() => start + 100 * HOUR).runDue()
  assert.equal((await state()).status, 'retrying')
})

test('410 Gone disables a forwarder', async () => {
  const { org, receiver, state } = await newForwarder()
  receiver.answerStatus(410)
  await ingest(org, ['e1'])
  await worker().runDue()
  const { status, enabled, last_error } = await state()
  assert.deepEqual(
    { status, enabled, last_error },
    {
      status: 'failed',
      enabled: false,
      last_error: 'The receiver answered 410 Gone',
    },
  )
  assert.ok((await org.eventTypes()).includes('forwarder_failed'))
})

test('an unreachable receiver is reported in plain words', async () => {
  const { org, state, put } = await newForwarder()
  await put({ url: 'http://127.0.0.1:1/' })
  await ingest(org, ['e1'])
  await worker().runDue()
  const { status, last_error } = await state()
  assert.equal(status, 'retrying')
  assert.equal(last_error, '127.0.0.1:1 refused the connection')
})

test('after a rotation both secrets sign for a day', async () => {
  const { org, receiver, put } = await newForwarder()
  const fresh = (await put({ secret: null })).json().secret as string
  app.secrets.add(fresh)
  await ingest(org, ['e1'])
  await worker().runDue()
  assert.equal(String(receiver.received[0]!.headers['webhook-signature']).split(' ').length, 2)
  await ingest(org, ['e2'])
  await later(25 * HOUR).runDue()
  assert.equal(String(receiver.received[1]!.headers['webhook-signature']).split(' ').length, 1)
})

test('a failing forwarder does not delay others, and each organization gets its own events', async () => {
  const bad = await newForwarder()
  const good = await newForwarder()
  bad.receiver.answerStatus(500)
  await ingest(bad.org, ['theirs'])
  await ingest(good.org, ['mine'])
  await worker().runDue()
  assert.deepEqual(good.receiver.names(), ['mine'])
  assert.deepEqual(
    bad.receiver.received.map(({ events }) => events.map(({ name }) => name)),
    [['theirs']],
  )
})

test('events that commit late are not skipped', async () => {
  const { org, receiver } = await newForwarder({ service: ['directory'] })
  await worker().runDue()
  // Its event gets its timestamp now, but commits only after a later one has been read.
  let commit = () => {}
  const wait = new Promise<void>((resolve) => {
    commit = resolve
  })
  let written = () => {}
  const isWritten = new Promise<void>((resolve) => {
    written = resolve
  })
  const slow = app.db.tx(org.organizationId, async (tx) => {
    await tx.execute(
      `insert into events (organization_id, timestamp, id, service, document)
       select $1, at, $2, 'directory', '{"event_type":"slow"}' from (select event_clock() as at) clock`,
      [org.organizationId, '01900000-0000-7000-8000-000000000001'],
    )
    written()
    await wait
  })
  await isWritten
  await org.post('/api/v2/roles', { name: 'Watcher', scopes: ['users'] })
  await worker().runDue()
  commit()
  await slow
  await worker().runDue()
  assert.deepEqual(receiver.names(), ['forwarder_create', 'slow', 'role_create'])
})

test('deleting a forwarder removes all its rows, even during a delivery', async () => {
  const { org, receiver, id } = await newForwarder()
  await ingest(org, ['e1'])
  receiver.answerWith(async (_, response) => {
    assert.equal((await org.delete(`${BASE}/${id}`)).statusCode, 200)
    response.end()
  })
  await worker().runDue()
  await ingest(org, ['e2'])
  await worker().runDue()
  assert.equal(receiver.received.length, 1)
  const left = await app.db.tx(org.organizationId, (tx) =>
    tx.execute(`select from forwarder_arrivals union all select from forwarder_batches
      union all select from forwarder_deliveries union all select from forwarder_runs where forwarder_id = '${id}'`),
  )
  assert.equal(left.rows.length, 0)
})

test('a running worker sends new events', async () => {
  const { org, receiver } = await newForwarder()
  const running = worker()
  const arrived = new Promise<void>((resolve) => {
    receiver.answerWith((_, response) => {
      response.end()
      resolve()
    })
  })
  running.work()
  await ingest(org, ['e1'])
  await arrived
  await running.stop()
  assert.equal(receiver.received.length, 1)
})

test('arrivals are deleted with their events', async () => {
  const { org, put } = await newForwarder()
  await put({ enabled: false })
  await ingest(org, ['old'], Date.now() - HOUR)
  assert.equal(await dropArrivals(app.db), 0)
  await app.db.tx(org.organizationId, (tx) => tx.execute('delete from events'))
  assert.equal(await dropArrivals(app.db), 1)
})
