import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'

const app = await startApp()

test('an administrator reads its own organization and no other', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()

  const own = await org.get(`/api/organizations/${org.organizationId}`)
  assert.equal(own.statusCode, 200)
  assert.equal(own.json()._id, org.organizationId)
  assert.equal(own.json().settings.passwordPolicy.minLength, 12)

  const foreign = await org.get(`/api/organizations/${other.organizationId}`)
  assert.equal(foreign.statusCode, 404)
})

test('a settings change is merged, keeps omitted members, and leaves an event', async () => {
  const org = await app.newOrganization()
  const url = `/api/organizations/${org.organizationId}`
  const res = await org.put(url, {
    settings: { name: 'Renamed', passwordPolicy: { minLength: 16 }, agentVersion: 'ignored' },
  })
  assert.equal(res.statusCode, 200)
  assert.equal(res.json().displayName, 'Renamed')
  assert.equal(res.json().settings.passwordPolicy.minLength, 16)
  assert.equal(res.json().settings.passwordPolicy.needsNumeric, true)
  assert.equal(res.json().settings.agentVersion, undefined)
  const [event] = await org.events()
  assert.equal(event?.event_type, 'organization_update')
})

test('changing the user limit requires organizations.billing on every route', async () => {
  const org = await app.newOrganization('Administrator')
  const url = `/api/organizations/${org.organizationId}`
  const { settings } = (await org.get(url)).json()
  const raised = await org.put(url, { settings: { ...settings, maxSystemUsers: 1000 } })
  assert.equal(raised.statusCode, 403)
  assert.match(raised.json().message, /organizations\.billing/)
  const whole = await org.put(url, { settings: { ...settings, contactName: 'Ada' } })
  assert.equal(whole.statusCode, 200, 'clients may send maxSystemUsers back unchanged')
  const owner = await app.addAdministrator(org.organizationId, 'Administrator with Billing')
  const set = await owner.put(url, { settings: { maxSystemUsers: 1000 } })
  assert.equal(set.json().settings.maxSystemUsers, 1000)

  const msp = await app.newProvider(1, 'Administrator')
  const organizations = `/api/v2/providers/${msp.providerId}/organizations`
  const sized = await msp.post(organizations, { name: 'Large', maxSystemUsers: 1000 })
  assert.equal(sized.statusCode, 403)
  assert.equal((await msp.post(organizations, { name: 'Plain' })).statusCode, 201)
})
