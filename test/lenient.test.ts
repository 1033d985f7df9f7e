import assert from 'node:assert/strict'
import { test } from 'node:test'
import { narrowedKey } from './authorization.ts'
import { enrol, newKeyPair } from './enrol.ts'
import { startApp } from './harness.ts'
import { addUser, person } from './people.ts'

// Forms of requests that published clients send although no document mentions them. The clients were run unmodified.

const app = await startApp()
const { publicKey } = newKeyPair()

test('an empty Content-Type without a body counts as absent', async () => {
  const org = await app.newOrganization()
  const { id } = await addUser(org)
  for (const type of ['', ' ']) {
    const read = await org.get(`/api/systemusers/${id}`, { 'content-type': type })
    assert.equal(read.statusCode, 200, read.body)
  }
  const gone = await org.delete(`/api/systemusers/${id}`, undefined, { 'content-type': '' })
  assert.equal(gone.statusCode, 200, gone.body)
})

test('JSON without a Content-Type, or as a form, is told as such', async () => {
  const org = await app.newOrganization()
  const body = JSON.stringify(person())
  const missing = await org.post('/api/systemusers', body, { 'content-type': '' })
  assert.equal(missing.statusCode, 415)
  assert.equal(missing.json().reason, 'unsupported_media_type')
  assert.match(missing.json().message, /no Content-Type; send Content-Type: application\/json/)
  const form = await org.post('/api/systemusers', body, {
    'content-type': 'application/x-www-form-urlencoded',
  })
  assert.equal(form.statusCode, 415)
  assert.match(form.json().message, /x-www-form-urlencoded.*send Content-Type: application\/json/)
})

test('double slashes in a path are one', async () => {
  const org = await app.newOrganization()
  const { id } = await addUser(org)
  for (const path of [`//api//systemusers/${id}`, `/api/systemusers//${id}?fields=username`])
    assert.equal((await org.get(path)).statusCode, 200, path)
  const filtered = await org.get('/api//systemusers?filter=username:$eq:a//b')
  assert.equal(filtered.json().totalCount, 0, 'the query is left alone')
})

test('numbers as text, and a record where the id of a manager is meant', async () => {
  const org = await app.newOrganization()
  const boss = await addUser(org)
  const made = await org.post(
    '/api/systemusers',
    person({ unix_uid: '72244', unix_guid: '72245', manager: { _id: boss.id } }),
  )
  assert.equal(made.statusCode, 200, made.body)
  const { id, unix_uid, unix_guid, manager } = made.json()
  assert.deepEqual([unix_uid, unix_guid, manager], [72244, 72245, boss.id])
  const other = await addUser(org)
  const changed = await org.put(`/api/systemusers/${id}`, {
    unix_uid: '72250',
    manager: { id: other.id, username: 'x' },
  })
  assert.deepEqual([changed.json().unix_uid, changed.json().manager], [72250, other.id])
  const none = await org.put(`/api/systemusers/${id}`, { unix_uid: '', manager: {} })
  assert.equal(none.statusCode, 400, none.body)
  for (const body of [{ unix_uid: 'many' }, { unix_uid: '0' }, { unix_uid: '99999999999' }])
    assert.equal((await org.put(`/api/systemusers/${id}`, body)).statusCode, 400)
})

test('an unknown field of a v1 sort is ignored', async () => {
  const org = await app.newOrganization()
  await addUser(org, { username: 'b' })
  await addUser(org, { username: 'a' })
  for (const sort of ['nonsense', '-nonsense%20username', 'username%20nonsense']) {
    const res = await org.get(`/api/systemusers?sort=${sort}`)
    assert.equal(res.statusCode, 200, res.body)
  }
  const sorted = await org.get('/api/systemusers?sort=nonsense%20username')
  assert.deepEqual(
    sorted.json().results.map(({ username }: { username: string }) => username),
    ['a', 'b'],
  )
  assert.equal((await org.get('/api/v2/usergroups?sort=nonsense')).statusCode, 400)
})

test('a rule of a group as stringified JSON, and under the name filter', async () => {
  const org = await app.newOrganization()
  await addUser(org, { department: 'Sales' })
  const filters = [{ field: 'department', operator: 'eq', value: 'Sales' }]
  const searchFilters = { searchTerm: 'Sal', fields: ['department'] }
  for (const memberQuery of [
    { queryType: 'FilterQuery', filters: JSON.stringify(filters) },
    { queryType: 'FilterQuery', filters: filters.map((filter) => JSON.stringify(filter)) },
    { queryType: 'FilterQuery', filter: filters },
    { queryType: 'FilterQuery', filter: JSON.stringify(filters) },
    { queryType: 'Search', searchFilters: JSON.stringify(searchFilters) },
  ]) {
    const made = await org.post('/api/v2/usergroups', {
      name: person().username,
      membershipMethod: 'DYNAMIC_AUTOMATED',
      memberQuery,
    })
    assert.equal(made.statusCode, 201, made.body)
    const stored = made.json().memberQuery
    if ('searchFilters' in memberQuery) assert.deepEqual(stored.searchFilters, searchFilters)
    else assert.deepEqual(stored, { queryType: 'FilterQuery', filters })
    const preview = await org.post('/api/v2/usergroups/preview', { memberQuery })
    assert.ok([200, 404].includes(preview.statusCode), preview.body)
  }
  const bad = await org.post('/api/v2/usergroups', {
    name: person().username,
    memberQuery: { queryType: 'FilterQuery', filters: '[{' },
  })
  assert.equal(bad.statusCode, 400)
  assert.equal(bad.json().reason, 'bad_member_query')
})

