import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { type Response, startApp } from '../../test/harness.ts'

const app = await startApp()
const EVENTS = '/insights/directory/v1/events'
const DAY = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()
const all = { service: ['all'], start_time: ago(30) }

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

const send = (org: { apiKey: string }, events: object[], headers: Record<string, string> = {}) =>
  app.http.inject({
    method: 'POST',
    url: '/insights/directory/v1/ingest',
    headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson', ...headers },
    payload: events.map((event) => JSON.stringify(event)).join('\n'),
  })

let serial = 0
const event = (members: object = {}) => ({
  id: `event-${++serial}`,
  service: 'directory',
  event_type: 'user_update',
  timestamp: ago(1),
  ...members,
})

async function withEvents(...events: object[]): Promise<Organization> {
  const org = await app.newOrganization()
  const res = await send(org, events)
  assert.equal(res.json().stored, events.length, res.body)
  return org
}

const ids = (res: Response) => res.json().map((e: { id: string }) => e.id)

test('events come back in order with the five headers', async () => {
  const events = [
    event({ timestamp: ago(3) }),
    event({ timestamp: ago(2) }),
    event({ timestamp: ago(1) }),
  ]
  const org = await withEvents(...events)
  const res = await org.post(EVENTS, { ...all, limit: 2 })
  assert.equal(res.statusCode, 200)
  assert.deepEqual(ids(res), [events[0]!.id, events[1]!.id])
  assert.equal(res.headers['x-result-count'], '2')
  assert.equal(res.headers['x-limit'], '2')
  assert.equal(res.headers['x-sort'], 'ASC')
  assert.match(String(res.headers['x-request-id']), /^[0-9a-f-]{36}$/)
  const token = JSON.parse(String(res.headers['x-search_after']))
  assert.equal(token[0], Date.parse(events[1]!.timestamp))
  const next = await org.post(EVENTS, { ...all, limit: 2, search_after: token })
  assert.deepEqual(ids(next), [events[2]!.id])
  const strings = await org.post(EVENTS, {
    ...all,
    start_time: ago(2.5),
    limit: 2,
    search_after: token.map(String),
  })
  assert.deepEqual(ids(strings), [events[2]!.id], 'numbers as strings, another start_time')
  const end = await org.post(EVENTS, {
    ...all,
    limit: 2,
    search_after: JSON.parse(String(next.headers['x-search_after'])),
  })
  assert.equal(end.body, '[]')
  assert.deepEqual(end.headers['x-search_after'], next.headers['x-search_after'], 'always present')
  const down = await org.post(EVENTS, { ...all, sort: 'desc' })
  assert.deepEqual(ids(down), events.map((e) => e.id).reverse())
  assert.equal(down.headers['x-sort'], 'DESC')
})

test('paging over ties in one millisecond loses and duplicates nothing, in both directions', async () => {
  const timestamp = ago(1)
  const events = Array.from({ length: 25 }, () => event({ timestamp }))
  const org = await withEvents(...events)
  for (const sort of ['ASC', 'DESC']) {
    const seen: string[] = []
    let search_after: unknown
    for (let pages = 0; pages < 10; pages++) {
      const res = await org.post(EVENTS, { ...all, sort, limit: 7, search_after })
      seen.push(...ids(res))
      if (Number(res.headers['x-result-count']) < 7) break
      search_after = JSON.parse(String(res.headers['x-search_after']))
    }
    assert.equal(seen.length, 25)
    assert.deepEqual([...seen].sort(), events.map((e) => e.id).sort())
  }
})

test('invalid limit and sort silently give the default; a limit above the maximum gives the maximum', async () => {
  const org = await withEvents(event())
  for (const [limit, applied] of [
    [undefined, 1000],
    [0, 1000],
    [-1, 1000],
    ['5', 1000],
    [1.5, 1000],
    [null, 1000],
    [10_000, 10_000],
    [20_000, 10_000],
    [7, 7],
  ] as const) {
    const res = await org.post(EVENTS, { ...all, limit, sort: 'sideways', sortOrder: 'ignored' })
    assert.equal(res.headers['x-limit'], String(applied), String(limit))
    assert.equal(res.headers['x-sort'], 'ASC')
  }
})

