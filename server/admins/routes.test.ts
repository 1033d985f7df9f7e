import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInToConsole } from '../../test/console.ts'
import { startApp } from '../../test/harness.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
const address = () => `${newId()}@example.com`

test('an administrator is created with a role, a welcome mail and an event', async () => {
  const org = await app.newOrganization()
  const email = address()
  const res = await org.post('/api/users', {
    email,
    firstname: 'Grace',
    roleName: 'Help Desk',
    enableMultiFactor: true,
  })
  assert.equal(res.statusCode, 200)
  const record = res.json()
  assert.equal(record.email, email)
  assert.equal(record._id, record.id)
  assert.equal(record.roleName, 'Help Desk')
  assert.deepEqual(record.roleNames, ['Help Desk'])
  assert.equal(record.organization, org.organizationId)
  assert.equal(record.registered, false)
  assert.equal(record.apiKeySet, false)
  assert.deepEqual(await org.eventTypes(), ['admin_create'])
  const [event] = await org.events()
  assert.deepEqual(event?.initiated_by, { type: 'admin', id: org.adminId, email: org.email })
  assert.equal(event?.auth_method, 'api-key')
  assert.equal(event?.organization, org.organizationId)
  assert.equal(event?.['@version'], 1)
})

test('bad input for an administrator is 400 and changes nothing; a taken address is 409', async () => {
  const org = await app.newOrganization()
  for (const body of [
    {},
    { email: 'not an address' },
    { email: address(), roleName: 'No Such Role' },
    { email: address(), firstname: 7 },
  ]) {
    assert.equal((await org.post('/api/users', body)).statusCode, 400, JSON.stringify(body))
  }
  const email = address()
  assert.equal((await org.post('/api/users', { email })).statusCode, 200)
  const again = await org.post('/api/users', { email: email.toUpperCase() })
  assert.equal(again.statusCode, 409)
  assert.match(again.json().message, /email/)
  assert.equal(again.json().reason, 'email_taken')
  assert.equal((await org.get('/api/users')).json().totalCount, 2)
})

test('administrators of another organization are not seen, changed or deleted', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  assert.deepEqual(
    (await org.get('/api/users')).json().results.map((r: { _id: string }) => r._id),
    [org.adminId],
  )
  const url = `/api/users/${other.adminId}`
  assert.equal((await org.get(url)).statusCode, 404)
  assert.equal((await org.put(url, { firstname: 'Eve' })).statusCode, 404)
  assert.equal((await org.delete(url)).statusCode, 404)
  assert.equal((await org.delete(`${url}/apikey`)).statusCode, 404)
  assert.equal((await org.get(`/api/users/reactivate/${other.adminId}`)).statusCode, 404)
  assert.equal((await org.post(`/api/users/resettotp/${other.adminId}`)).statusCode, 404)
  assert.equal((await other.get('/api/users/getSelf')).statusCode, 200)
  assert.deepEqual(await other.eventTypes(), [])
})

test('PUT changes what is sent and keeps the rest', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId, 'Read Only')
  const res = await org.put(`/api/users/${admin.id}`, {
    lastname: 'Hopper',
    roleNames: ['Manager', 'Help Desk'],
    growthData: { seen: 1 },
  })
  assert.equal(res.statusCode, 200)
  assert.equal(res.json().firstname, 'Ada')
  assert.equal(res.json().lastname, 'Hopper')
  assert.deepEqual(res.json().roleNames, ['Manager', 'Help Desk'])
  assert.deepEqual(res.json().growthData, { seen: 1 })
  const event = (await org.events()).at(-1)!
  assert.equal(event.event_type, 'admin_update')
  assert.deepEqual(
    (event.changes as { field: string }[]).map((c) => c.field),
    ['lastname', 'roles'],
  )
})

