import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol, newKeyPair, signedCaller } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { evaluateAllGroupsJob } from './index.ts'

const app = await startApp()
type Organization = Awaited<ReturnType<typeof app.newOrganization>>

let people = 0
async function addUser(org: Organization, body: object) {
  const name = `person${++people}`
  const res = await org.post('/api/systemusers', {
    username: name,
    email: `${name}@example.com`,
    ...body,
  })
  assert.equal(res.statusCode, 200, res.body)
  return res.json()._id as string
}

async function addGroup(org: Organization, body: object, headers: Record<string, string> = {}) {
  const res = await org.post('/api/v2/usergroups', { name: 'Sales', ...body }, headers)
  assert.equal(res.statusCode, 201, res.body)
  return res.json().id as string
}

const rule = (field: string, operator: unknown, value: unknown) => ({
  queryType: 'FilterQuery',
  filters: [{ field, operator, value }],
})
const automated = { membershipMethod: 'DYNAMIC_AUTOMATED' }
const reviewed = { membershipMethod: 'DYNAMIC_REVIEW_REQUIRED' }
const inSales = rule('department', 'eq', 'Sales')

const members = async (org: Organization, id: string) =>
  (await org.get(`/api/v2/usergroups/${id}/members?limit=100`))
    .json()
    .map((c: { to: { id: string } }) => c.to.id)
    .sort()

test('an automated group applies its rule when it is created and when users change', async () => {
  const org = await app.newOrganization()
  const ann = await addUser(org, { department: 'Sales' })
  const ben = await addUser(org, { department: 'Support' })
  const id = await addGroup(org, { ...automated, memberQuery: inSales })
  await app.runDueJobs()
  assert.deepEqual(await members(org, id), [ann])

  const eve = await addUser(org, { department: 'Sales' })
  assert.deepEqual(await members(org, id), [ann, eve].sort())
  await org.put(`/api/systemusers/${ben}`, { department: 'Sales' })
  await org.put(`/api/systemusers/${ann}`, { department: 'Support' })
  assert.deepEqual(await members(org, id), [ben, eve].sort())
  await org.delete(`/api/systemusers/${eve}`)
  assert.deepEqual(await members(org, id), [ben])

  const told = (await org.events()).filter((e) => e.event_type === 'association_change')
  assert.equal(told.length, 4)
  assert.ok(
    told.every((e) => (e.association as { action_source: string }).action_source === 'automatic'),
  )
  // A new rule changes the members.
  const put = { name: 'Sales', ...automated, memberQuery: rule('department', 'ne', 'Sales') }
  assert.equal((await org.put(`/api/v2/usergroups/${id}`, put)).statusCode, 200)
  await app.runDueJobs()
  assert.deepEqual(await members(org, id), [ann])
})

test('only exempt members of an automated group can be changed manually', async () => {
  const org = await app.newOrganization()
  const ann = await addUser(org, { department: 'Sales' })
  const ben = await addUser(org, { department: 'Support' })
  const eve = await addUser(org, { department: 'Support' })
  // Published clients send the type in upper case.
  const exemptions = [{ type: 'USER', id: ben }]
  const id = await addGroup(org, {
    ...automated,
    memberQuery: inSales,
    memberQueryExemptions: exemptions,
  })
  await app.runDueJobs()
  const record = (await org.get(`/api/v2/usergroups/${id}`)).json()
  assert.deepEqual(record.memberQueryExemptions, [
    { id: ben, type: 'user', attributes: null, organizationId: org.organizationId },
  ])
  const change = (op: string, who: string) =>
    org.post(`/api/v2/usergroups/${id}/members`, { op, type: 'user', id: who })
  assert.equal((await change('add', eve)).statusCode, 204)
  assert.equal((await change('remove', ann)).statusCode, 204)
  assert.deepEqual(await members(org, id), [ann])
  assert.equal((await change('add', ben)).statusCode, 204)
  await org.put(`/api/systemusers/${ben}`, { firstname: 'Ben' })
  assert.deepEqual(await members(org, id), [ann, ben].sort())

  // A client can send the record back even after the exempt user is deleted.
  await org.delete(`/api/systemusers/${ben}`)
  const { name, membershipMethod, memberQuery, memberQueryExemptions } = record
  const put = { name, membershipMethod, memberQuery, memberQueryExemptions, description: 'x' }
  assert.equal((await org.put(`/api/v2/usergroups/${id}`, put)).statusCode, 200)
})

