import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../../test/harness.ts'

const app = await startApp()
let msp: Awaited<ReturnType<typeof app.newProvider>>

before(async () => {
  msp = await app.newProvider(0)
  for (const [name, maxSystemUsers] of [
    ['Alpha', 5],
    ['beta', 10],
    ['Gamma:1', 20],
    ['100% _real', 30],
  ] as const) {
    const res = await msp.post(`/api/v2/providers/${msp.providerId}/organizations`, {
      name,
      maxSystemUsers,
    })
    assert.equal(res.statusCode, 201)
  }
})

const names = (res: { json(): { results: { displayName?: string; name?: string }[] } }) =>
  res.json().results.map((r) => r.displayName ?? r.name)

test('v1: every spelling and operator of filter', async () => {
  const cases: [string, string[]][] = [
    ['filter=displayName:$eq:Alpha', ['Alpha']],
    ['filter=displayName%3A%24eq%3AAlpha', ['Alpha']],
    ['filter=displayName:$eq:alpha', []],
    ['filter=displayName:$eq:Gamma:1', ['Gamma:1']],
    ['filter=displayName:$ne:Alpha&sort=maxSystemUsers', ['beta', 'Gamma:1', '100% _real']],
    ['filter=maxSystemUsers:$gt:10&sort=maxSystemUsers', ['Gamma:1', '100% _real']],
    ['filter=maxSystemUsers:$gte:10&sort=maxSystemUsers', ['beta', 'Gamma:1', '100% _real']],
    ['filter=maxSystemUsers:$lt:10', ['Alpha']],
    ['filter=maxSystemUsers:$lte:10&sort=-maxSystemUsers', ['beta', 'Alpha']],
    ['filter=maxSystemUsers:$gt:5&filter=maxSystemUsers:$lt:20', ['beta']],
    ['filter[0]=maxSystemUsers:$gt:5&filter[1]=maxSystemUsers:$lt:20', ['beta']],
    [
      'filter[or][0]=displayName:$eq:Alpha&filter[or][1]=displayName:$eq:beta&sort=maxSystemUsers',
      ['Alpha', 'beta'],
    ],
    ['filter%5Bor%5D%5B0%5D=displayName:$eq:Alpha', ['Alpha']],
    ['filter=settings.name:$eq:beta', ['beta']],
    ['filter=created:$gt:2020-01-01T00:00:00Z&limit=1&sort=maxSystemUsers', ['Alpha']],
  ]
  for (const [query, expected] of cases) {
    const res = await msp.get(`/api/organizations?${query}`)
    assert.equal(res.statusCode, 200, query)
    assert.deepEqual(names(res), expected, query)
  }
})

test('v1: totalCount counts all pages, also past the end; limit and skip', async () => {
  const page = await msp.get('/api/organizations?limit=2&skip=1&sort=maxSystemUsers')
  assert.deepEqual(Object.keys(page.json()), ['totalCount', 'results'])
  assert.equal(page.json().totalCount, 4)
  assert.deepEqual(names(page), ['beta', 'Gamma:1'])
  const past = await msp.get('/api/organizations?skip=100')
  const beyond = await msp.get('/api/organizations?skip=99999999999999999999')
  assert.equal(beyond.body, past.body)
  assert.deepEqual(past.json(), { totalCount: 4, results: [] })
})

test('v1: sort by several fields, descending, and case-insensitively', async () => {
  assert.deepEqual(names(await msp.get('/api/organizations?sort=-displayName')), [
    'beta',
    'Gamma:1',
    'Alpha',
    '100% _real',
  ])
  assert.deepEqual(names(await msp.get('/api/organizations?sortIgnoreCase=displayName')), [
    '100% _real',
    'Alpha',
    'beta',
    'Gamma:1',
  ])
  assert.equal((await msp.get('/api/organizations?sort=created%20-_id')).statusCode, 200)
})

test('v1: fields keeps the identifiers', async () => {
  const res = await msp.get('/api/organizations?fields=displayName&limit=1&sort=maxSystemUsers')
  const [record] = res.json().results
  assert.deepEqual(Object.keys(record).sort(), ['_id', 'displayName', 'id'])
})

test('v1: search finds substrings case-insensitively, and % and _ are literal', async () => {
  const search = (term: object) =>
    msp.get(`/api/organizations?search=${encodeURIComponent(JSON.stringify(term))}`)
  assert.deepEqual(names(await search({ searchTerm: 'ALPH', fields: ['displayName'] })), ['Alpha'])
  assert.deepEqual(names(await search({ searchTerm: '0% _', fields: ['displayName'] })), [
    '100% _real',
  ])
  assert.deepEqual(names(await search({ searchTerm: '%', fields: ['displayName'] })), [
    '100% _real',
  ])
  assert.equal((await msp.get('/api/organizations?search={bad')).statusCode, 400)
})

