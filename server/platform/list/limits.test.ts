import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../../test/harness.ts'

const app = await startApp()
let org: Awaited<ReturnType<typeof app.newOrganization>>

before(async () => {
  org = await app.newOrganization()
  for (const username of ['ada', 'grace', 'edsger']) {
    const res = await org.post('/api/systemusers', { username, email: `${username}@example.com` })
    assert.equal(res.statusCode, 200, res.body)
  }
})

const USERS = '/api/search/systemusers'
const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const found = (res: { json(): { results: { username: string }[] } }) =>
  res.json().results.map(({ username }) => username)
const fieldNames = (count: number) => many(count, (at) => `attributes.field${at}`)

const tooMuch: [name: string, body: object, message: RegExp, reason: string][] = [
  [
    'terms and fields by the thousand',
    { searchFilter: { searchTerm: many(3000, String), fields: fieldNames(3000) } },
    /^search: .*at most 50 terms/,
    'too_many_values',
  ],
  [
    'fields to search',
    { searchFilter: { searchTerm: 'a', fields: fieldNames(51) } },
    /50 fields/,
    'too_many_values',
  ],
  [
    'terms times fields',
    { searchFilter: { searchTerm: many(30, String), fields: fieldNames(30) } },
    /^search: .*at most 500 terms times fields/,
    'too_many_values',
  ],
  [
    'characters of a term',
    { searchFilter: { searchTerm: 'x'.repeat(1025), fields: ['username'] } },
    /^search: .*1024 characters/,
    'value_too_long',
  ],
  [
    'comparisons',
    { filter: { or: many(201, (at) => ({ username: `u${at}` })) } },
    /^filter: .*at most 200 comparisons/,
    'too_many_values',
  ],
  [
    'comparisons of one field',
    { filter: { and: many(101, (at) => ({ username: { $gt: `${at}`, $lt: 'z' } })) } },
    /200 comparisons/,
    'too_many_values',
  ],
  [
    'comparisons as text',
    { filter: many(201, () => 'username:$eq:ada') },
    /200 comparisons/,
    'too_many_values',
  ],
  [
    'empty filters',
    { filter: { and: many(100_000, () => ({})) } },
    /200 comparisons/,
    'too_many_values',
  ],
  [
    'levels',
    { filter: JSON.parse(`${'{"and":['.repeat(20)}"username:$eq:ada"${']}'.repeat(20)}`) },
    /^filter: .*16 levels/,
    'filter_too_deep',
  ],
  [
    'values',
    { filter: { username: { $in: many(10_001, (at) => `u${at}`) } } },
    /^filter: .*at most 10000 distinct values for username/,
    'too_many_values',
  ],
  [
    'characters',
    { filter: { username: 'x'.repeat(2000) } },
    /^filter: username: .*1024/,
    'value_too_long',
  ],
  [
    'characters of a name',
    { filter: { [`attributes.${'x'.repeat(2000)}`]: 1 } },
    /1024/,
    'value_too_long',
  ],
  ['orders', { sort: fieldNames(11) }, /^sort: .*at most 10 fields/, 'too_many_values'],
  [
    'fields',
    { fields: many(201, (at) => `f${at}`).join(' ') },
    /^fields: .*at most 200 names/,
    'too_many_values',
  ],
]
for (const [name, body, message, reason] of tooMuch)
  test(`too many ${name}: 400 names the limit`, async () => {
    const res = await org.post(USERS, body)
    assert.equal(res.statusCode, 400, res.body)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  })