test('a group under review suggests changes and applies the chosen ones', async () => {
  const org = await app.newOrganization()
  const ann = await addUser(org, { department: 'Sales' })
  const ben = await addUser(org, { department: 'Support' })
  const id = await addGroup(org, { name: 'Review', ...reviewed, memberQuery: inSales })
  const url = `/api/v2/usergroups/${id}`
  await org.post(`${url}/members`, { op: 'add', type: 'user', id: ben })
  await app.runDueJobs()
  assert.deepEqual(await members(org, id), [ben])
  const suggestions = async () =>
    Object.fromEntries(
      (await org.get(`${url}/suggestions`))
        .json()
        .map(({ op, object }: { op: string; object: { id: string } }) => [object.id, op]),
    )
  assert.deepEqual(await suggestions(), { [ann]: 'add', [ben]: 'remove' })
  assert.deepEqual((await org.get(url)).json().suggestionCounts, { add: 1, remove: 1, total: 2 })
  const filtered = await org.get('/api/v2/usergroups?filter=suggestionCounts.add:gt:0')
  assert.equal(filtered.headers['x-total-count'], '1')

  const eve = await addUser(org, { department: 'Sales' })
  assert.equal((await suggestions())[eve], 'add')
  await org.put(`/api/systemusers/${eve}`, { department: 'Support' })
  assert.equal((await suggestions())[eve], undefined)

  // A deleted user is no longer suggested.
  const tom = await addUser(org, { department: 'Sales' })
  await org.delete(`/api/systemusers/${tom}`)
  assert.equal((await suggestions())[tom], undefined)

  const chosen = await org.post(`${url}/suggestions`, { user_ids: [ann, eve] })
  assert.equal(chosen.statusCode, 200)
  assert.deepEqual(await members(org, id), [ann, ben].sort())
  assert.deepEqual(await suggestions(), { [ben]: 'remove' })
  assert.equal((await org.post(`${url}/suggestions`, {})).statusCode, 400)

  await org.put(url, { name: 'Review' })
  await app.runDueJobs()
  assert.deepEqual(await suggestions(), {})
  assert.deepEqual(await members(org, id), [ann, ben].sort())
})

test('a preview lists who would join and leave, and changes nothing', async () => {
  const org = await app.newOrganization()
  const ann = await addUser(org, { department: 'Sales' })
  const ben = await addUser(org, { department: 'Support' })
  const id = await addGroup(org, {})
  await org.post(`/api/v2/usergroups/${id}/members`, { op: 'add', type: 'user', id: ben })
  const preview = (body: object, path = `/${id}/preview`) =>
    org.post(`/api/v2/usergroups${path}`, body)
  const object = (who: string) => ({ id: who, type: 'user', attributes: null })
  assert.deepEqual((await preview({ memberQuery: inSales })).json(), {
    matching: { total: 1, objects: [object(ann)] },
    add: { total: 1, objects: [object(ann)] },
    remove: { total: 1, objects: [object(ben)] },
  })
  const exempt = { memberQuery: inSales, memberQueryExemptions: [{ type: 'user', id: ben }] }
  assert.equal((await preview(exempt)).json().remove.total, 0)
  const fresh = (await preview({ memberQuery: inSales }, '/preview')).json()
  assert.deepEqual([fresh.add.total, fresh.remove.total], [1, 0])
  assert.deepEqual(await members(org, id), [ben])
  const none = await preview({})
  assert.equal(none.statusCode, 400)
  assert.equal(none.json().reason, 'member_query_missing')
  const stranger = await app.newOrganization()
  const res = await stranger.post(`/api/v2/usergroups/${id}/preview`, { memberQuery: inSales })
  assert.deepEqual([res.statusCode, res.json().reason], [404, 'group_not_found'])
})