test('every 400 of the specification, with a message that names the field', async () => {
  const org = await withEvents(event())
  const cases: [object, RegExp, string][] = [
    [{ service: ['all'] }, /start_time/, 'bad_start_time'],
    [{ ...all, start_time: 'yesterday' }, /start_time/, 'bad_start_time'],
    [{ ...all, start_time: '2026-02-30T00:00:00Z' }, /start_time/, 'bad_start_time'],
    [
      { ...all, start_time: new Date(Date.now() + DAY).toISOString() },
      /start_time.*future/,
      'start_in_future',
    ],
    [{ ...all, end_time: 'tomorrow' }, /end_time/, 'bad_end_time'],
    [{ ...all, end_time: ago(60) }, /^Start Time not after End Time .* > /, 'end_before_start'],
    [{ start_time: ago(1) }, /service.*supported are all, access_management/, 'service_missing'],
    [{ ...all, service: [] }, /service/, 'service_missing'],
    [{ ...all, service: ['nonsense'] }, /"nonsense".*supported are/, 'unknown_service'],
    [{ ...all, service: ['constructor'] }, /"constructor"/, 'unknown_service'],
    [{ ...all, fields: [] }, /fields/, 'empty_fields'],
    [{ ...all, fields: ['no_such_field'] }, /fields.*no_such_field/, 'unknown_fields'],
    [{ ...all, search_after: ['x'] }, /search_after/, 'bad_search_after'],
    [
      { ...all, search_term: { and: [{ changes: 'x' }] } },
      /changes cannot be searched/,
      'unsearchable_field',
    ],
    [
      { ...all, search_term: { and: [{ 'useragent.name': 'x' }] } },
      /useragent\.name cannot be searched/,
      'unsearchable_field',
    ],
    [
      { ...all, search_term: { and: [{ username: 'a' }, { username: 'b' }] } },
      /username is repeated/,
      'repeated_field',
    ],
    [
      { ...all, search_term: { and: [{ field: 'success', operator: 'contains', value: 't' }] } },
      /contains is not allowed for success.*eq, ne, in, not_in/,
      'operator_not_allowed',
    ],
    [
      { ...all, search_term: { and: [{ field: 'username', operator: 'like', value: 't' }] } },
      /"like"/,
      'unknown_operator',
    ],
    [
      { ...all, search_term: { and: [{ field: 'error_code', operator: 'gt', value: 'many' }] } },
      /error_code/,
      'bad_value',
    ],
    [{ ...all, search_term: { xor: [] } }, /xor/, 'bad_term'],
    [{ ...all, search_term: { and: 'x' } }, /and must be a list/, 'bad_term'],
  ]
  for (const [body, message, reason] of cases) {
    const res = await org.post(EVENTS, body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.deepEqual(Object.keys(res.json()), ['message', 'reason'])
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  const broken = await app.http.inject({
    method: 'POST',
    url: EVENTS,
    headers: { 'x-api-key': org.apiKey, 'content-type': 'application/json' },
    payload: '{"service":',
  })
  assert.equal(broken.statusCode, 400)
})

test('times are accepted in all formats of real clients; both ends are inclusive', async () => {
  const org = await withEvents(event({ timestamp: '2026-10-20T10:00:00.426543Z' }))
  const starts = [
    '2026-10-20T10:00:00.426Z',
    '2026-10-20T10:00:00Z',
    '2026-10-20T10:00:00.426543Z',
    '2026-10-20T10:00:00.42654368Z',
    '2026-10-20T10:00:00.426543+00:00',
    '2026-10-20T12:00:00.4265430+02:00',
    '2026-10-20T10:00:00',
  ]
  for (const start_time of starts) {
    const res = await org.post(EVENTS, {
      service: ['all'],
      start_time,
      end_time: '2026-10-20T10:00:00.426Z',
    })
    assert.equal(res.json().length, 1, start_time)
  }
  const equal = await org.post(EVENTS, {
    service: ['all'],
    start_time: starts[0],
    end_time: starts[0],
  })
  assert.equal(equal.json().length, 1)
})

test('search terms: the original, the operator and the legacy forms', async () => {
  const org = await withEvents(
    event({ id: 'a', username: 'Anna', success: true, resource: { type: 'user', id: '1' } }),
    event({
      id: 'b',
      username: 'bert',
      success: false,
      resource: { type: 'group', id: '2' },
      event_type: 'systemuser_update',
    }),
    event({
      id: 'c',
      service: 'ldap',
      event_type: 'ldap_bind',
      username: 'a*b?c\\d',
      error_code: 49,
    }),
  )
  const cases: [object, string[]][] = [
    [{ and: [{ username: 'anna' }] }, ['a']],
    [{ and: [{ username: 'ANNA' }] }, ['a']],
    [{ and: [{ username: ['anna', 'bert'] }] }, ['a', 'b']],
    [{ or: [{ username: 'anna' }, { 'resource.type': 'group' }] }, ['a', 'b']],
    [{ and: [{ success: 'true' }] }, ['a']],
    [{ and: [{ success: false }] }, ['b']],
    [{ and: [{ field: 'username', operator: 'startsWith', value: 'an' }] }, ['a']],
    [{ and: [{ field: 'username', operator: 'endsWith', value: 'c\\d' }] }, ['c']],
    [{ and: [{ field: 'username', operator: 'contains', value: '*b?' }] }, ['c']],
    [{ and: [{ field: 'username', operator: 'contains', value: '*' }] }, ['c']],
    [{ and: [{ field: 'username', operator: 'contains', value: '.' }] }, []],
    [{ and: [{ field: 'username', operator: 'ne', value: 'anna' }] }, ['b', 'c']],
    [{ and: [{ field: 'success', operator: 'ne', value: true }] }, ['b', 'c']],
    [{ and: [{ field: 'username', operator: 'not_in', value: ['anna', 'bert'] }] }, ['c']],
    [{ and: [{ field: 'username', value: 'bert' }] }, ['b']],
    [{ and: [{ field: 'username', value: ['bert'] }] }, ['b']],
    [{ and: [{ field: 'error_code', operator: 'gte', value: 49 }] }, ['c']],
    [{ and: [{ field: 'error_code', operator: 'lt', value: '49' }] }, []],
    [
      {
        and: [
          { or: [{ username: 'anna' }, { username: 'bert' }].slice(0, 1) },
          { 'resource.type': 'user' },
        ],
      },
      ['a'],
    ],
    [{ and: { username: 'anna', 'resource.type': 'user' } }, ['a']],
    [{ or: { username: 'anna', 'resource.type': 'group' } }, ['a', 'b']],
    [{ not: { username: 'anna' } }, ['b', 'c']],
    [{ and: [{ event_type: 'user_update' }] }, ['a', 'b']],
    [{ and: [{ service: 'ldap' }] }, ['c']],
    [{ and: [{ field: 'timestamp', operator: 'after', value: ago(2) }] }, ['a', 'b', 'c']],
    [{ and: [{ field: 'timestamp', operator: 'before', value: ago(2) }] }, []],
    [{ and: [{ 'resource.nothing': 'x' }] }, []],
    [{ and: [] }, ['a', 'b', 'c']],
  ]
  for (const [search_term, expected] of cases) {
    const res = await org.post(EVENTS, { ...all, search_term })
    assert.equal(res.statusCode, 200, res.body)
    assert.deepEqual(ids(res).sort(), expected, JSON.stringify(search_term))
  }
})

test('any valid term works up to the budget; beyond it is 400', async () => {
  const org = await withEvents(event({ username: 'needle' }))
  const many = Array.from({ length: 9_999 }, (_, n) => ({ [`field_${n}`]: `value ${n}` }))
  const wide = await org.post(EVENTS, {
    ...all,
    search_term: { or: [...many, { username: 'needle' }] },
  })
  assert.equal(wide.statusCode, 200)
  assert.equal(wide.json().length, 1)
  const over = await org.post(EVENTS, {
    ...all,
    search_term: { or: [...many, { a: 1 }, { b: 1 }] },
  })
  assert.equal(over.statusCode, 400)
  assert.match(over.json().message, /10000/)
  assert.equal(over.json().reason, 'too_many_terms')
  const nest = (depth: number): object =>
    depth === 0 ? { username: 'needle' } : { and: [nest(depth - 1)] }
  assert.equal((await org.post(EVENTS, { ...all, search_term: nest(31) })).json().length, 1)
  const deep = await org.post(EVENTS, { ...all, search_term: nest(40) })
  assert.equal(deep.statusCode, 400)
  assert.equal(deep.json().reason, 'too_deep')
})

test('fields: parents whole, children nested, unknown ones ignored, absent ones left out', async () => {
  const org = await withEvents(
    event({
      id: 'p',
      resource: { type: 'user', id: '1', name: 'N' },
      auth_context: { policies_applied: [{ name: 'x', id: '9' }] },
    }),
  )
  const read = async (fields: string[]) => (await org.post(EVENTS, { ...all, fields })).json()[0]
  assert.deepEqual(await read(['id', 'resource.type', 'resource.name', 'no_such']), {
    id: 'p',
    resource: { type: 'user', name: 'n' },
  })
  assert.deepEqual(await read(['resource', 'resource.type']), {
    resource: { type: 'user', id: '1', name: 'n' },
  })
  assert.deepEqual(await read(['auth_context.policies_applied.name']), {
    auth_context: { policies_applied: [{ name: 'x' }] },
  })
  assert.deepEqual(await read(['username']), {})
})

test('skip works as in older clients', async () => {
  const events = Array.from({ length: 5 }, (_, n) => event({ timestamp: ago(5 - n) }))
  const org = await withEvents(...events)
  const res = await org.post(EVENTS, { ...all, limit: 2, skip: 2 })
  assert.deepEqual(ids(res), [events[2]!.id, events[3]!.id])
})

test('services: notifications without a name, alerts as alert, ldap without an id', async () => {
  const org = await withEvents(
    { id: 'n', event_type: 'notification_channel_created', timestamp: ago(1) },
    event({ id: 'x', service: 'alerts', event_type: 'alert_created' }),
    { service: 'ldap', event_type: 'ldap_bind', timestamp: ago(1), username: 'u' },
  )
  const read = async (service: string[]) => (await org.post(EVENTS, { ...all, service })).json()
  assert.equal((await read(['notifications']))[0].id, 'n')
  assert.equal((await read(['alert'])).length, 1)
  assert.equal((await read(['alerts'])).length, 1)
  assert.equal((await read(['ldap']))[0].id, undefined)
  assert.equal((await read(['directory', 'sso'])).length, 0)
})

test('count, distinct and interval', async () => {
  const day = (n: number) => `2026-11-0${n}T12:00:00Z`
  const org = await withEvents(
    event({ username: 'anna', timestamp: day(1) }),
    event({ username: 'anna', timestamp: day(1) }),
    event({ username: 'bert', timestamp: day(4) }),
  )
  const body = { service: ['directory'], start_time: '2026-10-25T00:00:00Z' }
  const count = await org.post(`${EVENTS}/count`, { ...body, limit: 1 })
  assert.deepEqual(count.json(), { count: 3 })
  assert.equal(count.headers['x-search_after'], undefined)
  const distinct = (await org.post(`${EVENTS}/distinct`, { ...body, field: 'username' })).json()
  const buckets = [
    { key: 'anna', doc_count: 2 },
    { key: 'bert', doc_count: 1 },
  ]
  assert.deepEqual(distinct, {
    buckets,
    username: buckets,
    doc_count_error_upper_bound: 0,
    sum_other_doc_count: 0,
  })
  assert.equal((await org.post(`${EVENTS}/distinct`, body)).statusCode, 400)
  const interval = (await org.post(`${EVENTS}/interval`, { ...body, interval_unit: 'd' })).json()
  assert.deepEqual(
    interval.buckets.map((b: { doc_count: number }) => b.doc_count),
    [2, 0, 0, 1],
  )
  assert.equal(interval.buckets[0].key_as_string, '2026-11-01T00:00:00.000Z')
  const zoned = (
    await org.post(`${EVENTS}/interval`, {
      ...body,
      interval_unit: 'd',
      interval_value: '2',
      timezone: '-0500',
    })
  ).json()
  assert.match(zoned.buckets[0].key_as_string, /T05:00:00.000Z$/)
  assert.equal(
    (await org.post(`${EVENTS}/interval`, { ...body, interval_unit: 'y' })).statusCode,
    400,
  )
})

test('Read Only may read events, Command Runner may not', async () => {
  const org = await withEvents(event())
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.equal((await reader.post(EVENTS, all)).statusCode, 200)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.post(EVENTS, all)).statusCode, 403)
  assert.equal((await app.anonymous.post(EVENTS, all)).statusCode, 401)
  assert.equal(
    (await send(reader, [event()])).statusCode,
    403,
    'the read scope does not allow writing',
  )
  const other = await app.newOrganization()
  assert.deepEqual((await other.post(EVENTS, all)).json(), [])
  assert.equal((await other.post(EVENTS, all, { 'x-org-id': org.organizationId })).statusCode, 404)
  assert.equal((await other.post(EVENTS, all, { 'x-org-id': 'zz' })).statusCode, 400)
})

