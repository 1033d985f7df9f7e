import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
const address = () => `${newId()}@example.com`

test('only its own administrators can read and change a provider', async () => {
  const msp = await app.newProvider()
  const other = await app.newProvider()
  const org = await app.newOrganization()
  assert.equal((await msp.get(`/api/v2/providers/${msp.providerId}`)).json().id, msp.providerId)
  assert.equal((await msp.get('/api/v2/providers')).json().results[0].id, msp.providerId)
  assert.deepEqual((await org.get('/api/v2/providers')).json(), { results: [], totalCount: 0 })
  for (const stranger of [other, org]) {
    const url = `/api/v2/providers/${msp.providerId}`
    assert.equal((await stranger.get(url)).statusCode, 404)
    assert.equal((await stranger.put(url, { name: 'x' })).statusCode, 404)
    assert.equal((await stranger.get(`${url}/organizations`)).statusCode, 404)
    assert.equal((await stranger.post(`${url}/organizations`, { name: 'x' })).statusCode, 404)
    assert.equal((await stranger.get(`${url}/administrators`)).statusCode, 404)
    assert.equal(
      (await stranger.post(`${url}/administrators`, { email: address(), roleName: 'Manager' }))
        .statusCode,
      404,
    )
    assert.equal((await stranger.delete(`${url}/administrators/${msp.adminId}`)).statusCode, 404)
    assert.equal(
      (await stranger.put(`${url}/organizations/${msp.organizationIds[0]}`, { name: 'x' }))
        .statusCode,
      404,
    )
  }
  const renamed = await msp.put(`/api/v2/providers/${msp.providerId}`, {
    name: 'New name',
    contact: { email: 'a@b.c' },
  })
  assert.equal(renamed.json().name, 'New name')
  assert.deepEqual(await msp.eventTypes(), ['provider_update'])
  const [event] = await msp.events()
  assert.equal(event?.provider, msp.providerId)
  assert.equal(event?.organization, null)
})

test('a new organization is accessible to its creator at once, and the provider gets an event', async () => {
  const msp = await app.newProvider(1)
  const res = await msp.post(`/api/v2/providers/${msp.providerId}/organizations`, {
    name: 'Fresh',
    maxSystemUsers: 7,
  })
  assert.equal(res.statusCode, 201)
  const { id } = res.json()
  assert.equal((await msp.get(`/api/organizations/${id}`)).json().displayName, 'Fresh')
  assert.equal((await msp.get('/api/organizations')).json().totalCount, 2)
  const event = (await msp.events()).at(-1)
  assert.equal(event?.event_type, 'organization_create')
  assert.equal(event?.organization, id)
  assert.equal(event?.provider, msp.providerId)
  assert.equal(
    (await msp.post(`/api/v2/providers/${msp.providerId}/organizations`, { name: '' })).statusCode,
    400,
  )
})

test('a provider that may not create organizations is refused', async () => {
  const msp = await app.newProvider(1)
  await msp.put(`/api/v2/providers/${msp.providerId}`, { disallowOrgCreation: true })
  const res = await msp.post(`/api/v2/providers/${msp.providerId}/organizations`, { name: 'No' })
  assert.deepEqual([res.statusCode, res.json().reason], [403, 'org_creation_disallowed'])
})

test('changing the size of an organization requires the billing scope', async () => {
  const msp = await app.newProvider(1, 'Administrator')
  const url = `/api/v2/providers/${msp.providerId}/organizations/${msp.organizationIds[0]}`
  assert.equal((await msp.put(url, { maxSystemUsers: 99 })).statusCode, 403)
  assert.equal((await msp.put(url, { name: 'Renamed' })).json().name, 'Renamed')
  const owner = await app.newProvider(1)
  const own = `/api/v2/providers/${owner.providerId}/organizations/${owner.organizationIds[0]}`
  assert.equal((await owner.put(own, { maxSystemUsers: 99 })).json().maxSystemUsers, 99)
  assert.deepEqual(await owner.eventTypes(), ['organization_update'])
})