test('requests at the limit work, and duplicates count once', async () => {
  const same = many(3000, () => 'ADA')
  const cases: [object, string[]][] = [
    [{ searchFilter: { searchTerm: same, fields: many(3000, () => 'username') } }, ['ada']],
    [
      { searchFilter: { searchTerm: [...many(48, (at) => `no${at}`), 'ADA', 'GrAc'] } },
      ['ada', 'grace'],
    ],
    [
      {
        searchFilter: {
          searchTerm: [...many(48, (at) => `no${at}`), 'ADA', 'GrAc'],
          fields: ['username', 'email', 'firstname', ...fieldNames(7)],
        },
        sort: many(3000, () => 'username'),
      },
      ['ada', 'grace'],
    ],
    [{ filter: { username: { $in: [...many(9999, (at) => `u${at}`), 'ada'] } } }, ['ada']],
    [
      { filter: { or: [...many(199, (at) => ({ username: `u${at}` })), { username: 'ada' }] } },
      ['ada'],
    ],
    [
      { fields: [...many(199, (at) => `f${at}`), 'username'], filter: { username: 'ada' } },
      ['ada'],
    ],
  ]
  for (const [body, expected] of cases) {
    const res = await org.post(USERS, body)
    assert.equal(res.statusCode, 200, res.body)
    assert.deepEqual(found(res).sort(), expected, JSON.stringify(body).slice(0, 200))
  }
})

const odd: object = { toString: 1, valueOf: 1 }
const wrongShapes: [name: string, body: object][] = [
  ['fields', { fields: [odd] }],
  ['sort', { sort: odd }],
  ['a term', { searchFilter: { searchTerm: [odd] } }],
  ['a field to search', { searchFilter: { searchTerm: 'a', fields: [odd] } }],
  ['a value', { filter: { username: { $gt: odd } } }],
  ['a value of several', { filter: { username: { $in: [odd] } } }],
  ['values', { filter: { username: [odd] } }],
  ['a number', { filter: { unix_uid: odd } }],
  ['a date', { filter: { created: [odd] } }],
  ['a pattern', { filter: { username: { $regex: odd } } }],
  ['a date that is written otherwise', { filter: { created: { $gt: '+275760-09-12T00:00:00Z' } } }],
  ['a date before years were counted', { filter: { created: { $gt: -1e14 } } }],
  ['the name of an operator', { filter: { username: { constructor: 'x' } } }],
  ['the name of a field', { filter: { constructor: 'x' } }],
]
for (const [name, body] of wrongShapes)
  test(`an object that only looks like ${name} is 400`, async () => {
    const res = await org.post(USERS, body)
    assert.equal(res.statusCode, 400, res.body)
  })

test('v2: names inherited from Object are not operators', async () => {
  for (const operator of ['constructor', 'toString', '__proto__', 'hasOwnProperty', '$valueOf']) {
    const res = await org.get(`/api/v2/usergroups?filter=name:${operator}:x`)
    assert.equal(res.statusCode, 400, operator)
    assert.match(res.json().message, /unknown operator/)
    assert.equal(res.json().reason, 'unknown_operator')
  }
})

test('v2: too many filters, values and wildcards are 400', async () => {
  const cases: [string, RegExp, string][] = [
    [
      `filter=${many(201, (at) => `name:eq:${at}`).join(',')}`,
      /^filter: .*200 comparisons/,
      'too_many_values',
    ],
    [`filter=name:eq:${'*a'.repeat(11)}`, /^filter: .*10 wildcards/, 'too_many_values'],
    [`filter=name:search:${'a'.repeat(1025)}`, /^filter: name: .*1024/, 'value_too_long'],
    [`sort=${fieldNames(11).join(',')}`, /^sort: .*10 fields/, 'too_many_values'],
    [`fields=${many(201, (at) => `f${at}`).join(',')}`, /^fields: .*200 names/, 'too_many_values'],
  ]
  for (const [query, message, reason] of cases) {
    const res = await org.get(`/api/v2/usergroups?${query}`)
    assert.equal(res.statusCode, 400, query)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
})

test('pages past the end are empty', async () => {
  const beyond = '99999999999999999999999999'
  for (const path of [
    '/api/systemusers',
    '/api/v2/usergroups',
    '/api/v2/bulk/userstates',
    '/api/commands',
  ]) {
    const res = await org.get(`${path}?skip=${beyond}&limit=${beyond}`)
    assert.equal(res.statusCode, 200, `${path}: ${res.body}`)
  }
  const body = { skip: 1e30, limit: 1e30 }
  const res = await org.post(USERS, body)
  assert.equal(res.statusCode, 200, res.body)
  assert.deepEqual(res.json(), { totalCount: 3, results: [] })
})
