import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { bodyOf, readDuration } from './saved-search.ts'

const app = await startApp()
const PATH = '/insights/directory/v1/saved-searches'
const query = {
  service: ['directory', 'sso'],
  search_term: { and: [{ success: false }] },
  range: 'PT24H',
}
const failures = { name: 'Failures', query }

test('a search is saved, read, listed, replaced and deleted, with events', async () => {
  const org = await app.newOrganization()
  const full = {
    ...failures,
    description: 'What went wrong',
    shared: true,
    columns: ['timestamp', 'event_type'],
  }
  const made = await org.post(PATH, full)
  assert.equal(made.statusCode, 201)
  const { id, created, updated, owner, ...rest } = made.json()
  assert.deepEqual(rest, full)
  assert.equal(owner, org.adminId)
  assert.equal(created, updated)
  const one = `${PATH}/${id}`
  assert.deepEqual((await org.get(one)).json(), made.json())
  assert.deepEqual((await org.get(PATH)).json(), { results: [made.json()], totalCount: 1 })

  const changed = await org.put(one, { name: 'Failures', query: { ...query, range: 'P7D' } })
  assert.equal(changed.statusCode, 200)
  assert.deepEqual(
    [changed.json().shared, changed.json().description, changed.json().columns],
    [false, '', []],
  )
  assert.equal(changed.json().query.range, 'P7D')
  assert.equal((await org.put(one, changed.json())).statusCode, 200, 'as it was read')
  const gone = await org.delete(one)
  assert.deepEqual([gone.statusCode, gone.body], [204, ''])
  assert.equal((await org.get(one)).statusCode, 404)
  assert.equal((await org.delete(one)).statusCode, 404)
  assert.equal((await org.put(one, failures)).statusCode, 404)

  const events = (await org.events()) as unknown as {
    event_type: string
    resource: object
    changes: { field: string; from?: unknown; to?: unknown }[]
  }[]
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['saved_search_create', 'saved_search_update', 'saved_search_delete'],
    'no change, no event',
  )
  assert.deepEqual(events[0]!.resource, { type: 'saved_search', id, name: 'failures' })
  const [, update] = events
  assert.deepEqual(
    update!.changes.map(({ field }) => field),
    ['description', 'shared', 'columns', 'query'],
  )
  assert.deepEqual(update!.changes[3], {
    field: 'query',
    from: query,
    to: { ...query, range: 'P7D' },
  })
})

test('a saved search can be run', async () => {
  const org = await app.newOrganization()
  await org.post('/api/v2/roles', { name: 'Reader', scopes: ['users.readonly'] })
  const fixed = {
    service: 'directory',
    start_time: '2026-01-01T00:00:00Z',
    sort: 'desc',
    fields: ['event_type'],
  }
  for (const saved of [fixed, { service: ['all'], range: 'PT1H', search_term: null }]) {
    const made = await org.post(PATH, { name: JSON.stringify(saved), query: saved })
    assert.equal(made.statusCode, 201, made.body)
    const body = bodyOf(made.json().query, Date.now())
    const res = await org.post('/insights/directory/v1/events', body)
    assert.equal(res.statusCode, 200)
    assert.ok(res.json().some((one: { event_type: string }) => one.event_type === 'role_create'))
  }
})

test('durations', () => {
  const HOUR = 3_600_000
  const cases: [unknown, number | null][] = [
    ['PT24H', 24 * HOUR],
    ['P7D', 168 * HOUR],
    ['P1W', 168 * HOUR],
    ['P1DT12H', 36 * HOUR],
    ['PT1H30M15S', 1.5 * HOUR + 15_000],
    ...['', 'P', 'PT', 'P1M', 'P1Y', '24H', 'PT0S', 'P-1D', 'P99999999D', 'P1DT', 7, null].map(
      (text): [unknown, null] => [text, null],
    ),
  ]
  for (const [text, expected] of cases) assert.equal(readDuration(text), expected, String(text))
})

