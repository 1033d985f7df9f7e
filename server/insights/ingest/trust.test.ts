import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { person } from '../../../test/people.ts'
import { findEvents, firstEventAfter } from '../index.ts'
import { OWN_SERVICES, SERVICES } from '../services.ts'

const app = await startApp()
const INSIGHTS = '/insights/directory/v1'
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

/** An administrator whose role has exactly these scopes. */
async function holding(org: Organization, scopes: string[]) {
  const role = await org.post('/api/v2/roles', { name: scopes.join(' '), scopes })
  assert.equal(role.statusCode, 200, role.body)
  const admin = await app.addAdministrator(org.organizationId, 'Read Only')
  const changed = await org.put(`/api/users/${admin.id}`, { roleName: role.json().name })
  assert.equal(changed.statusCode, 200, changed.body)
  return admin
}

const event = (members: object) => ({ event_type: 'told', timestamp: minutesAgo(5), ...members })
const find = async (org: Pick<Organization, 'post'>, term: object) => {
  const body = { service: ['all'], start_time: minutesAgo(60), search_term: { and: [term] } }
  const res = await org.post(`${INSIGHTS}/events`, body)
  assert.equal(res.statusCode, 200, res.body)
  return res.json() as Record<string, unknown>[]
}

test('the scope insights does not allow writing events', async () => {
  const org = await app.newOrganization()
  const reader = await holding(org, ['insights', 'insights.import'])
  const res = await reader.post(`${INSIGHTS}/ingest`, [event({ service: 'radius' })])
  assert.equal(res.statusCode, 403)
  const manager = await app.addAdministrator(org.organizationId, 'Manager')
  const refused = await manager.post(`${INSIGHTS}/ingest`, [event({ service: 'radius' })])
  assert.equal(refused.statusCode, 403)
})

test('events of services that are recorded here need insights.import, line by line', async () => {
  const org = await app.newOrganization()
  const source = await holding(org, ['insights.ingest'])
  const own = [...OWN_SERVICES, 'Directory', 'SSO']
  const bodies = [...own, 'radius'].map((service, at) => event({ service, id: `${at}` }))
  const res = await source.post(`${INSIGHTS}/ingest`, bodies)
  assert.equal(res.statusCode, 200)
  const { received, stored, rejected, errors } = res.json()
  assert.deepEqual([received, stored, rejected], [own.length + 1, 1, own.length])
  assert.match(errors[0].message, /directory .* insights\.import/)
  assert.deepEqual(
    (await find(org, { event_type: 'told' })).map(({ service }) => service),
    ['radius'],
  )

  const importer = await holding(org, ['insights.ingest', 'insights.import'])
  const again = (await importer.post(`${INSIGHTS}/ingest`, bodies)).json()
  assert.deepEqual([again.stored, again.duplicates, again.rejected], [own.length, 1, 0])
})

test('an ingested event records who ingested it, whatever the client sends', async () => {
  const org = await app.newOrganization()
  const forged = { type: 'admin', id: 'somebody-else', email: 'boss@example.com' }
  const sent = [
    event({ service: 'radius', id: 'plain' }),
    event({ service: 'radius', id: 'forged', ingested_by: forged, ingested_at: 'never' }),
    event({ service: 'radius', id: 'null', ingested_by: null, ingested_at: null }),
    event({ service: 'radius', id: 'list', ingested_by: [forged, forged] }),
    event({ service: 'radius', id: 'case', Ingested_By: forged, INGESTED_AT: 'never' }),
    event({ service: 'radius', id: 'dots', 'ingested_by.id': 'x', 'Ingested_by.email': 'x' }),
    // A literal would set the prototype; JSON.parse creates a member.
    event({ service: 'directory', ...JSON.parse('{"__proto__":{"ingested_by":{"id":"x"}}}') }),
  ]
  const before = Date.now()
  const { stored } = (await org.post(`${INSIGHTS}/ingest`, sent)).json()
  assert.equal(stored, sent.length)
  const found = await find(org, { 'ingested_by.id': org.adminId })
  assert.equal(found.length, sent.length)
  for (const document of found) {
    const email = org.email.toLowerCase()
    assert.deepEqual(document.ingested_by, { type: 'admin', id: org.adminId, email })
    const at = Date.parse(document.ingested_at as string)
    assert.ok(at >= before - 1000 && at <= Date.now() + 1000)
    const reserved = Object.keys(document).filter((name) => /^ingested/i.test(name))
    assert.deepEqual(reserved.sort(), ['ingested_at', 'ingested_by'])
  }
  assert.deepEqual(await find(org, { 'ingested_by.id': 'somebody-else' }), [])
  const byType = { field: 'ingested_by.type', operator: 'in', value: ['admin', 'service_account'] }
  assert.equal((await find(org, byType)).length, sent.length)
})

