import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { tempDirectory } from '../../../test/database.ts'
import { startApp } from '../../../test/harness.ts'
import { until } from '../../../test/until.ts'
import { systemCaller } from '../../platform/caller.ts'
import { recordEvent } from '../record/record.ts'
import { PAGE } from './export.ts'

const app = await startApp({ alone: true })
const socketPath = join(tempDirectory(), 'export.sock')
await app.http.listen({ path: socketPath })

const EXPORT = '/insights/directory/v1/events/export'
const DAY = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()
const padding = 'x'.repeat(700)
const all = { service: ['all'], start_time: ago(30) }

let serial = 0
const event = (members: object = {}) => ({
  id: `event-${++serial}`,
  service: 'directory',
  event_type: 'user_update',
  timestamp: ago(1),
  ...members,
})

async function store(key: { apiKey: string }, events: object[], headers = {}): Promise<void> {
  const res = await app.http.inject({
    method: 'POST',
    url: '/insights/directory/v1/ingest',
    headers: { 'x-api-key': key.apiKey, 'content-type': 'application/x-ndjson', ...headers },
    payload: events.map((one) => JSON.stringify(one)).join('\n'),
  })
  assert.equal(res.json().stored, events.length, res.body)
}

async function withEvents(...events: object[]) {
  const org = await app.newOrganization()
  await store(org, events)
  return org
}

/** The rows by column, as parsed by an independent library. */
function parsed(csv: string): Record<string, string>[] {
  const program =
    'import csv,io,json,sys; csv.field_size_limit(10**8); t=io.TextIOWrapper(sys.stdin.buffer,"utf-8",newline=""); print(json.dumps(list(csv.DictReader(t,strict=True))))'
  const options = { input: csv, maxBuffer: 1 << 28 }
  const { stdout, stderr } = spawnSync('python3', ['-c', program], options)
  assert.equal(String(stderr), '')
  return JSON.parse(String(stdout))
}

const linesOf = (body: string) =>
  body
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
const idsOf = (body: string): string[] => linesOf(body).map(({ id }) => id)

test('a CSV export has the common columns and the whole event', async () => {
  const events = [
    event({
      timestamp: ago(3),
      success: false,
      initiated_by: { type: 'admin', email: 'ada@example.com' },
      resource: { type: 'user', name: 'say "hi", bob' },
      geoip: { country_code: 'de' },
      changes: [{ field: 'a', to: 1 }, { field: 'b' }],
      error_message: '=cmd()',
    }),
    event({ timestamp: ago(2), service: 'sso', application: { name: 'wiki' } }),
  ]
  const org = await withEvents(...events)
  const res = await org.post(EXPORT, all)
  assert.equal(res.statusCode, 200)
  assert.equal(res.headers['content-type'], 'text/csv; charset=utf-8')
  assert.match(
    String(res.headers['content-disposition']),
    /^attachment; filename="events-\d{8}T\d{6}Z-\d{8}T\d{6}Z\.csv"$/,
  )
  assert.equal(res.headers['x-content-type-options'], 'nosniff')
  assert.equal(res.headers['cache-control'], 'no-store')
  const [first, second, ...more] = parsed(res.body)
  assert.deepEqual(more, [])
  assert.equal(first!.timestamp, events[0]!.timestamp)
  assert.equal(first!.success, 'false')
  assert.equal(first!['initiated_by.email'], 'ada@example.com')
  assert.equal(first!['resource.name'], 'say "hi", bob')
  assert.equal(first!['geoip.country_code'], 'de')
  assert.equal(first!['changes.field'], 'a; b')
  assert.equal(first!.error_message, "'=cmd()")
  assert.deepEqual(
    [first, second].map((one) => JSON.parse(one!.document!)),
    (await org.post('/insights/directory/v1/events', all)).json(),
  )
  assert.equal(second!['application.name'], 'wiki')
  assert.equal(second!.success, '')
})