test('a command runs as root or as a user by name', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const command = { name: 'List', command: 'ls' }
  const asRoot = await org.post('/api/commands', { ...command, user: 'root' })
  assert.equal(asRoot.statusCode, 200, asRoot.body)
  assert.equal(asRoot.json().user, '0'.repeat(24))
  const named = await org.post('/api/commands', { ...command, user: user.username.toUpperCase() })
  assert.equal(named.json().user, user.id, named.body)
  const put = await org.put(`/api/commands/${named.json().id}`, { ...command, user: 'root' })
  assert.equal(put.json().user, '0'.repeat(24))
  const nobody = await org.post('/api/commands', { ...command, user: 'nobody-of-that-name' })
  assert.equal(nobody.json().reason, 'user_not_found')
})

test('runCommand needs a system, named or bound', async () => {
  const org = await app.newOrganization()
  const { id: _id } = (await org.post('/api/commands', { name: 'List', command: 'ls' })).json()
  for (const body of [{ _id }, { _id, systemIds: [] }, { _id, systems: [], systemGroups: [] }]) {
    const res = await org.post('/api/runCommand', body)
    assert.equal(res.statusCode, 400, res.body)
    assert.equal(res.json().reason, 'no_systems')
  }
  assert.ok(!(await org.eventTypes()).includes('command_run'))
  const id = await enrol(app.http, org, publicKey)
  await org.post(`/api/v2/commands/${_id}/associations`, { op: 'add', type: 'system', id })
  assert.equal((await org.post('/api/runCommand', { _id })).json().queueIds.length, 1)
})

test('a key without a scope for organizations may read the id and name of its own', async () => {
  const org = await app.newOrganization()
  const headers = await narrowedKey(app, { id: org.adminId, post: org.post }, ['commands.readonly'])
  const limited = app.as(headers['x-api-key'] as string)
  const one = await limited.get(`/api/organizations/${org.organizationId}`)
  assert.equal(one.statusCode, 200, one.body)
  assert.deepEqual(Object.keys(one.json()).sort(), ['_id', 'displayName', 'id'])
  const list = await limited.get('/api/organizations')
  assert.equal(list.statusCode, 200, list.body)
  assert.deepEqual(list.json(), { totalCount: 1, results: [one.json()] })
  const other = await app.newOrganization()
  assert.equal((await limited.get(`/api/organizations/${other.organizationId}`)).statusCode, 404)
  const put = await limited.put(`/api/organizations/${org.organizationId}`, { settings: {} })
  assert.equal(put.statusCode, 403)
  const filtered = await limited.get('/api/organizations?filter=displayName:$eq:x')
  assert.equal(filtered.json().totalCount, 0)
})

test('a bad row of a bulk request is the result of that row', async () => {
  const org = await app.newOrganization()
  const rows = [
    person(),
    { username: 'without-email' },
    person({ sudo: 'maybe', password: 'Tangled-Orchard-58' }),
    null,
    person({ unix_uid: '72300' }),
  ]
  app.secrets.add('Tangled-Orchard-58')
  const res = await org.post('/api/v2/bulk/users', rows)
  assert.equal(res.statusCode, 201, res.body)
  await app.runDueJobs()
  const results = (await org.get(`/api/v2/bulk/users/${res.json().jobId}/results`)).json()
  assert.deepEqual(
    results.map(({ meta }: { meta: { success: boolean } }) => meta.success),
    [true, false, false, false, true],
  )
  assert.match(results[1].statusMsg, /^email: /)
  assert.match(results[2].statusMsg, /^sudo: /)
  assert.equal(results[2].persistedFields.password, undefined)
  assert.equal((await org.get('/api/systemusers')).json().totalCount, 2)
  for (const body of [[], {}])
    assert.equal((await org.post('/api/v2/bulk/users', body)).statusCode, 400)
})

test('a field may stand twice in one list of a search in operator form', async () => {
  const org = await app.newOrganization()
  const ask = (search_term: object) =>
    org.post('/insights/directory/v1/events', {
      service: ['directory'],
      start_time: '2020-01-01T00:00:00Z',
      search_term,
    })
  const range = await ask({
    and: [
      { field: 'timestamp', operator: 'after', value: '2020-01-01T00:00:00Z' },
      { field: 'timestamp', operator: 'before', value: '2030-01-01T00:00:00Z' },
    ],
  })
  assert.equal(range.statusCode, 200, range.body)
  const original = await ask({ and: [{ event_type: 'a' }, { event_type: 'b' }] })
  assert.equal(original.statusCode, 400)
  assert.equal(original.json().reason, 'repeated_field')
  const mixed = await ask({
    and: [{ event_type: 'a' }, { field: 'event_type', operator: 'ne', value: 'b' }],
  })
  assert.equal(mixed.statusCode, 200, mixed.body)
})
