import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Response, startApp } from '../harness.ts'

const app = await startApp()
const EVENTS = '/insights/directory/v1/events'
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const all = { service: ['all'], start_time: ago(30) }

const ingest = (org: { apiKey: string }, payload: string) =>
  app.http.inject({
    method: 'POST',
    url: '/insights/directory/v1/ingest',
    headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' },
    payload,
  })

const event = (id: string, members: object = {}) => ({
  id,
  service: 'directory',
  event_type: 'user_update',
  timestamp: ago(1),
  ...members,
})

async function withEvents(...events: object[]) {
  const org = await app.newOrganization()
  const res = await ingest(org, events.map((one) => JSON.stringify(one)).join('\n'))
  assert.equal(res.json().stored, events.length, res.body)
  return org
}

const ids = (res: Response): string[] => {
  assert.equal(res.statusCode, 200, res.body)
  return res
    .json()
    .map((one: { id: string }) => one.id)
    .sort()
}

test('terms at the limits of the database', async () => {
  const org = await withEvents(
    event('a', { username: 'anna' }),
    event('b', { username: 'line\n', event_type: 'systemuser_update' }),
    event('c', { list: [['deep', 'y'.repeat(3_000)]], username: 'x'.repeat(200_000) }),
  )
  const term = (field: string, operator: string, value: unknown) => ({
    and: [{ field, operator, value }],
  })
  const cases: [object, string][] = [
    [term('username', 'in', []), ''],
    [term('username', 'not_in', []), 'abc'],
    [{ and: [{ username: [] }] }, ''],
    [{ or: { username: [] } }, ''],
    [{ not: {} }, 'abc'],
    [{ not: [] }, 'abc'],
    [term('username', 'eq', 'anna\0'), ''],
    [term('username', 'ne', '\0'), 'abc'],
    [term('username', 'contains', '\0'), ''],
    [term('username', 'in', ['\ud800', 'anna']), 'a'],
    [term('user\0name', 'eq', 'anna'), ''],
    [term('\udc00', 'ne', 'anna'), 'abc'],
    [term('service', 'contains', '\0'), ''],
    [term('username', 'endsWith', 'line'), ''],
    [term('username', 'endsWith', 'e\n'), 'b'],
    [term('username', 'contains', ''), 'abc'],
    [term('event_type', 'contains', 'user_update'), 'abc'],
    [term('event_type', 'startsWith', 'user_update'), 'ac'],
    [term('event_type', 'startsWith', 'systemuser'), 'b'],
    [term('event_type', 'eq', 'user_update'), 'abc'],
    [term('event_type', 'ne', 'systemuser_update'), ''],
    [term('list', 'eq', 'deep'), 'c'],
    [term('list', 'contains', 'y'.repeat(2_000)), 'c'],
    [term('list', 'endsWith', 'y'.repeat(3_001)), ''],
    [term('username', 'contains', 'x'.repeat(30_000)), 'c'],
    [term('username', 'endsWith', 'x'.repeat(30_000)), 'c'],
    [term('username', 'startsWith', 'x'.repeat(30_000)), 'c'],
    [term('username', 'contains', `${'x'.repeat(30_000)}y`), ''],
    [term('username', 'in', Array.from({ length: 30_000 }, (_, n) => `n${n}`).concat('anna')), 'a'],
  ]
  for (const [search_term, expected] of cases) {
    const res = await org.post(EVENTS, { ...all, search_term })
    assert.equal(ids(res).join(''), expected, JSON.stringify(search_term).slice(0, 200))
  }
})

test('booleans may be strings also in unlisted fields', async () => {
  const org = await withEvents(
    event('a', { service: 'genai', success: true }),
    event('b', { service: 'genai', success: false }),
    event('c', { service: 'genai', success: 'true' }),
    event('d', { service: 'directory', auth_meta: { risky: { success: true } } }),
  )
  const find = async (service: string, term: object) =>
    ids(await org.post(EVENTS, { ...all, service: [service], search_term: { and: [term] } })).join(
      '',
    )
  assert.equal(await find('genai', { success: 'true' }), 'ac')
  assert.equal(await find('genai', { success: 'FALSE' }), 'b')
  assert.equal(await find('genai', { success: ['maybe', 'false'] }), 'b')
  assert.equal(await find('genai', { success: ['maybe', false] }), 'b')
  assert.equal(await find('genai', { field: 'success', operator: 'ne', value: 'true' }), 'b')
  assert.equal(await find('genai', { field: 'success', operator: 'contains', value: 'true' }), 'c')
  assert.equal(await find('all', { 'auth_meta.risky.success': 'true' }), 'd')
})