test('fields are the columns, in the order given', async () => {
  const org = await withEvents(
    event({ service: 'ldap', number_of_results: -5, username: '-5', id: undefined }),
    event({ resource: { id: 'x', '=1': 'y' } }),
  )
  const fields = ['service', 'username', 'number_of_results', 'resource', 'service', 'nonsense']
  const res = await org.post(EXPORT, { ...all, fields, sort: 'desc' })
  const rows = res.body.split('\r\n')
  assert.equal(rows[0], 'service,username,number_of_results,resource')
  assert.deepEqual(rows.slice(1).sort(), [
    '',
    'directory,,,"{""id"":""x"",""=1"":""y""}"',
    "ldap,'-5,-5,",
  ])
})

test('an export without events is a header row, or empty', async () => {
  const org = await app.newOrganization()
  assert.match((await org.post(EXPORT, all)).body, /^timestamp,service,.*,document\r\n$/)
  const res = await org.post(EXPORT, { ...all, format: 'NDJSON' })
  assert.deepEqual([res.statusCode, res.body], [200, ''])
})

test('NDJSON has the documents as stored, or the fields', async () => {
  const org = await withEvents(event({ timestamp: ago(2), resource: { name: '},{' } }), event())
  const stored = await org.post('/insights/directory/v1/events', all)
  const accept = { accept: 'application/x-ndjson' }
  const res = await org.post(EXPORT, all, accept)
  assert.equal(res.headers['content-type'], 'application/x-ndjson; charset=utf-8')
  assert.match(String(res.headers['content-disposition']), /\.ndjson"$/)
  assert.equal(`[${res.body.trimEnd().split('\n').join(',')}]`, stored.body, 'byte for byte')
  const some = await org.post(EXPORT, { ...all, fields: ['resource.name'] }, accept)
  assert.equal(some.body, '{"resource":{"name":"},{"}}\n{}\n')
  const csv = await org.post(EXPORT, { ...all, format: 'csv' }, accept)
  assert.match(String(csv.headers['content-type']), /^text\/csv/, 'the body decides')
  const any = await org.post(EXPORT, all, { accept: 'application/json' })
  assert.match(String(any.headers['content-type']), /^text\/csv/)
})

test('the response is compressed for clients that accept it', async () => {
  const org = await withEvents(event())
  const body = { ...all, format: 'ndjson' }
  const plain = (await org.post(EXPORT, body, { 'accept-encoding': 'identity' })).body
  const gzip = await org.post(EXPORT, body, { 'accept-encoding': 'gzip' })
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.equal(String(gunzipSync(gzip.rawPayload)), plain)
  const br = await org.post(EXPORT, body, { 'accept-encoding': 'gzip, br' })
  assert.equal(br.headers['content-encoding'], 'br')
  assert.equal(String(brotliDecompressSync(br.rawPayload)), plain)
  assert.match(String(br.headers.vary), /accept-encoding/)
})

test('paging over ties loses and duplicates nothing; limit, skip and sort apply to the whole export', async () => {
  const timestamp = ago(1)
  const events = Array.from({ length: 2 * PAGE + 7 }, () => event({ timestamp }))
  const org = await withEvents(...events)
  const ndjson = { ...all, format: 'ndjson' }
  const up = idsOf((await org.post(EXPORT, ndjson)).body)
  assert.equal(up.length, events.length)
  assert.deepEqual([...up].sort(), events.map(({ id }) => id).sort())
  const down = idsOf((await org.post(EXPORT, { ...ndjson, sort: 'DESC' })).body)
  assert.deepEqual(down, [...up].reverse())
  const part = await org.post(EXPORT, { ...ndjson, limit: PAGE + 1, skip: 3 })
  assert.deepEqual(idsOf(part.body), up.slice(3, PAGE + 4))
  const exact = await org.post(EXPORT, { ...ndjson, limit: PAGE })
  assert.equal(idsOf(exact.body).length, PAGE)
})

test('invalid input is rejected before the first byte, naming the field', async () => {
  const org = await app.newOrganization()
  const cases: [object, RegExp, string][] = [
    [{}, /service/, 'service_missing'],
    [{ ...all, service: ['nonsense'] }, /service: unknown service "nonsense"/, 'unknown_service'],
    [{ ...all, start_time: 'yesterday' }, /start_time/, 'bad_start_time'],
    [{ ...all, end_time: ago(40) }, /End Time/, 'end_before_start'],
    [{ ...all, search_term: { and: [{ changes: 'x' }] } }, /search_term/, 'unsearchable_field'],
    [{ ...all, fields: [] }, /fields/, 'empty_fields'],
    [{ ...all, fields: ['nonsense'] }, /fields/, 'unknown_fields'],
    [{ ...all, search_after: ['x'] }, /search_after/, 'bad_search_after'],
    [{ ...all, format: 'xlsx' }, /format/, 'bad_format'],
    [{ ...all, limit: 0 }, /limit/, 'bad_limit'],
    [{ ...all, limit: '10' }, /limit/, 'bad_limit'],
  ]
  for (const [body, message, reason] of cases) {
    const res = await org.post(EXPORT, body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
    assert.match(String(res.headers['content-type']), /^application\/json/)
    assert.equal(res.headers['content-disposition'], undefined)
  }
})

test('callers who may read events may export them, of their own organizations only', async () => {
  const org = await withEvents(event({ service: 'sso' }))
  const ndjson = { ...all, service: 'sso', format: 'ndjson' }
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.equal(idsOf((await reader.post(EXPORT, ndjson)).body).length, 1)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.post(EXPORT, ndjson)).statusCode, 403)
  assert.equal((await app.anonymous.post(EXPORT, ndjson)).statusCode, 401)
  const other = await app.newOrganization()
  assert.equal((await other.post(EXPORT, ndjson)).body, '')
  const headers = { 'x-org-id': org.organizationId }
  assert.equal((await other.post(EXPORT, ndjson, headers)).statusCode, 404)
})