test('rules work in both forms, with every operator', async () => {
  const org = await app.newOrganization()
  const ann = await addUser(org, {
    department: 'Field Sales',
    company: 'Acme',
    costCenter: '7',
    employeeIdentifier: 'E-1',
    attributes: [{ name: 'team', value: 'red' }],
  })
  const ben = await addUser(org, { department: 'Support' })
  const newer = (operation: string, value: unknown, field = 'user.department') => ({
    filters: [{ field, operation, value }],
  })
  const cases: [object, string[]][] = [
    [newer('equals', 'Support'), [ben]],
    [newer('not_equals', 'Support'), [ann]],
    [newer('contains', 'sales'), [ann]],
    [newer('notContains', 'sales'), [ben]],
    [newer('starts_with', 'Field'), [ann]],
    [newer('endsWith', 'port'), [ben]],
    [newer('in', ['Support', 'Field Sales']), [ann, ben]],
    [newer('not_in', ['Support']), [ann]],
    [newer('equals', 'Acme', 'company'), [ann]],
    [
      {
        filters: [
          { field: 'user.company', operation: 'equals', value: 'Acme' },
          { field: 'user.department', operation: 'equals', value: 'Support' },
        ],
      },
      [],
    ],
    [rule('department', 'eq', 'Support'), [ben]],
    [rule('department', 'in', 'Support|Field Sales'), [ann, ben]],
    [rule('department', 'CO', 'sales'), [ann]],
    [rule('department', 'NCO', 'sales'), [ben]],
    [rule('created', 'between', ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z']), [ann, ben]],
    [rule('created', 'between', '2020-01-01T00:00:00Z|2020-01-02T00:00:00Z'), []],
    [rule('attributes.team', 'eq', 'red'), [ann]],
    [newer('notEquals', 'red', 'user.attributes.team'), [ben]],
    // Names and values as other clients send them.
    [rule('userState', 'eq', 'active'), [ann, ben]],
    [rule('userState', 'in', 'staged|suspended'), []],
    [newer('equals', 'ACTIVATED', 'user.user_state'), [ann, ben]],
    [newer('equals', 'Support', 'user.user_department'), [ben]],
    [newer('equals', '7', 'user.user_cost_center'), [ann]],
    [newer('equals', 'E-1', 'user.employee_id'), [ann]],
    [newer('equals', 'false', 'user.account_locked'), [ann, ben]],
    [rule('created', 'gt', '2020-01-01T00:00:00Z'), [ann, ben]],
    [{ queryType: 'Search', searchFilters: { searchTerm: 'acm', fields: ['company'] } }, [ann]],
  ]
  for (const [memberQuery, expected] of cases) {
    const res = await org.post(
      '/api/v2/usergroups/preview',
      { memberQuery },
      { 'x-query-dsl': 'v2' },
    )
    assert.equal(res.statusCode, 200, res.body)
    const found = res.json().add.objects.map(({ id }: { id: string }) => id)
    assert.deepEqual(found.sort(), [...expected].sort(), JSON.stringify(memberQuery))
  }
  const kept = newer('equals', 'Support')
  const made = await org.post(
    '/api/v2/usergroups',
    { name: 'Newer', ...automated, memberQuery: kept },
    { 'x-query-dsl': 'v2' },
  )
  assert.deepEqual(made.json().memberQuery, kept)
  const missing = await org.post('/api/v2/usergroups', { name: 'Older', memberQuery: kept })
  assert.equal(missing.statusCode, 400)
  assert.match(missing.json().message, /queryType/)
  assert.equal(missing.json().reason, 'bad_member_query')
  const bad = await org.post('/api/v2/usergroups/preview', {
    memberQuery: rule('created', 'between', ['2020-01-01T00:00:00Z']),
  })
  assert.equal(bad.statusCode, 400)
  assert.match(bad.json().message, /memberQuery\.filters\[0\]\.value/)
  // JSON can produce objects that cannot be converted to a string.
  const odd = { toString: 1, valueOf: 1 }
  const search = (searchFilters: object) => ({ queryType: 'Search', searchFilters })
  const oddities: [object, RegExp, string][] = [
    [rule('email', 'in', odd), /filters\[0\]\.value/, 'bad_value'],
    [rule('email', 'in', [odd]), /filters: email/, 'bad_member_query'],
    [rule('email', 'between', odd), /filters\[0\]\.value/, 'bad_value'],
    [rule('email', 'starts_with', odd), /filters\[0\]\.value/, 'bad_member_query'],
    [rule('email', 'constructor', 'x'), /filters\[0\]\.operator/, 'bad_member_query'],
    [rule('email', odd, 'x'), /filters\[0\]\.operator/, 'bad_member_query'],
    [rule('constructor', 'eq', 'x'), /filters: .*constructor/, 'bad_member_query'],
    [search({ searchTerm: odd }), /searchTerm/, 'bad_value'],
    [search({ searchTerm: ['a', [odd]] }), /searchTerm/, 'bad_value'],
    [search({ searchTerm: 'a', fields: [odd] }), /fields/, 'bad_value'],
  ]
  for (const [memberQuery, words, reason] of oddities) {
    const res = await org.post('/api/v2/usergroups/preview', { memberQuery })
    assert.equal(res.statusCode, 400, JSON.stringify(memberQuery))
    assert.match(res.json().message, words)
    assert.equal(res.json().reason, reason)
  }
})

test('rules about times are evaluated again every night', async () => {
  const org = await app.newOrganization()
  const ann = await addUser(org, { department: 'Sales' })
  const id = await addGroup(org, {
    ...automated,
    memberQuery: rule('created', 'lt', new Date(Date.now() - 3_600_000).toISOString()),
  })
  await app.runDueJobs()
  assert.deepEqual(await members(org, id), [])
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute("update users set created = created - interval '1 day'"),
  )
  await app.db.tx(null, (tx) => app.queue.send(tx, evaluateAllGroupsJob, {}))
  await app.runDueJobs()
  assert.deepEqual(await members(org, id), [ann])
})

test('systems join and leave a group by rule, and by their own signed requests', async () => {
  const org = await app.newOrganization()
  const { publicKey, privateKey } = newKeyPair()
  const group = async (body: object) =>
    (await org.post('/api/v2/systemgroups', body)).json().id as string
  const linux = await group({
    name: 'Linux',
    ...automated,
    memberQuery: rule('osFamily', 'eq', 'linux'),
  })
  const named = await group({
    name: 'Web',
    ...automated,
    memberQuery: rule('displayName', 'starts_with', 'web'),
  })
  const byHand = await group({ name: 'By hand' })
  const id = await enrol(app.http, org, publicKey)
  const groups = async () =>
    (await org.get(`/api/v2/systems/${id}/memberof`))
      .json()
      .map((found: { id: string }) => found.id)
      .sort()
  await org.put(`/api/systems/${id}`, { displayName: 'Printer' })
  assert.deepEqual(await groups(), [linux])
  await org.put(`/api/systems/${id}`, { displayName: 'web-7' })
  assert.deepEqual(await groups(), [linux, named].sort())

  const signed = signedCaller(app.http, id, privateKey)
  const add = { op: 'add', type: 'system', id }
  const joined = await signed('POST', `/api/v2/systemgroups/${byHand}/members`, add)
  assert.equal(joined.statusCode, 204, joined.body)
  assert.deepEqual(await groups(), [linux, named, byHand].sort())
  const own = await signed('GET', `/api/v2/systems/${id}/memberof`)
  assert.equal(own.headers['x-total-count'], '3')
})

test('a rule with too many conditions, or with objects in place of strings, is 400', async () => {
  const org = await app.newOrganization()
  const odd = { toString: 1 }
  const search = (searchTerm: unknown, fields: unknown = ['department']) => ({
    queryType: 'Search',
    searchFilters: { searchTerm, fields },
  })
  const conditions = Array.from({ length: 201 }, () => inSales.filters[0])
  const cases: [object, RegExp][] = [
    [{ queryType: 'Filter', filters: conditions }, /filters: there may be at most 200/],
    [
      rule(
        'department',
        'in',
        Array.from({ length: 10_001 }, (_, at) => `d${at}`),
      ),
      /10000/,
    ],
    [rule('department', 'starts_with', 'x'.repeat(1025)), /1024/],
    [rule('department', 'in', odd), /filters\[0\]\.value/],
    [rule('department', 'in', [odd]), /department/],
    [rule('department', 'between', odd), /filters\[0\]\.value/],
    [rule('constructor', 'eq', 'x'), /"constructor"/],
    [search([odd]), /searchTerm/],
    [search('x', [odd]), /fields/],
    [search(Array.from({ length: 51 }, (_, at) => `t${at}`)), /50 terms/],
  ]
  for (const [memberQuery, message] of cases)
    for (const [url, body] of [
      ['/api/v2/usergroups', { name: 'Sales', memberQuery }],
      ['/api/v2/usergroups/preview', { memberQuery }],
    ] as const) {
      const res = await org.post(url, body)
      assert.equal(res.statusCode, 400, JSON.stringify(memberQuery).slice(0, 200))
      assert.match(res.json().message, message)
    }
})