test('a term of field, operator and value requires all three', async () => {
  const org = await withEvents(event('a', { username: 'anna' }), event('b', { username: 'bob' }))
  const ask = (search_term: object) => org.post(EVENTS, { ...all, search_term })
  const term = { field: 'username', operator: 'startsWith', value: 'an' }
  assert.deepEqual(ids(await ask({ and: [term] })), ['a'])
  assert.deepEqual(ids(await ask({ and: term })), ['a'])
  assert.deepEqual(ids(await ask({ and: [{ ...term, note: 'x' }] })), ['a'])
  assert.deepEqual(ids(await ask({ not: term })), ['b'])
  const refused: [object, RegExp][] = [
    [{ field: 'username', operator: 'eq' }, /search_term: .*username .*value/],
    [{ operator: 'eq', value: 'anna' }, /search_term: .*field/],
    [{ field: ['username'], value: 'anna' }, /search_term: .*field/],
  ]
  for (const [one, message] of refused) {
    const res = await ask({ and: [one] })
    assert.equal(res.statusCode, 400, JSON.stringify(one))
    assert.match(res.json().message, message)
  }
})

test('edge cases of other query members succeed or are 400', async () => {
  const org = await withEvents(
    event('a', { resource: { type: 'user', list: ['x', 'y', { z: 1 }] }, constructor: 'x' }),
  )
  const cases: [string, object, number][] = [
    ['', { start_time: '0000-01-01T00:00:00Z' }, 400],
    ['', { start_time: '0001-01-01T00:00:00+14:00' }, 400],
    ['', { start_time: '0001-01-01T00:00:00Z' }, 200],
    ['', { end_time: '9999-12-31T23:59:59-14:00' }, 400],
    ['', { end_time: '9999-12-31T23:59:59Z' }, 200],
    ['', { search_term: { and: [{ timestamp: '0000-05-05T00:00:00Z' }] } }, 400],
    ['', { search_term: { and: [{ username: null }] } }, 400],
    ['', { search_after: [Number.MAX_SAFE_INTEGER, crypto.randomUUID()] }, 400],
    ['', { search_after: [-1, crypto.randomUUID()] }, 200],
    ['', { skip: 1e300 }, 200],
    ['', { skip: Number.MAX_SAFE_INTEGER }, 200],
    ['/interval', { interval_unit: 'constructor' }, 400],
    ['/interval', { interval_unit: 'w', interval_value: 1e300 }, 400],
    ['/interval', { interval_unit: 'w', interval_value: 5000 }, 200],
    ['/distinct', { field: 'user\0name' }, 200],
    ['/distinct', { field: '\ud800' }, 200],
    ['/distinct', { field: '__proto__' }, 200],
  ]
  for (const [path, members, status] of cases) {
    const res = await org.post(EVENTS + path, { ...all, ...members })
    assert.equal(res.statusCode, status, `${path} ${JSON.stringify(members)} ${res.body}`)
  }
  const distinct = await org.post(`${EVENTS}/distinct`, { ...all, field: 'resource.list' })
  assert.deepEqual(
    distinct.json().buckets.map(({ key }: { key: string }) => key),
    ['x', 'y'],
    'each element of a list',
  )
})

test('projection treats every name as a plain name', async () => {
  const org = await withEvents(
    event('a', { resource: { type: 'user', list: ['x', { z: 1 }, { y: 2 }] } }),
  )
  const read = async (...fields: string[]) =>
    (await org.post(EVENTS, { ...all, fields: ['id', ...fields] })).json()[0]
  assert.deepEqual(await read('resource.__proto__.polluted'), { id: 'a' })
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.deepEqual(await read('resource.constructor', 'resource.toString.name'), { id: 'a' })
  assert.deepEqual(await read('resource.list.z'), { id: 'a', resource: { list: [{ z: 1 }] } })
  assert.deepEqual(await read('resource.list.none'), { id: 'a' })
})

test('a line that could be stored but not searched is rejected, its neighbours are kept', async () => {
  const org = await app.newOrganization()
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const good = JSON.stringify(event('good'))
  const lines = [
    good,
    JSON.stringify(event('nul', { username: 'a\0b' })),
    JSON.stringify(event('key', { 'a\0b': 1 })),
    JSON.stringify(event('half', { changes: [{ field: 'name', to: '\ud83d' }] })),
    good.replace('"good"', `"deep","extra":${nested(50_000)}`),
    good.replace('"good"', `"fine","extra":${nested(60)}`),
    good.replace('"good"', '"proto","constructor":1,"__proto__":{"x":1},"toString":"Y"'),
    JSON.stringify(event('pair', { username: '👍' })),
  ]
  const report = (await ingest(org, lines.join('\n'))).json()
  assert.deepEqual(report.errors, [
    { line: 2, message: 'the character \\u0000 cannot be stored' },
    { line: 3, message: 'the character \\u0000 cannot be stored' },
    { line: 4, message: 'contains a lone surrogate, which cannot be stored' },
    { line: 5, message: 'nested more than 64 levels deep' },
  ])
  const found = async (search_term: object) =>
    ids(await org.post(EVENTS, { ...all, search_term })).join(' ')
  assert.equal(await found({ not: { username: 'nobody' } }), 'fine good pair proto')
  assert.equal(await found({ and: { constructor: 1 } }), 'proto')
  assert.equal(await found({ and: [{ toString: 'y' }] }), 'proto')
  assert.equal(await found({ and: JSON.parse('{"__proto__.x":1}') }), 'proto')
  assert.equal(await found({ and: { username: '👍' } }), 'pair')
})
