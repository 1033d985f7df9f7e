import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../test/blocked.ts'
import { startApp } from '../../test/harness.ts'
import { startReceiver } from '../../test/receiver.ts'
import { sql } from '../platform/db/sql.ts'
import { newSecret } from './signature.ts'
import { deleteForwarder, lockForwarder } from './store.ts'

const app = await startApp()
const BASE = '/insights/directory/v1/forwarders'
const receiver = await startReceiver()
const { url } = receiver

test('a forwarder is created, read, changed and deleted, with an event each', async () => {
  const org = await app.newOrganization()
  const made = await org.post(BASE, {
    name: 'SIEM',
    url,
    service: ['directory', 'alerts'],
    search_term: { and: [{ event_type: 'role_create' }] },
  })
  assert.equal(made.statusCode, 201)
  const { secret, ...forwarder } = made.json()
  assert.match(secret, /^whsec_/)
  app.secrets.add(secret)
  const { id, cursor, created, updated, lag_seconds, ...rest } = forwarder
  assert.ok(created && updated && lag_seconds < 60)
  assert.match(cursor[1], /^0{8}-/)
  assert.deepEqual(rest, {
    name: 'SIEM',
    url,
    format: 'json',
    enabled: true,
    batch_size: 500,
    service: ['directory', 'alerts'],
    search_term: { and: [{ event_type: 'role_create' }] },
    status: 'active',
    last_success: null,
    last_error: null,
    last_error_at: null,
    delivered_to: null,
    next_attempt: null,
  })
  const got = await org.get(`${BASE}/${id}`)
  assert.deepEqual({ ...(got.json() as object), lag_seconds }, forwarder)
  const list = (await org.get(BASE)).json()
  assert.equal(list.totalCount, 1)
  assert.equal('secret' in list.results[0], false)

  const change = { name: 'SIEM 2', url, enabled: false, format: 'ndjson', batch_size: 10 }
  const changed = await org.put(`${BASE}/${id}`, change)
  assert.equal(changed.statusCode, 200)
  assert.equal(changed.json().status, 'paused')
  assert.deepEqual(changed.json().service, ['all'])
  assert.equal('secret' in changed.json(), false)
  const own = newSecret()
  app.secrets.add(own)
  assert.equal((await org.put(`${BASE}/${id}`, { ...change, secret: own })).statusCode, 200)
  assert.equal((await org.put(`${BASE}/${id}`, { ...change, secret: own })).statusCode, 200)
  const rotated = await org.put(`${BASE}/${id}`, { ...change, secret: null })
  assert.match(rotated.json().secret, /^whsec_/)
  app.secrets.add(rotated.json().secret)
  assert.equal((await org.delete(`${BASE}/${id}`)).statusCode, 200)
  assert.equal((await org.get(`${BASE}/${id}`)).statusCode, 404)
  assert.equal((await org.delete(`${BASE}/${id}`)).statusCode, 404)

  const events = await org.events()
  assert.deepEqual(
    events.map((event) => event.event_type),
    [
      'forwarder_create',
      'forwarder_update',
      'forwarder_update',
      'forwarder_update',
      'forwarder_delete',
    ],
  )
  assert.deepEqual(events[0]!.resource, { type: 'forwarder', id, name: 'siem' })
  assert.deepEqual((events[0]!.changes as object[]).at(-1), { field: 'secret' })
  assert.deepEqual(events[1]!.changes, [
    { field: 'name', from: 'SIEM', to: 'SIEM 2' },
    { field: 'format', from: 'json', to: 'ndjson' },
    { field: 'service', from: ['directory', 'alerts'], to: ['all'] },
    { field: 'search_term', from: { and: [{ event_type: 'role_create' }] }, to: null },
    { field: 'enabled', from: true, to: false },
    { field: 'batch_size', from: 500, to: 10 },
  ])
  assert.deepEqual(events[2]!.changes, [{ field: 'secret' }])
})