test('invalid input is rejected by field and changes nothing', async () => {
  const org = await app.newOrganization()
  const { id } = (await org.post(PATH, failures)).json()
  const cases: [object, RegExp][] = [
    [{ query }, /name/],
    [{ name: ' ', query }, /name/],
    [{ name: 'x'.repeat(257), query }, /name/],
    [{ name: 'x' }, /query/],
    [{ name: 'x', query: 'all' }, /query/],
    [{ name: 'x', shared: 'yes', query }, /shared/],
    [{ name: 'x', description: 1, query }, /description/],
    [{ name: 'x', columns: 'all', query }, /columns/],
    [{ name: 'x', columns: [''], query }, /columns/],
    [{ name: 'x', query: { range: 'P1D' } }, /query: service/],
    [{ name: 'x', query: { ...query, service: ['nonsense'] } }, /query: service/],
    [{ name: 'x', query: { ...query, search_term: { and: [{ changes: 1 }] } } }, /search_term/],
    [{ name: 'x', query: { ...query, fields: ['nonsense'] } }, /query: fields/],
    [{ name: 'x', query: { ...query, sort: 'up' } }, /query\.sort/],
    [{ name: 'x', query: { ...query, range: 'P1M' } }, /query\.range/],
    [{ name: 'x', query: { ...query, range: undefined } }, /query\.range or query\.start_time/],
    [{ name: 'x', query: { ...query, start_time: '2026-01-01T00:00:00Z' } }, /not both/],
    [{ name: 'x', query: { ...query, end_time: '2026-01-01T00:00:00Z' } }, /query\.end_time/],
    [{ name: 'x', query: { service: ['all'], start_time: 'then' } }, /query: start_time/],
    [{ name: 'x', query: { service: ['all'], start_time: '9000-01-01T00:00:00Z' } }, /future/],
  ]
  for (const [body, message] of cases) {
    for (const res of [await org.post(PATH, body), await org.put(`${PATH}/${id}`, body)]) {
      assert.equal(res.statusCode, 400, JSON.stringify(body))
      assert.match(res.json().message, message)
    }
  }
  assert.equal((await org.get(PATH)).json().totalCount, 1)
  assert.deepEqual(await org.eventTypes(), ['saved_search_create'])
})

test('a name is unique per owner, ignoring case', async () => {
  const org = await app.newOrganization()
  assert.equal((await org.post(PATH, failures)).statusCode, 201)
  const twice = await org.post(PATH, { ...failures, name: 'FAILURES ' })
  assert.equal(twice.statusCode, 409)
  assert.match(twice.json().message, /^name: /)
  assert.equal(twice.json().reason, 'saved_search_name_taken')
  const other = (await org.post(PATH, { ...failures, name: 'Other' })).json()
  assert.equal((await org.put(`${PATH}/${other.id}`, failures)).statusCode, 409)
  const colleague = await app.addAdministrator(org.organizationId)
  assert.equal((await colleague.post(PATH, failures)).statusCode, 201)
})

test('private searches are visible to the owner only, shared ones to all', async () => {
  const org = await app.newOrganization()
  const mine = (await org.post(PATH, failures)).json()
  const shared = (await org.post(PATH, { ...failures, name: 'Shared', shared: true })).json()
  const manager = await app.addAdministrator(org.organizationId, 'Manager')
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  for (const other of [manager, reader]) {
    assert.deepEqual((await other.get(PATH)).json().results, [shared])
    assert.equal((await other.get(`${PATH}/${mine.id}`)).statusCode, 404)
    assert.equal((await other.get(`${PATH}/${shared.id}`)).statusCode, 200)
  }
  assert.equal((await manager.put(`${PATH}/${mine.id}`, failures)).statusCode, 404)
  assert.equal((await manager.delete(`${PATH}/${mine.id}`)).statusCode, 404)
  assert.equal((await manager.put(`${PATH}/${shared.id}`, failures)).statusCode, 403)
  assert.equal((await manager.delete(`${PATH}/${shared.id}`)).statusCode, 403)
  assert.equal((await reader.post(PATH, failures)).statusCode, 403)
  assert.equal((await reader.delete(`${PATH}/${shared.id}`)).statusCode, 403)
  assert.equal((await runner.get(PATH)).statusCode, 403)
  assert.equal((await app.anonymous.get(PATH)).statusCode, 401)
  // Administrators who could delete the owner may delete shared searches, and no others.
  const administrator = await app.addAdministrator(org.organizationId)
  const refused = await administrator.put(`${PATH}/${shared.id}`, failures)
  assert.deepEqual([refused.statusCode, refused.json().reason], [403, 'saved_search_not_yours'])
  assert.equal((await administrator.delete(`${PATH}/${mine.id}`)).statusCode, 404)
  assert.equal((await administrator.delete(`${PATH}/${shared.id}`)).statusCode, 204)
  assert.deepEqual((await org.get(PATH)).json().results, [mine])
})

test('another organization sees nothing', async () => {
  const org = await app.newOrganization()
  const { id } = (await org.post(PATH, { ...failures, shared: true })).json()
  const other = await app.newOrganization()
  assert.deepEqual((await other.get(PATH)).json(), { results: [], totalCount: 0 })
  for (const res of [
    await other.get(`${PATH}/${id}`),
    await other.put(`${PATH}/${id}`, failures),
    await other.delete(`${PATH}/${id}`),
    await other.get(`${PATH}/nonsense`),
  ])
    assert.deepEqual([res.statusCode, res.json().reason], [404, 'saved_search_not_found'])
  assert.deepEqual(await other.eventTypes(), [])
  assert.equal((await org.get(`${PATH}/${id}`)).statusCode, 200)
})

