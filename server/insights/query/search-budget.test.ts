import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { DEFAULT_LIMITS } from '../../platform/limits.ts'
import { SERVICES } from '../services.ts'
import { readSearchTerm } from './search-term.ts'
import type { Term } from './search-tree.ts'

const app = await startApp()
const max = DEFAULT_LIMITS.events
const EVENTS = '/insights/directory/v1/events'
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const each = (operator: string, count: number) => ({
  or: times(count, (at) => ({ field: `resource.x${at}`, operator, value: `value ${at}` })),
})
const leavesOf = (term: Term): number =>
  term.type === 'leaf'
    ? 1
    : term.type === 'not'
      ? leavesOf(term.term)
      : term.terms.map(leavesOf).reduce((a, b) => a + b, 0)

/** Every route that takes a search term. */
async function everywhere(
  org: { post: (url: string, body: object) => Promise<unknown> },
  term: object,
) {
  const body = {
    service: ['all'],
    start_time: new Date(Date.now() - 60_000).toISOString(),
    search_term: term,
    field: 'event_type',
    interval_unit: 'h',
  }
  const urls = ['', '/count', '/distinct', '/interval', '/export'].map((end) => EVENTS + end)
  const answers = []
  for (const url of urls)
    answers.push((await org.post(url, body)) as { statusCode: number; body: string })
  return answers
}

test('a search over the budget is 400 before anything runs, and names the budget', async () => {
  const org = await app.newOrganization()
  for (const answer of await everywhere(org, each('contains', 3000))) {
    assert.equal(answer.statusCode, 400)
    assert.equal(JSON.parse(answer.body).reason, 'search_too_costly')
    assert.match(JSON.parse(answer.body).message, /60000 units, over the limit of 10000/)
  }
})

test('ordinary and long searches pass', async () => {
  const org = await app.newOrganization()
  const addresses = times(10_000, (at) => `10.0.${at >> 8}.${at & 255}`)
  for (const term of [
    each('contains', 100),
    each('eq', 10_000),
    { and: [{ client_ip: addresses }] },
  ]) {
    for (const answer of await everywhere(org, term))
      assert.equal(answer.statusCode, 200, answer.body)
  }
})

const refusals: [string, object, RegExp][] = [
  ['text searches', each('startsWith', 501), /10020 units/],
  ['terms', each('eq', max.terms + 1), /at most 10000 terms/],
  ['empty groups', { and: times(max.terms, () => ({ and: [] })) }, /at most 10000 groups/],
  ['values', { and: [{ id: times(max.values + 1, String) }] }, /50001 values .* 50000/],
  ['a long value', { and: [{ id: 'x'.repeat(max.valueLength + 1) }] }, /longer than 32768/],
  ['a long name', { and: [{ ['x'.repeat(257)]: 1 }] }, /at most 256 characters/],
  [
    'levels',
    times(max.depth, () => 0).reduce<object>((inner) => ({ and: [inner] }), {
      and: [{ id: 1 }],
    }),
    /32 levels/,
  ],
  ['an object', { and: [{ id: [{ toString: 1 }] }] }, /must be a string, number, boolean/],
  [
    'an operator',
    { and: [{ field: 'id', operator: { toString: 1 }, value: 1 }] },
    /unknown operator/,
  ],
]
for (const [what, term, message] of refusals) {
  test(`too much is rejected: ${what}`, () => {
    assert.throws(() => readSearchTerm(term, SERVICES, max), { kind: 'invalid', message })
  })
}

test('duplicate values and terms count once', () => {
  const values = times(60_000, (at) => (at % 3 === 0 ? 'A' : 'a'))
  const [leaf] = [readSearchTerm({ and: [{ id: values }] }, SERVICES, max)!]
  assert.deepEqual(leaf.type === 'leaf' && leaf.values, ['a'])

  const same = { and: [{ field: 'message', operator: 'contains', value: 'x' }] }
  const term = readSearchTerm(
    { or: [...times(3000, () => same), { and: [{ id: 'y' }] }] },
    SERVICES,
    max,
  )!
  assert.equal(leavesOf(term), 2)
})

test('a field that the chosen services lack takes its kind from the whole schema', async () => {
  const org = await app.newOrganization()
  const body = (service: string, term: object) => ({
    service: [service],
    start_time: new Date(Date.now() - 60_000).toISOString(),
    search_term: { and: [term] },
  })
  const term = { field: 'number_of_results', operator: 'lte', value: '5' }
  for (const service of ['radius', 'ldap', 'genai', 'all'])
    assert.equal((await org.post(EVENTS, body(service, term))).statusCode, 200, service)
  const bad = await org.post(EVENTS, body('radius', { ...term, value: 'five' }))
  assert.deepEqual([bad.statusCode, bad.json().reason], [400, 'bad_value'])
  const before = { field: 'event_type', operator: 'before', value: '2026-01-01T00:00:00Z' }
  assert.equal((await org.post(EVENTS, body('radius', before))).statusCode, 400)
})

test('other lists are limited, too', async () => {
  const org = await app.newOrganization()
  const ask = (members: object) =>
    org.post(EVENTS, { service: ['all'], start_time: '2026-01-01T00:00:00Z', ...members })
  const cases: [object, RegExp, string][] = [
    [{ service: times(101, () => 'sso') }, /at most 100 names/, 'too_many_services'],
    [{ fields: times(501, (at) => `resource.x${at}`) }, /at most 500 names/, 'too_many_fields'],
    [{ fields: ['resource.'.repeat(100)] }, /at most 256 characters/, 'bad_fields'],
    [{ service: [{ toString: 1 }] }, /unknown service \{"toString":1\}/, 'unknown_service'],
    [{ service: ['x'.repeat(10_000)] }, /unknown service "x{99}…;/, 'unknown_service'],
    [{ search_after: [{ toString: 1 }, { toString: 1 }] }, /search_after/, 'bad_search_after'],
  ]
  for (const [members, message, reason] of cases) {
    const res = await ask(members)
    assert.equal(res.statusCode, 400, res.body)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  assert.equal(
    (await ask({ fields: times(600, () => 'id') })).statusCode,
    200,
    'duplicates count once',
  )
})

test('objects in place of strings and numbers do not cause a 500', async () => {
  const org = await app.newOrganization()
  const object = { toString: 1, valueOf: 1 }
  const body = { service: ['all'], start_time: '2026-01-01T00:00:00Z', field: 'id' }
  for (const raw of [object, [object], null, true, []]) {
    for (const name of [
      'limit',
      'sort',
      'skip',
      'field',
      'interval_unit',
      'interval_value',
      'timezone',
      'format',
      'service',
      'start_time',
      'end_time',
      'fields',
      'search_term',
      'search_after',
    ]) {
      for (const end of ['', '/count', '/distinct', '/interval', '/export']) {
        const members = { ...body, interval_unit: 'd', [name]: raw }
        const res = await org.post(EVENTS + end, members)
        assert.ok(res.statusCode < 500, `${end} ${name} ${JSON.stringify(raw)}: ${res.body}`)
      }
    }
    const search = { name: 'x', query: { service: ['all'], range: 'P1D', sort: raw } }
    const saved = await org.post('/insights/directory/v1/saved-searches', search)
    assert.ok(saved.statusCode < 500, saved.body)
  }
})