test('several organizations are merged in order', async () => {
  const provider = await app.newProvider(2)
  const [one, two] = provider.organizationIds as [string, string]
  const events = [4, 3, 2, 1].map((days) => event({ timestamp: ago(days) }))
  await store(provider, [events[0]!, events[2]!], { 'x-org-id': one })
  await store(provider, [events[1]!, events[3]!], { 'x-org-id': two })
  const res = await provider.post(
    EXPORT,
    { ...all, format: 'ndjson' },
    { 'x-org-id': `${one},${two}` },
  )
  assert.deepEqual(
    idsOf(res.body),
    events.map(({ id }) => id),
  )
})

// Through a real unix socket: its kernel buffers are small and do not grow.

interface Open {
  response: IncomingMessage
  /** The server side of the socket. */
  server: Socket
  id: string
}

let requests = 0
async function open(key: { apiKey: string }, body: object): Promise<Open> {
  const id = `export-${++requests}`
  const connected = once(app.http.server, 'connection')
  const request = httpRequest({
    socketPath,
    path: EXPORT,
    method: 'POST',
    agent: false,
    headers: { 'x-api-key': key.apiKey, 'content-type': 'application/json', 'x-request-id': id },
  })
  request.end(JSON.stringify(body))
  const [server] = (await connected) as [Socket]
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  return { response, server, id }
}

/** The log lines of each export; all lines would be too many to look through again and again. */
const linesById = new Map<string, string[]>()
let sorted = 0
/** The log lines of one export with this message. */
function logged(id: string, message: string): string[] {
  for (; sorted < app.lines.length; sorted++) {
    const line = app.lines[sorted]!
    const [, of] = /"((?:export|failing)-\w+)"/.exec(line) ?? []
    if (of !== undefined) linesById.set(of, [...(linesById.get(of) ?? []), line])
  }
  return (linesById.get(id) ?? []).filter((line) => line.includes(message))
}
const pagesRead = (id: string) => logged(id, 'read a page of an export').length
const aborted = (id: string) =>
  until('the export is aborted', () => logged(id, 'an export was aborted').length > 0)

const ROWS = 30_000
let large: Awaited<ReturnType<typeof app.newOrganization>>
before(async () => {
  large = await app.newOrganization()
  const start = Date.now() - DAY
  for (let from = 0; from < ROWS; from += 10_000) {
    const events = Array.from({ length: 10_000 }, (_, at) =>
      event({ timestamp: new Date(start + from + at).toISOString(), error_message: padding }),
    )
    await store(large, events)
  }
})