test('multi-tenant administrators have searches per organization, and in the provider', async () => {
  const provider = await app.newProvider(2)
  const [one, two] = provider.organizationIds as [string, string]
  assert.equal((await provider.get(PATH)).statusCode, 401, 'x-org-id is required')
  const headers = { 'x-org-id': one }
  assert.equal((await provider.post(PATH, failures, headers)).statusCode, 201)
  const portal = { 'x-provider-id': provider.providerId }
  assert.equal((await provider.post(PATH, failures, portal)).statusCode, 201)
  assert.deepEqual(await provider.eventTypes(), ['saved_search_create'])
  assert.equal((await provider.get(PATH, headers)).json().totalCount, 1)
  assert.equal((await provider.get(PATH, { 'x-org-id': two })).json().totalCount, 0)
})

test('private searches are deleted with their owner; shared ones can be taken over', async () => {
  const org = await app.newOrganization()
  const leaver = await app.addAdministrator(org.organizationId)
  const gone = (await leaver.post(PATH, failures)).json()
  const kept = (await leaver.post(PATH, { ...failures, name: 'Kept', shared: true })).json()
  const other = (await leaver.post(PATH, { ...failures, name: 'Other', shared: true })).json()
  assert.equal((await org.delete(`/api/users/${leaver.id}`)).statusCode, 200)
  await app.db.tx(org.organizationId, async (tx) => {
    const { rows } = await tx.execute('select 1 from saved_searches where id = $1', [gone.id])
    assert.deepEqual(rows, [])
  })
  assert.deepEqual((await org.get(`${PATH}/${kept.id}`)).json(), { ...kept, owner: null })
  const manager = await app.addAdministrator(org.organizationId, 'Manager')
  const mine = await manager.put(`${PATH}/${kept.id}`, { ...failures, shared: true })
  assert.equal(mine.json().owner, manager.id)
  assert.equal((await manager.delete(`${PATH}/${other.id}`)).statusCode, 204)
})

test('the searches of a deleted owner are deleted in all organizations, those of others are not', async () => {
  const msp = await app.newProvider(2)
  const leaver = await app.addProviderAdministrator(msp.providerId, msp.organizationIds)
  const left = async () => {
    const counts = msp.organizationIds.map((id) =>
      app.db.tx(id, async (tx) => (await tx.execute('select from saved_searches')).rows.length),
    )
    return Promise.all(counts)
  }
  for (const id of msp.organizationIds) await leaver.post(PATH, failures, { 'x-org-id': id })
  assert.deepEqual(await left(), [1, 1])
  await assert.rejects(
    app.db.tx(null, (tx) => tx.execute('select leave_saved_searches($1)', [leaver.id])),
    /still exists/,
  )
  const url = `/api/v2/providers/${msp.providerId}/administrators/${leaver.id}`
  assert.equal((await msp.delete(url)).statusCode, 204)
  assert.deepEqual(await left(), [0, 0])
})

test('a service account can read shared searches, but not own any', async () => {
  const org = await app.newOrganization()
  await org.post(PATH, { ...failures, shared: true })
  const account = await org.post('/api/v2/service-accounts', {
    name: 'Robot',
    roleId: '000000000000000000000003',
    authConfig: { authType: 'API_KEY' },
  })
  const { apiKey } = account.json().serviceAccount.authConfigList[0].apiKeyConfig
  app.secrets.add(apiKey)
  const robot = app.as(apiKey)
  assert.equal((await robot.get(PATH)).json().totalCount, 1)
  const refused = await robot.post(PATH, failures)
  assert.equal(refused.statusCode, 403)
  assert.equal(refused.json().reason, 'administrators_only')
})

test('the list is filtered, searched, sorted and paged', async () => {
  const org = await app.newOrganization()
  for (const name of ['b', 'a', 'c'])
    await org.post(PATH, { name, description: `about ${name}`, shared: name !== 'a', query })
  const cases: [string, string[]][] = [
    ['', ['a', 'b', 'c']],
    ['?sort=-name', ['c', 'b', 'a']],
    ['?filter=shared:eq:true', ['b', 'c']],
    [`?filter=owner:eq:${org.adminId}&limit=1&skip=1`, ['b']],
    ['?search=about+c', ['c']],
  ]
  for (const [list, expected] of cases) {
    const { results } = (await org.get(`${PATH}${list}`)).json()
    assert.deepEqual(
      results.map(({ name }: { name: string }) => name),
      expected,
      list,
    )
  }
  assert.equal((await org.get(`${PATH}?filter=secret:eq:1`)).statusCode, 400)
})