test('invalid input is named and changes nothing', async () => {
  const org = await app.newOrganization()
  const good = { name: 'SIEM', url }
  const bad: [object, RegExp, string][] = [
    [{ url }, /name/, 'validation'],
    [{ name: '', url }, /name/, 'validation'],
    [{ name: 'a' }, /url/, 'validation'],
    [{ ...good, url: 'siem' }, /url: /, 'bad_url'],
    [{ ...good, url: 'http://10.0.0.1/' }, /url: .*GATEHOUSE_OUTBOUND_ALLOW/, 'bad_url'],
    [{ ...good, url: 'https://169.254.169.254/latest' }, /url: .*not a public address/, 'bad_url'],
    [{ ...good, url: 'http://192.0.2.1.nip.invalid/' }, /url: /, 'bad_url'],
    [{ ...good, url: 'https://me:pw@127.0.0.1/' }, /url: .*password/, 'bad_url'],
    [{ ...good, format: 'xml' }, /format/, 'validation'],
    [{ ...good, batch_size: 0 }, /batch_size/, 'validation'],
    [{ ...good, batch_size: 1001 }, /batch_size/, 'validation'],
    [{ ...good, enabled: 'yes' }, /enabled/, 'validation'],
    [{ ...good, service: ['nothing'] }, /service: unknown service "nothing"/, 'unknown_service'],
    [{ ...good, service: [] }, /service/, 'service_missing'],
    [{ ...good, search_term: { and: [{ changes: 1 }] } }, /search_term: /, 'unsearchable_field'],
    [{ ...good, search_term: 'x' }, /search_term: /, 'bad_term'],
    [
      { ...good, search_term: { and: [{ event_type: 'a\0b' }] } },
      /cannot be stored/,
      'bad_character',
    ],
    [{ ...good, secret: 'short' }, /secret/, 'bad_secret'],
    [{ ...good, status: 'active' }, /status|additional/, 'validation'],
  ]
  for (const [body, words, reason] of bad) {
    const answer = await org.post(BASE, body)
    assert.equal(answer.statusCode, 400, JSON.stringify(body))
    assert.match(answer.json().message, words)
    assert.equal(answer.json().reason, reason)
  }
  assert.equal((await org.get(BASE)).json().totalCount, 0)
  const { id, ...before } = (await org.post(BASE, good)).json()
  for (const [body, words] of bad) {
    const answer = await org.put(`${BASE}/${id}`, body)
    assert.equal(answer.statusCode, 400, JSON.stringify(body))
    assert.match(answer.json().message, words)
  }
  assert.equal((await org.post(`${BASE}/${id}/replay`, {})).statusCode, 400)
  for (const from of [
    'yesterday',
    7,
    [],
    [1],
    ['a', 'b'],
    '2999-01-01T00:00:00Z',
    [Date.now() + 60_000, '00000000-0000-0000-0000-000000000000'],
  ]) {
    const answer = await org.post(`${BASE}/${id}/replay`, { from })
    assert.deepEqual(
      [answer.statusCode, answer.json().reason],
      [400, 'bad_from'],
      JSON.stringify(from),
    )
    assert.match(answer.json().message, /from/)
  }
  const after = (await org.get(`${BASE}/${id}`)).json()
  assert.equal(after.updated, before.updated)
  assert.deepEqual(await org.eventTypes(), ['forwarder_create'])
})

test('an organization can have twenty forwarders', async () => {
  const org = await app.newOrganization()
  for (let at = 0; at < 20; at++)
    assert.equal((await org.post(BASE, { name: `F${at}`, url })).statusCode, 201)
  const answer = await org.post(BASE, { name: 'F20', url })
  assert.equal(answer.statusCode, 409)
  assert.equal(answer.json().reason, 'too_many_forwarders')
})