test('a stalled client pauses the reading of pages and loses nothing', async () => {
  const { response, server, id } = await open(large, all)
  await until('the client is slower', () => server.writableNeedDrain)
  const ahead = pagesRead(id)
  assert.ok(ahead <= 2, `${ahead} pages for a reader who takes nothing`)
  // Other requests are served meanwhile; the export pauses.
  for (let at = 0; at < 20; at++)
    assert.equal((await large.get('/api/organizations')).statusCode, 200)
  assert.equal(pagesRead(id), ahead)

  // A slow client: one chunk per turn. Pages are read at its pace.
  const pieces: Buffer[] = []
  let rows = 0
  let peak = 0
  for await (const piece of response) {
    pieces.push(piece)
    for (const byte of piece) if (byte === 10) rows++
    peak = Math.max(peak, pagesRead(id) * PAGE - rows)
    await turn()
  }
  assert.ok(peak <= 2 * PAGE, `${peak} rows were read ahead of the reader`)
  const found = parsed(String(Buffer.concat(pieces)))
  assert.equal(found.length, ROWS)
  assert.equal(new Set(found.map((one) => one.id)).size, ROWS)
  assert.equal(response.complete, true)
})

test('events that happen during an export do not prolong it', async () => {
  const { organizationId } = large
  const act = () =>
    app.db.tx(organizationId, (tx) =>
      recordEvent(tx, systemCaller(organizationId, 'test'), { event_type: 'later' }),
    )
  const { response, server } = await open(large, { ...all, format: 'ndjson' })
  await until('the client is slower', () => server.writableNeedDrain)
  for (let at = 0; at < 5; at++) await act()
  assert.equal(linesOf(await text(response)).length, ROWS)
  const later = await large.post(EXPORT, { ...all, format: 'ndjson', sort: 'desc', limit: 5 })
  assert.ok(linesOf(later.body).every(({ event_type }) => event_type === 'later'))
  await app.db.tx(organizationId, (tx) =>
    tx.execute(`delete from events where timestamp > now() - interval '1 hour'`),
  )
})

test('a client that disconnects ends the reading', async () => {
  const { response, server, id } = await open(large, { ...all, format: 'ndjson' })
  await until('the client is slower', () => server.writableNeedDrain)
  response.destroy()
  await aborted(id)
  const read = pagesRead(id)
  for (let at = 0; at < 20; at++)
    assert.equal((await large.get('/api/organizations')).statusCode, 200)
  assert.equal(pagesRead(id), read)
  assert.ok(read <= 3, `${read} pages of ${ROWS / PAGE}`)
})

test('an export that fails midway resets the connection', async () => {
  for (const encoding of ['identity', 'gzip']) {
    const org = await withEvents(
      ...Array.from({ length: PAGE + 1 }, () => event({ error_message: padding })),
    )
    const id = `failing-${encoding}`
    const request = httpRequest({
      socketPath,
      path: EXPORT,
      method: 'POST',
      agent: false,
      headers: {
        'x-api-key': org.apiKey,
        'content-type': 'application/json',
        'accept-encoding': encoding,
        'x-request-id': id,
      },
    })
    // The last document is invalid JSON: inserted directly, the service would not store it.
    await app.db.tx(org.organizationId, (tx) =>
      tx.execute(
        `insert into events (organization_id, timestamp, id, service, document)
         values ($1, $2, gen_random_uuid(), 'directory', '{"a":nonsense}')`,
        [org.organizationId, ago(0.5)],
      ),
    )
    request.end(JSON.stringify(all))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 200)
    await assert.rejects(text(response), /aborted|reset/i)
    assert.equal(response.complete, false)
    await aborted(id)
  }
})

test('concurrent exports are limited', async () => {
  const running = await Promise.all(Array.from({ length: 2 }, () => open(large, all)))
  const res = await large.post(EXPORT, all)
  assert.deepEqual([res.statusCode, res.json().reason], [429, 'too_many_exports'])
  assert.equal(res.headers['retry-after'], '5')
  for (const { response } of running) response.destroy()
  for (const { id } of running) await aborted(id)
  assert.equal((await large.post(EXPORT, { ...all, limit: 1 })).statusCode, 200)
})
