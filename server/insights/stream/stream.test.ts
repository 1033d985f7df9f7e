import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { systemCaller } from '../../platform/caller.ts'
import { sql } from '../../platform/db/sql.ts'
import { readBetween } from '../query/page.ts'
import { recordEvent } from '../record/record.ts'
import { readWatermark } from './store.ts'
import { startOf } from './stream.ts'

const app = await startApp()
const url = await app.listen()
const STREAM = '/insights/directory/v1/events/stream'

interface Message {
  id: string
  data: Record<string, unknown> & { event_type: string }
}

/** Reads one message at a time; null when the service has ended the stream. */
async function* messages(response: Response): AsyncGenerator<Message, null> {
  let text = ''
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return null
    const blocks = (text + value).split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (data !== undefined) yield { id: id!, data: JSON.parse(data) }
    }
  }
}

async function open(
  { apiKey }: { apiKey: string },
  query = '',
  headers: Record<string, string> = {},
  base = url,
) {
  const stop = new AbortController()
  const response = await fetch(`${base}${STREAM}${query}`, {
    headers: { 'x-api-key': apiKey, ...headers },
    signal: stop.signal,
  })
  assert.equal(response.status, 200)
  const list = messages(response)
  return {
    response,
    next: async (): Promise<Message | null> => (await list.next()).value,
    close: () => stop.abort(),
  }
}

/** An arbitrary action, identified by its type. */
const act = (organizationId: string, event_type: string, members: object = {}) =>
  app.db.tx(organizationId, (tx) =>
    recordEvent(tx, systemCaller(organizationId, 'test'), { event_type, ...members }),
  )

test('an event arrives on an open stream', async () => {
  const org = await app.newOrganization()
  await act(org.organizationId, 'before')
  const stream = await open(org)
  assert.match(stream.response.headers.get('content-type')!, /^text\/event-stream/)
  assert.equal(stream.response.headers.get('x-content-type-options'), 'nosniff')
  const made = await org.post('/api/v2/roles', { name: 'Reader', scopes: ['users.readonly'] })
  assert.equal(made.statusCode, 200)

  const first = (await stream.next())!
  assert.deepEqual(first.data, (await org.events()).at(-1))
  assert.equal(first.id, `${Date.parse(String(first.data.timestamp))}:${first.data.id}`)
  await act(org.organizationId, 'second')
  assert.equal((await stream.next())!.data.event_type, 'second')
  stream.close()
})

test('a client that reconnects misses nothing and sees nothing twice', async () => {
  const org = await app.newOrganization()
  const stream = await open(org)
  await act(org.organizationId, 'one')
  const { id } = (await stream.next())!
  stream.close()
  await act(org.organizationId, 'two')
  await act(org.organizationId, 'three')
  const expected = ['two', 'three']
  for (const [query, headers] of [
    ['', { 'last-event-id': id }],
    [`?last_event_id=${id}`, {}],
    // As a browser does: the URL stays, the header advances.
    ['?last_event_id=0:00000000-0000-0000-0000-000000000000', { 'last-event-id': id }],
  ] as [string, Record<string, string>][]) {
    const again = await open(org, query, headers)
    expected.push(`live_${expected.length}`)
    await act(org.organizationId, expected.at(-1)!)
    const seen: string[] = []
    for (const _ of expected) seen.push((await again.next())!.data.event_type)
    assert.deepEqual(seen, expected)
    again.close()
  }
})

test('an old cursor leads through many pages in order', async () => {
  const org = await app.newOrganization()
  const start = Date.now() - 3_600_000
  const events = Array.from({ length: 1001 }, (_, at) => ({
    id: `event-${at}`,
    service: 'ldap',
    event_type: 'ldap_bind',
    timestamp: new Date(start + at).toISOString(),
    filter: 'x'.repeat(1000),
  }))
  const stored = await app.http.inject({
    method: 'POST',
    url: '/insights/directory/v1/ingest',
    headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' },
    payload: events.map((event) => JSON.stringify(event)).join('\n'),
  })
  assert.equal(stored.json().stored, events.length)
  const stream = await open(org, `?last_event_id=${start - 1}:00000000-0000-0000-0000-000000000000`)
  for (const { id } of events) assert.equal((await stream.next())!.data.id, id)
  stream.close()
})