test('nobody can grant scopes they lack, or change an administrator with more scopes', async () => {
  const org = await app.newOrganization('Administrator')
  const owner = await app.addAdministrator(org.organizationId, 'Administrator with Billing')
  const up = await org.post('/api/users', {
    email: address(),
    roleName: 'Administrator with Billing',
  })
  assert.deepEqual([up.statusCode, up.json().reason], [403, 'grant_exceeds_own'])
  assert.equal(
    (await org.put(`/api/users/${org.adminId}`, { roleName: 'Administrator with Billing' }))
      .statusCode,
    403,
  )
  assert.equal((await org.put(`/api/users/${owner.id}`, { email: address() })).statusCode, 403)
  assert.equal((await org.delete(`/api/users/${owner.id}`)).statusCode, 403)
  assert.equal((await org.delete(`/api/users/${owner.id}/apikey`)).statusCode, 403)
})

test('suspension disables keys at once and is recorded; it can be lifted', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId)
  assert.equal((await admin.get('/api/organizations')).statusCode, 200)
  assert.equal(
    (await org.put(`/api/users/${admin.id}`, { suspended: true })).json().suspended,
    true,
  )
  assert.equal((await admin.get('/api/organizations')).statusCode, 401)
  assert.equal((await org.get(`/api/users/reactivate/${admin.id}`)).statusCode, 200)
  assert.equal((await admin.get('/api/organizations')).statusCode, 200)
  const types = await org.eventTypes()
  assert.deepEqual(types.slice(-3), [
    'admin_suspended',
    'admin_unsuspend',
    'admin_password_reset_request',
  ])
  assert.equal((await org.put(`/api/users/${org.adminId}`, { suspended: true })).statusCode, 400)
})

test('deleting an administrator revokes the key', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId)
  const res = await org.delete(`/api/users/${admin.id}`)
  assert.equal(res.statusCode, 200)
  assert.equal(res.json()._id, admin.id)
  assert.equal((await admin.get('/api/organizations')).statusCode, 401)
  assert.equal((await org.delete(`/api/users/${admin.id}`)).statusCode, 404)
  assert.equal((await org.delete(`/api/users/${org.adminId}`)).statusCode, 400)
})

test('resetting a key revokes the old one at once', async () => {
  const org = await app.newOrganization()
  for (let round = 0; round < 3; round++)
    assert.equal((await org.get('/api/organizations')).statusCode, 200)
  const res = await org.post(`/api/users/${org.adminId}/apikey`)
  assert.equal(res.statusCode, 200)
  app.secrets.add(res.json().apiKey)
  assert.match(res.json().apiKey, /^gh_[\w-]{43}[0-9a-f]{8}$/)
  assert.equal((await org.get('/api/organizations')).statusCode, 401)
  const fresh = app.as(res.json().apiKey)
  assert.equal((await fresh.get('/api/organizations')).statusCode, 200)
  const self = (await fresh.get('/api/users/getSelf')).json()
  assert.equal(self.apiKeySet, true)
  assert.equal(self.apiKeyHash.prefix, res.json().prefix)
  const event = (await org.events()).at(-1)
  assert.deepEqual(event?.changes, [{ field: 'apiKey' }])
})

test('the last use of a key is noted, once in a few minutes', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId)
  const lastUse = async () =>
    (await org.get(`/api/users/${admin.id}`)).json().apiKeyHash.lastUsedAt as string | null
  assert.equal(await lastUse(), null)
  /** A change of an administrator clears the cache, so that the key is looked up again. */
  const usedAt = async (minutes: number) => {
    await app.db.run(sql`
      update credentials set last_used_at = now() - make_interval(mins => ${minutes})
       where administrator_id = ${admin.id}`)
    await org.put(`/api/users/${admin.id}`, { lastname: `Used ${minutes}` })
    const before = await lastUse()
    assert.equal((await admin.get('/api/users/getSelf')).statusCode, 200)
    return before === (await lastUse())
  }
  assert.equal((await admin.get('/api/users/getSelf')).statusCode, 200)
  assert.ok(await lastUse())
  assert.equal(await usedAt(3), true)
  assert.equal(await usedAt(6), false)
})