test('v2: operators, wildcards, comma lists and the v1 spelling that clients send by mistake', async () => {
  const url = `/api/v2/providers/${msp.providerId}/organizations`
  const cases: [string, string[]][] = [
    ['filter=name:eq:Alpha', ['Alpha']],
    ['filter=name:$eq:Alpha', ['Alpha']],
    ['filter=name:eq:*amma*', ['Gamma:1']],
    ['filter=name:search:ALPHA', ['Alpha']],
    ['filter=maxSystemUsers:ge:10,maxSystemUsers:lt:30&sort=-maxSystemUsers', ['Gamma:1', 'beta']],
    ['filter=maxSystemUsers:between:6|20&sort=maxSystemUsers', ['beta', 'Gamma:1']],
    ['filter=maxSystemUsers:in:5|30&sort=maxSystemUsers', ['Alpha', '100% _real']],
    ['filter=name:ne:A*&sort=maxSystemUsers', ['beta', 'Gamma:1', '100% _real']],
    ['filter=maxSystemUsers:le:5', ['Alpha']],
    ['filter=maxSystemUsers:gt:20', ['100% _real']],
    ['search=alph', ['Alpha']],
    ['sort=-maxSystemUsers,name&limit=1', ['100% _real']],
  ]
  for (const [query, expected] of cases) {
    const res = await msp.get(`${url}?${query}`)
    assert.equal(res.statusCode, 200, query)
    assert.deepEqual(names(res), expected, query)
  }
  const page = await msp.get(`${url}?limit=1&skip=50&fields=name`)
  assert.equal(page.headers['x-total-count'], '4')
  assert.deepEqual(page.json().results, [])
})

test('an unknown field or operator, or a value of the wrong kind, is 400 and named', async () => {
  const cases: [string, RegExp, string][] = [
    ['/api/organizations?filter=nope:$eq:1', /"nope"/, 'unknown_field'],
    ['/api/organizations?filter=displayName:$like:1', /"\$like"/, 'unknown_operator'],
    ['/api/organizations?filter=displayName:eq:1', /"eq"/, 'unknown_operator'],
    ['/api/organizations?filter=displayName', /field:operator:value/, 'bad_filter'],
    ['/api/organizations?filter=maxSystemUsers:$gt:many', /maxSystemUsers/, 'bad_filter_value'],
    ['/api/organizations?filter=created:$gt:yesterday', /created/, 'bad_filter_value'],
    ['/api/organizations?limit=-1', /limit/, 'validation'],
    ['/api/organizations?limit=many', /limit/, 'validation'],
    ['/api/organizations?filter=constructor:$eq:1', /"constructor"/, 'unknown_field'],
    [
      `/api/v2/providers/${msp.providerId}/organizations?filter=name:near:x`,
      /"near"/,
      'unknown_operator',
    ],
    [
      `/api/v2/providers/${msp.providerId}/organizations?filter=maxSystemUsers:between:1`,
      /between/,
      'bad_filter_value',
    ],
  ]
  for (const [url, message, reason] of cases) {
    const res = await msp.get(url)
    assert.equal(res.statusCode, 400, url)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
})

test('search endpoint: and, or, lists, text, operators and regular expressions', async () => {
  const cases: [object, string[]][] = [
    [{ filter: { and: [{ displayName: 'Alpha' }] } }, ['Alpha']],
    [
      {
        filter: { or: [{ displayName: 'Alpha' }, { displayName: 'beta' }] },
        sort: 'maxSystemUsers',
      },
      ['Alpha', 'beta'],
    ],
    [{ filter: [{ maxSystemUsers: { $gt: 5 } }, { maxSystemUsers: { $lt: 20 } }] }, ['beta']],
    [{ filter: { maxSystemUsers: { $gt: 5, $lt: 20 } } }, ['beta']],
    [{ filter: 'displayName:$eq:Alpha' }, ['Alpha']],
    [{ filter: { and: [{ displayName: { $regex: '(?i)^ALPHA$' } }] } }, ['Alpha']],
    [
      { filter: { displayName: { $in: ['Alpha', 'beta'] } }, sort: '-maxSystemUsers' },
      ['beta', 'Alpha'],
    ],
    [{ filter: { and: [{ or: [{ displayName: 'Alpha' }] }, { maxSystemUsers: 5 }] } }, ['Alpha']],
    [
      {
        searchFilter: { searchTerm: ['ALPHA', 'eta'], fields: ['displayName'] },
        sort: 'maxSystemUsers',
      },
      ['Alpha', 'beta'],
    ],
    [{ search: { fields: ['settings.name'], searchTerm: 'gamma' } }, ['Gamma:1']],
    [{ limit: 1, skip: 1, sort: 'maxSystemUsers', fields: ['displayName'] }, ['beta']],
    [{ limit: 0, sort: 'maxSystemUsers' }, ['Alpha', 'beta', 'Gamma:1', '100% _real']],
  ]
  for (const [body, expected] of cases) {
    const res = await msp.post('/api/search/organizations?limit=10&skip=0', body)
    assert.equal(res.statusCode, 200, JSON.stringify(body))
    assert.deepEqual(names(res), expected, JSON.stringify(body))
  }
  for (const body of [
    { filter: { nope: 1 } },
    { filter: { displayName: { $near: 1 } } },
    { filter: { and: 'x' } },
    { filter: { displayName: { $regex: '(' } } },
    { filter: 7 },
  ]) {
    assert.equal(
      (await msp.post('/api/search/organizations', body)).statusCode,
      400,
      JSON.stringify(body),
    )
  }
})
