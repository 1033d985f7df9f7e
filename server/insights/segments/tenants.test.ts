import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { messagesOf } from '../../../test/insights/messages.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { ForwardingWorker } from '../../forwarding/worker.ts'
import { createLog } from '../../platform/log.ts'
import { Allowlist } from '../../platform/outbound/allowlist.ts'
import { Outbound } from '../../platform/outbound/client.ts'
import { findEvents, findPresent, firstEventAfter, insertPastEvents, readAt } from '../index.ts'
import { sealOrganization } from './seal.ts'

// Whoever reads sealed events sees those of its organizations only, also what others have brought into the cache.

const app = await startApp()
const url = await app.listen()
const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
after(() => outbound.close())

const BASE = '/insights/directory/v1'
const start = Date.now() - 7_200_000
const start_time = new Date(start - 1000).toISOString()
const EVENTS = 40

const idOf = (at: number) =>
  `${(start + at)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-00000000${String(at).padStart(4, '0')}`

/** The same times and ids in every organization, so that only the tenant tells them apart. */
async function sealedIn(organizationId: string, owner: string): Promise<void> {
  const events = Array.from({ length: EVENTS }, (_, at) => {
    const timestamp = new Date(start + at).toISOString()
    const resource = { id: 'thing', type: 'note' }
    const document = {
      id: idOf(at),
      timestamp,
      event_type: 'note',
      name: `${owner}${at}`,
      resource,
    }
    return { id: idOf(at), timestamp, service: 'directory', document: JSON.stringify(document) }
  })
  await app.db.tx(organizationId, (tx) => insertPastEvents(tx, organizationId, events))
  await sealOrganization(app.db, organizationId, { size: 15, least: 1 })
}

test('no reader sees sealed events of another organization', async () => {
  const provider = await app.newProvider(3)
  const [one, two, three] = provider.organizationIds as [string, string, string]
  const stranger = await app.newOrganization()
  for (const [id, owner] of [
    [one, 'one'],
    [two, 'two'],
    [three, 'three'],
  ] as const)
    await sealedIn(id, owner)

  /** All that can be asked over HTTP. */
  const answers = async (post: typeof provider.post, headers: Record<string, string>) => {
    const ask = async (path: string, more: object = {}) => {
      const body = { service: ['all'], start_time, limit: 1000, ...more }
      const response = await post(`${BASE}/events${path}`, body, headers)
      assert.equal(response.statusCode, 200, response.body)
      return response
    }
    const page = await ask('')
    const exported = await ask('/export', { format: 'ndjson', limit: undefined })
    const distinct = await ask('/distinct', { field: 'name' })
    const interval = await ask('/interval', { interval_unit: 'w' })
    const found = await ask('', { search_term: { and: [{ 'resource.id': 'thing' }] } })
    const owners = (text: string) => [...new Set(text.match(/(one|two|three)(?=\d)/g))].sort()
    return {
      page: owners(page.body),
      exported: owners(exported.body),
      distinct: owners(distinct.body),
      found: owners(found.body),
      count: (await ask('/count')).json().count,
      interval: interval
        .json()
        .buckets.reduce((sum: number, { doc_count }: { doc_count: number }) => sum + doc_count, 0),
    }
  }
  const only = (...owners: string[]) => ({
    page: owners,
    exported: owners,
    distinct: owners,
    found: owners,
    count: owners.length * EVENTS,
    interval: owners.length * EVENTS,
  })
  const of = (...ids: string[]) => answers(provider.post, { 'x-org-id': ids.join(',') })
  assert.deepEqual(await of(one, two, three), only('one', 'three', 'two'), 'fills the cache')
  assert.deepEqual(await of(one), only('one'))
  assert.deepEqual(await of(two, three), only('three', 'two'))
  assert.deepEqual(await answers(stranger.post, {}), only())

  const cursors = [{ timestamp: start, id: idOf(0) }]
  const readers = (id: string) => {
    const db = app.db.tenant(id)
    return Promise.all([
      findEvents(db, id, [idOf(0)]).then((found) => found.size),
      findPresent(db, id, cursors).then((found) => found.length),
      readAt(db, id, cursors).then((found) => found.length),
      firstEventAfter(db, id, 'thing', ['note'], new Date(start)).then((found) => (found ? 1 : 0)),
      // Naming another organization does not help.
      readAt(db, one, cursors).then((found) => found.length),
      findPresent(db, one, cursors).then((found) => found.length),
    ])
  }
  assert.deepEqual(await readers(one), [1, 1, 1, 1, 1, 1])
  assert.deepEqual(await readers(two), [1, 1, 1, 1, 0, 0])
  assert.deepEqual(await readers(stranger.organizationId), [0, 0, 0, 0, 0, 0])
})

test('streams and forwarders from the past send nothing of another organization', async () => {
  const [mine, theirs] = [await app.newOrganization(), await app.newOrganization()]
  await sealedIn(theirs.organizationId, 'theirs')
  const receiver = await startReceiver()
  const settings = { name: 'SIEM', url: receiver.url, service: ['directory'] }
  const made = (await mine.post(`${BASE}/forwarders`, settings)).json()
  app.secrets.add(made.secret)
  await mine.post(`${BASE}/forwarders/${made.id}/replay`, { from: start_time })
  const context = { ...app.contexts.forwarding, searchDb: app.db, outbound }
  await new ForwardingWorker(context, createLog('silent')).runDue()
  assert.deepEqual(receiver.names(), ['forwarder_create', 'forwarder_update'])

  const stop = new AbortController()
  const from = `${start - 1}:00000000-0000-0000-0000-000000000000`
  const response = await fetch(`${url}${BASE}/events/stream?last_event_id=${from}`, {
    headers: { 'x-api-key': mine.apiKey },
    signal: stop.signal,
  })
  const types: unknown[] = []
  for await (const { event } of messagesOf(response)) {
    types.push(event.event_type)
    if (event.event_type === 'forwarder_update') break
  }
  stop.abort()
  assert.deepEqual(types, ['forwarder_create', 'forwarder_update'])
})
