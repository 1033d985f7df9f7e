import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordEvent } from '../../server/insights/index.ts'
import { systemCaller } from '../../server/platform/caller.ts'
import { type Response, startApp } from '../harness.ts'

const app = await startApp()
const AGENT = { 'user-agent': 'curl/8.5.0' }
type Change = { field: string; from?: unknown; to?: unknown }
type Event = Record<string, unknown> & { event_type: string; changes?: Change[] }

async function ok(res: Response | Promise<Response>): Promise<Record<string, string>> {
  const answer = await res
  assert.ok(answer.statusCode < 300, answer.body)
  return answer.body === '' ? {} : answer.json()
}

/** Members of every event that a request causes. */
function checkMembers(event: Event, initiated_by: object): void {
  assert.deepEqual(event.initiated_by, initiated_by, event.event_type)
  assert.equal(event.auth_method, 'api-key')
  assert.equal(event.client_ip, '127.0.0.1')
  assert.equal((event.useragent as { name: string }).name, 'curl')
  assert.equal(event.service, 'directory')
  assert.equal(event.success, true)
  assert.ok('resource' in event, event.event_type)
  assert.ok(!('correlation' in event), 'a request is no job')
  for (const change of event.changes ?? []) {
    const kept = ['apiKey', 'password', 'authConfig'].includes(change.field)
    assert.equal('from' in change || 'to' in change, !kept, JSON.stringify(change))
  }
}

const changesOf = (events: Event[], type: string) =>
  events.filter(({ event_type }) => event_type === type).flatMap(({ changes }) => changes ?? [])

test('events of an organization record initiator, method, address and changes', async () => {
  const org = await app.newOrganization()
  const scopes = ['users.readonly']
  const role = await ok(org.post('/api/v2/roles', { name: 'One', scopes }, AGENT))
  await ok(org.put(`/api/v2/roles/${role.id}`, { name: 'Two', scopes }, AGENT))
  const settings = { contactName: 'Grace' }
  await ok(org.put(`/api/organizations/${org.organizationId}`, { settings }, AGENT))
  const email = `person-${org.organizationId}@example.com`
  const person = await ok(org.post('/api/users', { email }, AGENT))
  await ok(org.put(`/api/users/${person._id}`, { firstname: 'Ada' }, AGENT))
  await ok(org.delete(`/api/users/${person._id}`, undefined, AGENT))
  await ok(org.delete(`/api/v2/roles/${role.id}`, undefined, AGENT))

  const events = (await org.events()) as Event[]
  const initiator = { type: 'admin', id: org.adminId, email: org.email }
  for (const event of events) {
    checkMembers(event, initiator)
    assert.equal(event.organization, org.organizationId)
  }
  const types = events.map(({ event_type }) => event_type)
  for (const type of ['role_create', 'role_delete', 'admin_create', 'admin_delete'])
    assert.ok(types.includes(type), `${type} of ${types}`)
  assert.deepEqual(changesOf(events, 'role_update'), [{ field: 'name', from: 'One', to: 'Two' }])
  const settingsChange = [{ field: 'contactName', from: '', to: 'Grace' }]
  assert.deepEqual(changesOf(events, 'organization_update'), settingsChange)
  const named = changesOf(events, 'admin_update').find(({ field }) => field === 'firstname')
  assert.deepEqual(named, { field: 'firstname', from: '', to: 'Ada' })
  assert.ok(changesOf(events, 'admin_create').some(({ to }) => to === email))
})

test('portal events name the provider of their initiator', async () => {
  const msp = await app.newProvider(1)
  const { providerId } = msp
  await ok(msp.put(`/api/v2/providers/${providerId}`, { name: 'Renamed' }, AGENT))
  const events = (await msp.events()) as Event[]
  assert.ok(events.length >= 1)
  for (const event of events) {
    checkMembers(event, { type: 'admin', id: msp.adminId, email: msp.email, provider: providerId })
    assert.equal(event.provider, providerId)
    assert.equal(event.organization, null)
  }
  const [change] = changesOf(events, 'provider_update')
  assert.equal(change!.field, 'name')
  assert.equal(change!.to, 'Renamed')

  // In one of its organizations the same person is an ordinary administrator.
  const [organizationId = ''] = msp.organizationIds
  const body = { settings: { contactName: 'Grace' } }
  await ok(msp.put(`/api/organizations/${organizationId}`, body, AGENT))
  const [event] = (await app.eventsOf(organizationId)) as Event[]
  checkMembers(event!, { type: 'admin', id: msp.adminId, email: msp.email })
  assert.equal(event!.organization, organizationId)
})

test('events caused by a job are found by its id', async () => {
  const org = await app.newOrganization()
  const actor = systemCaller(org.organizationId, 'import')
  const correlation = { id: '5f0c0ffee0c0ffee0c0ffee0', type: 'user_import' }
  await app.db.tx(org.organizationId, async (tx) => {
    for (const event_type of ['user_create', 'user_update'])
      await recordEvent(tx, actor, { event_type, correlation })
    await recordEvent(tx, actor, { event_type: 'other' })
  })
  const res = await org.post('/insights/directory/v1/events', {
    service: ['directory'],
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    search_term: { and: [{ 'correlation.id': correlation.id, 'correlation.type': 'user_import' }] },
  })
  const found = res.json() as Event[]
  assert.deepEqual(
    found.map(({ event_type }) => event_type),
    ['user_create', 'user_update'],
  )
  for (const event of found) assert.deepEqual(event.correlation, correlation)
})
