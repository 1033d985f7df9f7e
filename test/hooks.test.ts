import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../server/platform/ids.ts'
import { enrol, newKeyPair } from './enrol.ts'
import { startApp } from './harness.ts'
import { listenTo } from './news.ts'
import { addPerson } from './person.ts'

// Hooks fire once for each change, in its transaction, and not when nothing has changed.

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const { applications, graph, groups, systems, users } = app.contexts

async function addGroup(org: Org, more: object = {}) {
  const res = await org.post('/api/v2/usergroups', { name: `Group ${newId()}`, ...more })
  assert.equal(res.statusCode, 201, res.body)
  return res.json() as { id: string; name: string }
}

async function addBookmark(org: Org) {
  const body = { name: 'bookmark', displayLabel: 'Wiki', ssoUrl: 'https://wiki.example.com/' }
  const res = await org.post('/api/applications', body)
  assert.equal(res.statusCode, 200, res.body)
  return res.json() as { id: string }
}

const associations = async (org: Org, userId: string) =>
  (await org.get(`/api/v2/users/${userId}/associations?targets=application`)).json()
const members = async (org: Org, groupId: string): Promise<{ to: { id: string } }[]> =>
  (await org.get(`/api/v2/usergroups/${groupId}/members`)).json()

test('a hook fires when an edge is added, changes its attributes, and ends', async () => {
  const org = await app.newOrganization()
  const news = listenTo(graph.edgeChanged, org.organizationId)
  const [{ id: user }, { id: application }] = [await addPerson(org), await addBookmark(org)]
  assert.deepEqual(news.heard(), [])
  const url = `/api/v2/applications/${application}/associations`
  const change = (op: string, attributes?: object) =>
    org.post(url, { op, type: 'user', id: user, ...(attributes && { attributes }) })

  await news.failing(() => change('add'))
  assert.deepEqual(await associations(org, user), [])
  assert.equal((await change('add')).statusCode, 204)
  const { eventId, ...added } = news.only()
  // In the stored direction, although the application was named first.
  const [source, target] = [
    { type: 'user', id: user },
    { type: 'application', id: application },
  ]
  const edge = { source, target, isMembership: false }
  assert.deepEqual(added, { op: 'add', ...edge, before: null, after: null })
  assert.ok((await org.events()).some((event) => event.id === eventId))

  assert.equal((await change('add')).statusCode, 409)
  assert.equal((await change('update', { role: 'reader' })).statusCode, 204)
  const { eventId: _, ...updated } = news.only()
  const attributes = { role: 'reader' }
  assert.deepEqual(updated, { op: 'update', ...edge, before: null, after: attributes })
  assert.equal((await change('update', attributes)).statusCode, 204)
  assert.deepEqual(news.heard(), [])

  await news.failing(() => change('remove'))
  assert.equal((await associations(org, user)).length, 1)
  assert.equal((await change('remove')).statusCode, 204)
  const { eventId: __, ...removed } = news.only()
  assert.deepEqual(removed, { op: 'remove', ...edge, before: attributes, after: null })
  assert.equal((await change('remove')).statusCode, 404)
  assert.deepEqual(news.heard(), [])
})

test('memberships are edges, by hand and by rule', async () => {
  const org = await app.newOrganization()
  const news = listenTo(graph.edgeChanged, org.organizationId)
  const { id: user } = await addPerson(org)
  const { id: byHand } = await addGroup(org)
  const change = (op: string) =>
    org.post(`/api/v2/usergroups/${byHand}/members`, { op, type: 'user', id: user })
  await news.failing(() => change('add'))
  assert.deepEqual(await members(org, byHand), [])
  assert.equal((await change('add')).statusCode, 204)
  const { op, source, target, isMembership } = news.only()
  assert.deepEqual([op, source.id, target.id, isMembership], ['add', byHand, user, true])

  const rule = { field: 'department', operator: 'eq', value: 'Sales' }
  const { id: byRule } = await addGroup(org, {
    membershipMethod: 'DYNAMIC_AUTOMATED',
    memberQuery: { queryType: 'FilterQuery', filters: [rule] },
  })
  await app.runDueJobs()
  assert.deepEqual(news.heard(), [])
  const put = () => org.put(`/api/systemusers/${user}`, { department: 'Sales' })
  await news.failing(put)
  assert.deepEqual(await members(org, byRule), [])
  assert.equal((await put()).statusCode, 200)
  const joined = news.only()
  assert.deepEqual([joined.op, joined.source.id, joined.isMembership], ['add', byRule, true])
  assert.equal((await put()).statusCode, 200)
  assert.deepEqual(news.heard(), [])
})