test('readers may not change forwarders, and other roles may not even read them', async () => {
  const org = await app.newOrganization()
  const { id } = (await org.post(BASE, { name: 'SIEM', url })).json()
  const one = `${BASE}/${id}`
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  const before = receiver.received.length
  for (const path of [BASE, one, `${one}/deliveries`]) {
    assert.equal((await reader.get(path)).statusCode, 200, path)
    assert.equal((await runner.get(path)).statusCode, 403, path)
    assert.equal((await app.anonymous.get(path)).statusCode, 401, path)
  }
  for (const person of [reader, runner]) {
    assert.equal((await person.post(BASE, { name: 'Mine', url })).statusCode, 403)
    assert.equal((await person.put(one, { name: 'Mine', url })).statusCode, 403)
    assert.equal((await person.post(`${one}/test`)).statusCode, 403)
    assert.equal(
      (await person.post(`${one}/replay`, { from: '2026-01-01T00:00:00Z' })).statusCode,
      403,
    )
    assert.equal((await person.delete(one)).statusCode, 403)
  }
  assert.equal(receiver.received.length, before)
  const types = (await org.eventTypes()).filter((type) => type.startsWith('forwarder'))
  assert.deepEqual(types, ['forwarder_create'])
})

test('another organization sees nothing, by row-level security as well', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const { id } = (await org.post(BASE, { name: 'SIEM', url })).json()
  const one = `${BASE}/${id}`
  assert.deepEqual((await other.get(BASE)).json(), { results: [], totalCount: 0 })
  for (const answer of [
    await other.get(one),
    await other.get(`${one}/deliveries`),
    await other.put(one, { name: 'Mine', url }),
    await other.post(`${one}/test`),
    await other.post(`${one}/replay`, { from: '2026-01-01T00:00:00Z' }),
    await other.delete(one),
  ])
    assert.deepEqual([answer.statusCode, answer.json().reason], [404, 'forwarder_not_found'])
  for (const nonsense of ['x', 'f'.repeat(24)])
    assert.equal((await org.get(`${BASE}/${nonsense}`)).statusCode, 404)
  const seen = await app.db.tx(other.organizationId, async (tx) => {
    const found: Record<string, number> = {}
    for (const table of [
      'forwarders',
      'forwarder_batches',
      'forwarder_arrivals',
      'forwarder_deliveries',
    ])
      found[table] = (await tx.execute(`select from ${table}`)).rows.length
    return found
  })
  assert.deepEqual(Object.values(seen), [0, 0, 0, 0])
  assert.deepEqual(await other.eventTypes(), [])
})

test('a sample event can be sent, and its outcome is returned', async () => {
  const org = await app.newOrganization()
  const receiver = await startReceiver()
  const { id } = (await org.post(BASE, { name: 'SIEM', url: receiver.url })).json()
  const good = await org.post(`${BASE}/${id}/test`)
  const { duration_ms, webhook_id, ...outcome } = good.json()
  assert.deepEqual(outcome, { delivered: true, http_status: 200, error: null })
  assert.ok(duration_ms >= 0)
  assert.equal(receiver.received[0]!.id, webhook_id)
  assert.equal(receiver.received[0]!.events[0]!.event_type, 'forwarder_test')
  receiver.answerStatus(503)
  const { error, http_status, delivered } = (await org.post(`${BASE}/${id}/test`)).json()
  assert.deepEqual(
    { error, http_status, delivered },
    {
      error: 'The receiver answered 503 Service Unavailable',
      http_status: 503,
      delivered: false,
    },
  )
  const state = (await org.get(`${BASE}/${id}`)).json()
  assert.equal(state.status, 'active')
  assert.equal(state.last_error, null)
  assert.equal((await org.get(`${BASE}/${id}/deliveries`)).json().totalCount, 0)
})

test('past events are stored while a forwarder is being deleted, and noted for the others', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async (name) => (await org.post(BASE, { name, url })).json().id as string),
  )
  const event = {
    service: 'notifications',
    event_type: 'sample',
    timestamp: new Date(Date.now() - 3_600_000).toISOString(),
  }
  const stored = await app.db.tx(organizationId, async (tx) => {
    await lockForwarder(tx, organizationId, one!)
    await deleteForwarder(tx, organizationId, one!)
    const answer = org.post('/insights/directory/v1/ingest', [event])
    await untilBlocked(app.db, tx)
    return { answer }
  })
  const answer = await stored.answer
  assert.equal(answer.statusCode, 200, answer.body)
  const noted = await app.db
    .tenant(organizationId)
    .many(
      sql`select forwarder_id from forwarder_arrivals where organization_id = ${organizationId}`,
    )
  assert.deepEqual(noted, [{ forwarder_id: other }])
})