test('several organizations at once, repeated or joined; the provider by its own header', async () => {
  const msp = await app.newProvider(3)
  for (const [at, id] of msp.organizationIds.entries()) {
    const res = await send(msp, [event({ id: `of-${at}`, timestamp: ago(3 - at) })], {
      'x-org-id': id,
    })
    assert.equal(res.json().stored, 1)
  }
  const [first, second, third] = msp.organizationIds as [string, string, string]
  assert.equal((await msp.post(EVENTS, all)).statusCode, 401)
  assert.deepEqual(ids(await msp.post(EVENTS, all, { 'x-org-id': `${third},${first}` })), [
    'of-0',
    'of-2',
  ])
  assert.deepEqual(ids(await msp.post(EVENTS, all, { 'x-org-id': [first, second, third] })), [
    'of-0',
    'of-1',
    'of-2',
  ])
  const count = await msp.post(`${EVENTS}/count`, all, { 'x-org-id': [first, second] })
  assert.deepEqual(count.json(), { count: 2 })
  const stranger = await app.newOrganization()
  assert.equal(
    (await msp.post(EVENTS, all, { 'x-org-id': [first, stranger.organizationId] })).statusCode,
    404,
  )
  await msp.put(`/api/v2/providers/${msp.providerId}`, { name: 'Told' })
  const portal = await msp.post(EVENTS, all, { 'x-provider-id': msp.providerId })
  // The event was written a moment ago; poll until the watermark has passed it.
  let told = portal.json()
  for (let tries = 0; tries < 100 && told.length === 0; tries++)
    told = (await msp.post(EVENTS, all, { 'x-provider-id': msp.providerId })).json()
  assert.deepEqual(
    told.map((e: { event_type: string }) => e.event_type),
    ['provider_update'],
  )
})