test('a key can be narrowed to scopes and cannot widen itself again', async () => {
  const org = await app.newOrganization()
  const made = await org.post(`/api/users/${org.adminId}/apikey`, {
    scopes: ['organizations.readonly'],
  })
  assert.equal(made.statusCode, 200)
  assert.deepEqual(made.json().scopes, ['organizations.readonly'])
  app.secrets.add(made.json().apiKey)
  const narrow = app.as(made.json().apiKey)
  assert.equal((await narrow.get('/api/organizations')).statusCode, 200)
  assert.equal((await narrow.get('/api/users')).statusCode, 403)
  assert.equal((await narrow.post(`/api/users/${org.adminId}/apikey`, {})).statusCode, 403)
  assert.equal(
    (await narrow.post(`/api/users/${org.adminId}/apikey`, { scopes: ['users'] })).statusCode,
    403,
  )
  assert.equal((await narrow.get('/api/organizations')).statusCode, 200)
})

test('a key expires; an expiry in the past and an unknown scope are refused', async () => {
  const org = await app.newOrganization()
  const url = `/api/users/${org.adminId}/apikey`
  assert.equal((await org.post(url, { expireAt: '2020-01-01T00:00:00Z' })).statusCode, 400)
  assert.equal((await org.post(url, { scopes: ['no.such.scope'] })).statusCode, 400)
  const made = await org.post(url, { expireAt: new Date(Date.now() + 3_600_000).toISOString() })
  const key = app.as(made.json().apiKey)
  assert.equal((await key.get('/api/organizations')).statusCode, 200)
  await app.db.tx(null, (tx) =>
    tx.execute(
      "update credentials set expires_at = now() - interval '1 second' where administrator_id = $1",
      [org.adminId],
    ),
  )
  app.contexts.admins.cache.clear()
  assert.equal((await key.get('/api/organizations')).statusCode, 401)
})

test('the key of another administrator can be revoked but not created', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId)
  assert.equal((await org.post(`/api/users/${admin.id}/apikey`, {})).statusCode, 403)
  assert.equal((await org.delete(`/api/users/${admin.id}/apikey`)).statusCode, 200)
  assert.equal((await admin.get('/api/organizations')).statusCode, 401)
  assert.equal((await org.delete(`/api/users/${admin.id}/apikey`)).statusCode, 404)
})

test('apiKeyAllowed: false disables the key', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId)
  await org.put(`/api/users/${admin.id}`, { apiKeyAllowed: false })
  assert.equal((await admin.get('/api/organizations')).statusCode, 401)
  const refused = await (await signInToConsole(app.http, admin)).post(
    `/api/users/${admin.id}/apikey`,
    {},
  )
  assert.deepEqual([refused.statusCode, refused.json().reason], [403, 'key_not_allowed'])
})

test('getSelf shows a multi-tenant administrator their provider', async () => {
  const msp = await app.newProvider(2)
  const res = await msp.get('/api/users/getSelf?fields=provider')
  assert.equal(res.json().provider, msp.providerId)
  assert.equal(res.json().email, undefined)
})

test('resetting TOTP where none is enrolled is 412', async () => {
  const org = await app.newOrganization()
  assert.equal((await org.post(`/api/users/resettotp/${org.adminId}`)).statusCode, 412)
})

test('the list of administrators filters, sorts and searches', async () => {
  const org = await app.newOrganization()
  await org.post('/api/users', { email: `zoe.${address()}`, firstname: 'Zoe' })
  const found = await org.get('/api/users?filter=firstname:$eq:Zoe&fields=email')
  assert.equal(found.json().totalCount, 1)
  assert.deepEqual(Object.keys(found.json().results[0]).sort(), ['_id', 'email', 'id'])
  assert.equal((await org.get('/api/users?filter=suspended:$eq:false')).json().totalCount, 2)
  assert.equal((await org.get('/api/users?filter=password:$eq:x')).statusCode, 400)
})