test('a hook fires when a group is created, changed, deleted and restored', async () => {
  const org = await app.newOrganization()
  const news = listenTo(groups.changed, org.organizationId)
  await news.failing(() => org.post('/api/v2/usergroups', { name: 'Never' }))
  assert.deepEqual((await org.get('/api/v2/usergroups')).json(), [])
  const { id, name } = await addGroup(org)
  const url = `/api/v2/usergroups/${id}`
  const made = news.only()
  assert.deepEqual([made.type, made.groupId, made.before], ['user_group', id, null])
  assert.equal(made.after?.name, name)

  assert.equal((await org.put(url, { name })).statusCode, 200)
  assert.deepEqual(news.heard(), [])
  await news.failing(() => org.put(url, { name: 'Other' }))
  assert.equal((await org.get(url)).json().name, name)
  assert.equal((await org.put(url, { name: 'Other' })).statusCode, 200)
  const { before, after } = news.only()
  assert.deepEqual([before?.name, after?.name], [name, 'Other'])

  await news.failing(() => org.delete(url))
  assert.equal((await org.delete(url)).statusCode, 200)
  const deleted = news.only()
  assert.deepEqual([deleted.before?.id, deleted.after], [id, null])
  assert.equal((await org.delete(url)).statusCode, 404)
  await news.failing(() => org.post(`${url}/restore`))
  assert.equal((await org.post(`${url}/restore`)).statusCode, 200)
  const restored = news.only()
  assert.deepEqual([restored.before, restored.after?.id], [null, id])
  assert.equal((await org.post(`${url}/restore`)).statusCode, 404)
  assert.deepEqual(news.heard(), [])
})

test('the hooks of a deleted and of a restored group still see its edges', async () => {
  const org = await app.newOrganization()
  const { id: user } = await addPerson(org)
  const { id } = await addGroup(org)
  await org.post(`/api/v2/usergroups/${id}/members`, { op: 'add', type: 'user', id: user })
  const found: number[] = []
  groups.changed.on(async (tx, { organizationId }, { groupId }) => {
    if (groupId !== id) return
    const edges = 'select 1 from edges where from_id = $1 and valid_until is null'
    found.push((await tx.execute(edges, [groupId])).rows.length)
    assert.equal(organizationId, org.organizationId)
  })
  assert.equal((await org.delete(`/api/v2/usergroups/${id}`)).statusCode, 200)
  assert.equal((await org.post(`/api/v2/usergroups/${id}/restore`)).statusCode, 200)
  assert.deepEqual(found, [1, 1])
})

test('a hook fires when an application is created, changed, deleted and restored', async () => {
  const org = await app.newOrganization()
  const news = listenTo(applications.changed, org.organizationId)
  const body = {
    name: 'saml2',
    displayLabel: 'CRM',
    displayName: 'Customers',
    ssoUrl: `https://sso.example.com/saml2/crm-${newId()}`,
    active: false,
    config: {
      acsUrl: { value: 'https://crm.example.com/acs' },
      spEntityId: { value: 'https://crm.example.com' },
    },
  }
  await news.failing(() => org.post('/api/applications', body))
  assert.equal((await org.get('/api/applications')).json().totalCount, 0)
  const record = (await org.post('/api/applications', body)).json()
  const made = news.only()
  assert.deepEqual([made.applicationId, made.before, made.after?.active], [record.id, null, false])

  const url = `/api/applications/${record.id}`
  assert.equal((await org.put(url, record)).statusCode, 200)
  assert.deepEqual(news.heard(), [])
  const changed = { ...record, active: true }
  await news.failing(() => org.put(url, changed))
  assert.equal((await org.get(url)).json().active, false)
  assert.equal((await org.put(url, changed)).statusCode, 200)
  const update = news.only()
  assert.deepEqual([update.before?.active, update.after?.active], [false, true])

  const next = await org.post(`/api/v2/applications/${record.id}/certificates`, {})
  assert.ok(next.statusCode < 300, next.body)
  const rotation = news.only()
  assert.equal(rotation.before?.next_certificate_id, null)
  assert.notEqual(rotation.after?.next_certificate_id, null)

  await news.failing(() => org.delete(url))
  assert.equal((await org.delete(url)).statusCode, 200)
  assert.equal(news.only().after, null)
  const restore = () => org.post(`/api/applications/${record.id}/restore`)
  await news.failing(restore)
  assert.equal((await restore()).statusCode, 200)
  assert.equal(news.only().before, null)
  assert.equal((await restore()).statusCode, 404)
  assert.deepEqual(news.heard(), [])
})

test('a hook fires when a user is created, changed, deleted and restored', async () => {
  const org = await app.newOrganization()
  const news = listenTo(users.changed, org.organizationId)
  const { id } = await addPerson(org)
  assert.deepEqual([news.only().before], [null])
  const url = `/api/systemusers/${id}`
  const put = () => org.put(url, { department: 'Sales' })
  await news.failing(put)
  assert.equal((await put()).statusCode, 200)
  assert.equal(news.only().after?.profile.department, 'Sales')
  assert.equal((await put()).statusCode, 200)
  await news.failing(() => org.delete(url))
  assert.equal((await org.delete(url)).statusCode, 200)
  assert.equal(news.only().after, null)
  const restore = () => org.post(`/api/systemusers/${id}/restore`)
  await news.failing(restore)
  assert.equal((await restore()).statusCode, 200)
  assert.equal(news.only().before, null)
})

test('a hook fires when a system is created, changed and deleted', async () => {
  const org = await app.newOrganization()
  const news = listenTo(systems.changed, org.organizationId)
  const url = `/api/systems/${await enrol(app.http, org, newKeyPair().publicKey)}`
  assert.equal(news.only().before, null)
  const put = () => org.put(url, { displayName: 'Other' })
  await news.failing(put)
  assert.equal((await put()).statusCode, 200)
  assert.equal(news.only().after?.displayName, 'Other')
  assert.equal((await put()).statusCode, 200)
  await news.failing(() => org.delete(url))
  assert.equal((await org.delete(url)).statusCode, 200)
  assert.equal(news.only().after, null)
})