test('administrators of a provider: create, list, links, delete', async () => {
  const msp = await app.newProvider(3)
  const url = `/api/v2/providers/${msp.providerId}/administrators`
  assert.equal((await msp.post(url, { email: address() })).statusCode, 400)
  const all = await msp.post(url, { email: address(), roleName: 'Administrator' })
  assert.equal(all.statusCode, 200)
  assert.equal(all.json().organizationAccessTotal, 3)
  const none = await msp.post(url, { email: address(), roleName: 'Help Desk', bindNoOrgs: true })
  assert.equal(none.json().organizationAccessTotal, 0)
  const list = await msp.get(`${url}?filter=email:eq:${all.json().email}`)
  assert.equal(list.json().totalCount, 1)
  assert.equal(list.headers['x-total-count'], '1')

  const links = `/api/v2/administrators/${none.json().id}/organizationlinks`
  const made = await msp.post(links, { organization: msp.organizationIds[1] })
  assert.equal(made.statusCode, 201)
  assert.equal(made.json().administrator, none.json().id)
  assert.equal(made.json().organization, msp.organizationIds[1])
  assert.equal((await msp.post(links, { organization: msp.organizationIds[1] })).statusCode, 409)
  assert.equal((await msp.post(links, { organization: newId() })).statusCode, 404)
  assert.equal((await msp.post(links, { organization: 'zz' })).statusCode, 400)
  const listed = await msp.get(links)
  assert.equal(listed.headers['x-total-count'], '1')
  assert.equal(listed.json().length, 1)
  const past = await msp.get(`${links}?skip=5`)
  assert.deepEqual(past.json(), [])
  assert.equal(past.headers['x-total-count'], '1')
  const byOrganization = await msp.get(
    `/api/v2/organizations/${msp.organizationIds[1]}/administratorlinks`,
  )
  assert.equal(byOrganization.json().length, 3)
  assert.equal((await msp.delete(`${links}/${msp.organizationIds[1]}`)).statusCode, 204)
  assert.equal((await msp.delete(`${links}/${msp.organizationIds[1]}`)).statusCode, 404)

  assert.equal((await msp.delete(`${url}/${none.json().id}`)).statusCode, 204)
  assert.equal((await msp.delete(`${url}/${none.json().id}`)).statusCode, 404)
  assert.deepEqual(await msp.eventTypes(), [
    'admin_create',
    'admin_create',
    'admin_update',
    'admin_update',
    'admin_delete',
  ])
})

test('links never cross providers', async () => {
  const msp = await app.newProvider(1)
  const other = await app.newProvider(1)
  const org = await app.newOrganization()
  const links = `/api/v2/administrators/${msp.adminId}/organizationlinks`
  assert.equal((await msp.post(links, { organization: other.organizationIds[0] })).statusCode, 404)
  assert.equal((await other.get(links)).statusCode, 404)
  assert.equal(
    (await other.post(links, { organization: other.organizationIds[0] })).statusCode,
    404,
  )
  assert.equal((await other.delete(`${links}/${msp.organizationIds[0]}`)).statusCode, 404)
  assert.equal(
    (await org.get(`/api/v2/organizations/${msp.organizationIds[0]}/administratorlinks`))
      .statusCode,
    404,
  )
})

test('an administrator whose link is removed can no longer access the organization', async () => {
  const msp = await app.newProvider(2)
  const [first, second] = msp.organizationIds as [string, string]
  assert.equal((await msp.get(`/api/organizations/${second}`)).statusCode, 200)
  assert.equal(
    (await msp.delete(`/api/v2/administrators/${msp.adminId}/organizationlinks/${second}`))
      .statusCode,
    204,
  )
  assert.equal((await msp.get(`/api/organizations/${second}`)).statusCode, 404)
  assert.equal(
    (await msp.get('/api/v2/roles')).statusCode,
    200,
    'with one organization left no header is needed',
  )
  assert.equal((await msp.get(`/api/organizations/${first}`)).statusCode, 200)
})
