import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rotateDataKey } from '../../cli/rotation.ts'
import { startApp } from '../../test/harness.ts'
import { startReceiver } from '../../test/receiver.ts'
import { type Db, openDb } from '../platform/db/index.ts'
import { createLog } from '../platform/log.ts'
import { Allowlist } from '../platform/outbound/allowlist.ts'
import { Outbound } from '../platform/outbound/client.ts'
import { ForwardingWorker } from './worker.ts'

// One test rotates the data key, which all organizations share.
const app = await startApp({ alone: true })
const BASE = '/insights/directory/v1'
const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
after(() => outbound.close())
const log = createLog('silent')

let clock = 0
const worker = () =>
  new ForwardingWorker(
    { ...app.contexts.forwarding, searchDb: app.db, outbound, now: () => Date.now() + clock },
    log,
  )

test('every event arrives, in any order of writes, and retries keep their id', async () => {
  const org = await app.newOrganization()
  const receiver = await startReceiver()
  const settings = { name: 'SIEM', url: receiver.url, batch_size: 7 }
  const { id } = (await org.post(`${BASE}/forwarders`, settings)).json()
  let calls = 0
  receiver.answerWith((_, response) => {
    calls++
    // Every fifth request arrives but gets an error, every seventh is cut off.
    if (calls % 7 === 0) response.destroy()
    else response.writeHead(calls % 5 === 0 ? 503 : 200).end()
  })
  const expected = new Set<string>()
  const write = async (round: number) => {
    const ages = [0, 5, 900, 40_000, 3_600_000, 40 * 86_400_000]
    const events = ages.map((age) => {
      const name = `sample-${round}-${age}`
      expected.add(name)
      return {
        service: 'notifications',
        event_type: 'sample',
        name,
        timestamp: new Date(Date.now() - age).toISOString(),
      }
    })
    const role = { name: `role-${round}`, scopes: ['users'] }
    expected.add(`role-${round}`)
    await Promise.all([
      org.post(`${BASE}/ingest`, events),
      org.post('/api/v2/roles', role).then((answer) => assert.equal(answer.statusCode, 200)),
    ])
  }
  for (let round = 0; round < 25; round++) {
    await Promise.all([write(round), worker().runDue(), worker().runDue()])
    // Past the retry delay.
    clock += 600_000
    // A change midway rebuilds the pending batch.
    if (round === 12) await org.put(`${BASE}/forwarders/${id}`, { ...settings, batch_size: 5 })
  }
  for (let turn = 0; turn < 100; turn++) {
    await worker().runDue()
    clock += 600_000
  }
  const nameOf = (event: Record<string, unknown>): string =>
    String(event.name ?? (event.resource as { name?: string } | undefined)?.name)
  const arrived = new Set(receiver.accepted.flatMap(({ events }) => events.map(nameOf)))
  assert.deepEqual(
    [...expected].filter((name) => !arrived.has(name)),
    [],
  )

  assert.ok(receiver.received.length > receiver.accepted.length + 10)
  // Only accepted batches count: the receiver does not keep those it rejected.
  const times = new Map<string, number>()
  for (const { events } of receiver.accepted)
    for (const event of events) times.set(nameOf(event), (times.get(nameOf(event)) ?? 0) + 1)
  assert.deepEqual(
    [...times].filter(([name, count]) => expected.has(name) && count > 1),
    [],
  )

  const bodies = new Map<string, string>()
  for (const { id: webhookId, body } of receiver.received) {
    assert.equal(bodies.get(webhookId) ?? body, body, 'a batch changed between attempts')
    bodies.set(webhookId, body)
  }
  const left = await app.db.tx(org.organizationId, (tx) =>
    tx.execute('select from forwarder_arrivals union all select from forwarder_batches'),
  )
  assert.equal(left.rows.length, 0)
})

test('an event that arrives between reading and sending is not skipped', async () => {
  const org = await app.newOrganization()
  const receiver = await startReceiver()
  const settings = { name: 'SIEM', url: receiver.url, service: ['notifications'] }
  const { id } = (await org.post(`${BASE}/forwarders`, settings)).json()
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const ingest = (name: string, minutes: number) => {
    const event = { service: 'notifications', event_type: 'sample', name, timestamp: ago(minutes) }
    return org.post(`${BASE}/ingest`, [event])
  }
  await org.post(`${BASE}/forwarders/${id}/replay`, { from: ago(60) })
  await ingest('first', 10)
  let between = true
  const searchDb: Db = {
    ...app.db,
    tenant: (tenant) => ({
      ...app.db.tenant(tenant),
      async snapshot(work) {
        const found = await app.db.tenant(tenant).snapshot(work)
        if (between) {
          between = false
          await ingest('between', 30)
        }
        return found
      },
    }),
  }
  const context = { ...app.contexts.forwarding, searchDb, outbound }
  await new ForwardingWorker(context, log).runDue()
  assert.equal(between, false)
  assert.deepEqual(receiver.names(), ['first', 'between'])
})

test('secrets survive a data key rotation', async () => {
  const org = await app.newOrganization()
  const receiver = await startReceiver()
  const made = await org.post(`${BASE}/forwarders`, { name: 'SIEM', url: receiver.url })
  const { id } = made.json()
  await org.put(`${BASE}/forwarders/${id}`, { name: 'SIEM', url: receiver.url, secret: null })
  const owner = openDb(app.owner, { max: 3 })
  const { resealed } = await rotateDataKey(owner, app.sealer, () => {})
  await owner.close()
  assert.ok(resealed >= 2)
  assert.equal((await org.post(`${BASE}/forwarders/${id}/test`)).json().delivered, true)
})