test('a thousand organizations in one request', async () => {
  const msp = await app.newProvider(1000)
  await send(msp, [event({ id: 'first' })], { 'x-org-id': msp.organizationIds[0]! })
  await send(msp, [event({ id: 'last' })], { 'x-org-id': msp.organizationIds[999]! })
  const res = await msp.post(EVENTS, all, { 'x-org-id': msp.organizationIds })
  assert.deepEqual(ids(res).sort(), ['first', 'last'])
  // Other files share the application, and its jobs visit every organization.
  await app.db.tx(null, (tx) =>
    tx.execute('delete from organizations where provider = $1', [msp.providerId]),
  )
})

test('ingest: invalid lines are reported by number, valid ones stored, and a repeat stores nothing', async () => {
  const org = await app.newOrganization()
  const good = event({ id: 'Kept', username: 'UPPER', changes: [{ field: 'Name', to: 'Case' }] })
  const lines = [
    good,
    event({ timestamp: ago(100) }),
    event({ timestamp: ago(-3) }),
    event({ service: 'no' }),
    { service: 'sso' },
    event({ organization: 'f'.repeat(24) }),
    event({ success: 'yes' }),
  ]
  const body = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{broken\n\n`
  const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
    app.http.inject({
      method: 'POST',
      url: '/insights/directory/v1/ingest',
      headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson', ...headers },
      payload,
    })
  const report = (await post(body)).json()
  assert.equal(report.stored, 1)
  assert.equal(report.rejected, 7)
  assert.deepEqual(
    report.errors.map((e: { line: number }) => e.line),
    [2, 3, 4, 5, 6, 7, 8],
  )
  assert.match(report.errors[0].message, /older than 90 days/)
  assert.match(report.errors[1].message, /future/)
  assert.match(report.errors[5].message, /success must be a boolean/)
  const again = (await post(gzipSync(body), { 'content-encoding': 'gzip' })).json()
  assert.deepEqual([again.stored, again.duplicates, again.rejected], [0, 1, 7])
  const array = (
    await post(
      ` [ ${JSON.stringify(good)} ,\n ${JSON.stringify(event({ message: 'a ] } , "' }))} ] `,
      { 'content-type': 'application/json' },
    )
  ).json()
  assert.deepEqual([array.received, array.stored, array.duplicates], [2, 1, 1])
  const [kept] = (
    await org.post(EVENTS, { ...all, search_term: { and: [{ username: 'upper' }] } })
  ).json()
  assert.deepEqual(
    [kept.id, kept.username, kept.changes],
    ['kept', 'upper', [{ field: 'Name', to: 'Case' }]],
  )
  assert.equal(kept.organization, org.organizationId)
  // Decompression may fail before or after reading starts.
  for (let tries = 0; tries < 20; tries++)
    assert.equal((await post('x', { 'content-encoding': 'gzip' })).statusCode, 400)
  assert.equal((await post('x', { 'content-encoding': 'br' })).statusCode, 400)
})

test('responses are compressed as the client requests', async () => {
  const org = await withEvents(
    ...Array.from({ length: 30 }, () => event({ message: 'x'.repeat(100) })),
  )
  const plain = (await org.post(EVENTS, all)).body
  const packed = await org.post(EVENTS, all, { 'accept-encoding': 'gzip' })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(packed.rawPayload).toString(), plain)
  const br = await org.post(EVENTS, all, { 'accept-encoding': 'br, gzip' })
  assert.equal(br.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(br.rawPayload).toString(), plain)
})

test('the schema of every service is served', async () => {
  const org = await app.newOrganization()
  const { services, operators } = (await org.get('/insights/directory/v1/schema')).json()
  const radius = services.find((s: { name: string }) => s.name === 'radius')
  assert.ok(radius.fields.some((f: { name: string }) => f.name === 'outer.eap_type'))
  assert.deepEqual(operators.boolean, ['eq', 'ne', 'in', 'not_in'])
  const versions = Object.fromEntries(
    services.map((s: { name: string; version: string }) => [s.name, s.version]),
  )
  assert.deepEqual(
    [versions.directory, versions.reports, versions.alert],
    ['integer', 'string', null],
  )
})

test('the service di_events is known to clients, and has no events', async () => {
  const org = await app.newOrganization()
  const res = await org.post(EVENTS, { ...all, service: ['di_events'] })
  assert.deepEqual([res.statusCode, res.json()], [200, []])
})