test('an event that commits late delays those after it', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const stream = await open(org)
  const from = startOf(await readWatermark(app.db))
  const types = async () => {
    const mark = await readWatermark(app.db)
    const all = { services: ['directory' as const], term: null }
    const db = app.db.tenant(organizationId)
    const rows = await readBetween(db, [organizationId], all, from, mark, 10)
    return rows.map(({ document }) => JSON.parse(document).event_type)
  }
  await app.db.tx(organizationId, async (tx) => {
    await recordEvent(tx, systemCaller(organizationId, 'test'), { event_type: 'slow' })
    await act(organizationId, 'fast')
    assert.deepEqual(await types(), [])
  })
  assert.equal((await stream.next())!.data.event_type, 'slow')
  assert.equal((await stream.next())!.data.event_type, 'fast')
  assert.deepEqual(await types(), ['slow', 'fast'])
  stream.close()
})

test('service, search term and fields filter the stream', async () => {
  const org = await app.newOrganization()
  const term = encodeURIComponent(JSON.stringify({ and: [{ success: false }] }))
  const failures = await open(org, `?service=directory,sso&search_term=${term}&fields=event_type`)
  const elsewhere = await open(org, '?service=sso&service=ldap')
  await act(org.organizationId, 'went_well')
  await act(org.organizationId, 'failed', { success: false })
  assert.deepEqual((await failures.next())!.data, { event_type: 'failed' })
  failures.close()
  await app.http.inject({
    method: 'POST',
    url: '/insights/directory/v1/ingest',
    headers: { 'x-api-key': org.apiKey, 'content-type': 'application/json' },
    payload: JSON.stringify([
      // Soon, so that it is not late: some source clocks run ahead.
      { service: 'ldap', event_type: 'bind', timestamp: new Date(Date.now() + 500).toISOString() },
    ]),
  })
  assert.equal((await elsewhere.next())!.data.event_type, 'bind')
  elsewhere.close()
})

test('another organization sees nothing', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const stream = await open(other)
  await act(org.organizationId, 'not_for_you')
  await act(other.organizationId, 'yours')
  assert.equal((await stream.next())!.data.event_type, 'yours')
  stream.close()
  const foreign = await other.get(STREAM, { 'x-org-id': org.organizationId })
  assert.deepEqual([foreign.statusCode, foreign.json().reason], [404, 'organization_not_found'])
})

test('a provider follows several organizations at once', async () => {
  const provider = await app.newProvider(3)
  const [one, two, three] = provider.organizationIds as [string, string, string]
  const stream = await open(provider, '', { 'x-org-id': `${one},${two}` })
  await act(one, 'first')
  await act(three, 'not_asked_for')
  await act(two, 'second')
  assert.equal((await stream.next())!.data.event_type, 'first')
  assert.equal((await stream.next())!.data.event_type, 'second')
  stream.close()
})

test('callers without the scope and invalid input are rejected', async () => {
  const org = await app.newOrganization()
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(STREAM)).statusCode, 403)
  assert.equal((await app.anonymous.get(STREAM)).statusCode, 401)
  for (const [query, message, reason] of [
    ['?service=nonsense', /nonsense/, 'unknown_service'],
    ['?search_term={', /search_term/, 'bad_term'],
    ['?fields=nonsense', /fields/, 'unknown_fields'],
    ['?last_event_id=yesterday', /Last-Event-ID/, 'bad_last_event_id'],
  ] as [string, RegExp, string][]) {
    const res = await org.get(STREAM + query)
    assert.equal(res.statusCode, 400, query)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
})

test('a revoked key receives nothing more', async () => {
  const org = await app.newOrganization()
  const second = await app.addAdministrator(org.organizationId)
  const stream = await open(second)
  await app.db.run(sql`update administrators set suspended = true where id = ${second.id}`)
  app.contexts.admins.cache.clear()
  await act(org.organizationId, 'secret')
  assert.equal(await stream.next(), null)
})

test('shutdown ends all streams', async () => {
  const stopping = await startApp({ alone: true })
  const org = await stopping.newOrganization()
  const base = await stopping.http.listen({ port: 0, host: '127.0.0.1' })
  const streams = await Promise.all([open(org, '', {}, base), open(org, '', {}, base)])
  await stopping.http.close()
  for (const stream of streams) assert.equal(await stream.next(), null)
})