test('own events have no such member, and get one only when ingested', async () => {
  const org = await app.newOrganization()
  await org.post('/api/v2/roles', { name: 'One', scopes: ['users.readonly'] })
  const own = await find(org, { event_type: 'role_create' })
  assert.equal(own.length, 1)
  assert.ok(!('ingested_by' in own[0]!))

  const other = await app.newOrganization()
  const copy = { ...own[0], organization: other.organizationId, ingested_by: { id: 'first' } }
  assert.equal((await other.post(`${INSIGHTS}/ingest`, [copy])).json().stored, 1)
  const [brought] = await find(other, { event_type: 'role_create' })
  assert.equal((brought!.ingested_by as { id: string }).id, other.adminId)
})

test('GET /schema lists ingested_by for every service', async () => {
  const org = await app.newOrganization()
  const { services } = (await org.get(`${INSIGHTS}/schema`)).json()
  assert.equal(services.length, SERVICES.length)
  for (const { name, fields } of services) {
    const shape = (field: string) => fields.find((one: { name: string }) => one.name === field)
    const searchable = { kind: 'string', searchable: true }
    for (const field of ['type', 'id', 'email', 'name'].map((member) => `ingested_by.${member}`))
      assert.deepEqual(shape(field), { name: field, ...searchable }, `${name} ${field}`)
    assert.deepEqual(shape('ingested_at').kind, 'timestamp')
  }
})

test('an event ingested under the id of another does not replace it', async () => {
  const org = await app.newOrganization()
  await org.post('/api/v2/roles', { name: 'Two', scopes: ['users.readonly'] })
  const [own] = await find(org, { event_type: 'role_create' })
  const { id, timestamp } = own as { id: string; timestamp: string }
  const beside = new Date(Date.parse(timestamp) - 1).toISOString()
  const after = new Date(Date.parse(timestamp) + 1).toISOString()
  const forged = [beside, after].map((time) => event({ service: 'radius', id, timestamp: time }))
  assert.equal((await org.post(`${INSIGHTS}/ingest`, forged)).json().stored, 2)
  const { organizationId } = org
  const found = await findEvents(app.db.tenant(organizationId), organizationId, [id])
  assert.equal(found.get(id)!.event_type, 'role_create')
})

test('ingested events do not affect reports about the past', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const user = (await org.post('/api/systemusers', person({ state: 'STAGED' }))).json()
  const resource = { type: 'user', id: user.id }
  const changes = [{ field: 'state', from: 'SUSPENDED', to: 'ACTIVATED' }]
  const forged = { service: 'directory', event_type: 'user_activated', resource, changes }
  assert.equal((await org.post(`${INSIGHTS}/ingest`, [event(forged)])).json().stored, 1)
  const first = () =>
    firstEventAfter(
      app.db.tenant(organizationId),
      organizationId,
      user.id,
      ['user_activated'],
      new Date(Date.now() - 3_600_000),
    )
  assert.equal(await first(), undefined)
  await org.post(`/api/systemusers/${user.id}/state/activate`, {})
  assert.deepEqual((await first())!.changes, [{ field: 'state', from: 'STAGED', to: 'ACTIVATED' }])
})

test('invalid bodies and services are rejected without a 500', async () => {
  const org = await app.newOrganization()
  const none = await org.post(`${INSIGHTS}/ingest`)
  assert.equal(none.statusCode, 400, none.body)
  assert.equal(none.json().reason, 'body_missing')
  for (const service of [[{ toString: 1 }], { toString: 1, valueOf: 1 }, ['directory'], [], true]) {
    const { rejected, errors } = (await org.post(`${INSIGHTS}/ingest`, [event({ service })])).json()
    assert.equal(rejected, 1, JSON.stringify(service))
    assert.match(errors[0].message, /^service/)
  }
})
