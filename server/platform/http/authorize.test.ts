import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { newId } from '../ids.ts'

const app = await startApp()

// x-org-id, following the specification's error table and design §4.

test('a multi-tenant administrator must name an organization', async () => {
  const msp = await app.newProvider(2)
  const res = await msp.get('/api/v2/roles')
  assert.equal(res.statusCode, 401)
  assert.equal(res.json().reason, 'org_id_required')
})

test('a multi-tenant administrator acts on the organization it names', async () => {
  const msp = await app.newProvider(2)
  const [first, second] = msp.organizationIds as [string, string]
  const made = await msp.post(
    '/api/v2/roles',
    { name: 'One', scopes: ['users'] },
    { 'x-org-id': first },
  )
  assert.equal(made.statusCode, 200)
  const there = await msp.get(`/api/v2/roles/${made.json().id}`, { 'x-org-id': first })
  assert.equal(there.statusCode, 200)
  const elsewhere = await msp.get(`/api/v2/roles/${made.json().id}`, { 'x-org-id': second })
  assert.deepEqual([elsewhere.statusCode, elsewhere.json().reason], [404, 'role_not_found'])
})

test('a single-tenant administrator needs no x-org-id, and an empty one counts as absent', async () => {
  const org = await app.newOrganization()
  assert.equal((await org.get('/api/v2/roles')).statusCode, 200)
  assert.equal((await org.get('/api/v2/roles', { 'x-org-id': '' })).statusCode, 200)
  assert.equal((await org.get('/api/v2/roles', { 'x-org-id': org.organizationId })).statusCode, 200)
  assert.equal((await org.get('/api/organizations', { 'x-org-id': '' })).statusCode, 200)
})

test('for a multi-tenant administrator an empty x-org-id counts as missing', async () => {
  const msp = await app.newProvider(2)
  assert.equal((await msp.get('/api/v2/roles', { 'x-org-id': '' })).statusCode, 401)
})

test('a malformed x-org-id is 400', async () => {
  const org = await app.newOrganization()
  for (const value of [
    'zz',
    '123',
    `${org.organizationId}, ${org.organizationId}`,
    org.organizationId.toUpperCase(),
  ]) {
    const res = await org.get('/api/v2/roles', { 'x-org-id': value })
    assert.equal(res.statusCode, value === org.organizationId ? 200 : 400, value)
  }
  const path = await org.get(`/api/organizations/${org.organizationId}`, { 'x-org-id': 'zz' })
  assert.deepEqual([path.statusCode, path.json().reason], [400, 'org_id_malformed'])
})

test('an x-org-id that differs from the organization in the path is 400', async () => {
  const msp = await app.newProvider(2)
  const [first, second] = msp.organizationIds as [string, string]
  for (const path of [
    `/api/organizations/${first}`,
    `/api/v2/organizations/${first}/administratorlinks`,
  ]) {
    const res = await msp.get(path, { 'x-org-id': second })
    assert.equal(res.statusCode, 400)
    assert.equal(res.json().reason, 'org_id_differs')
    assert.equal((await msp.get(path, { 'x-org-id': first })).statusCode, 200)
  }
})

test('an unknown organization and one of another tenant are both 404', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  for (const id of [newId(), other.organizationId]) {
    const res = await org.get('/api/v2/roles', { 'x-org-id': id })
    assert.equal(res.statusCode, 404)
    assert.equal(res.json().message, 'organization not found')
  }
})

test('x-org-id on a route that does not support it is 403 with the message of the specification', async () => {
  const msp = await app.newProvider(1)
  const headers = { 'x-org-id': msp.organizationIds[0]! }
  const paths = [
    '/api/organizations',
    '/api/organizations/',
    '/api/users',
    '/api/users/getSelf',
    `/api/v2/providers/${msp.providerId}`,
    `/api/v2/administrators/${msp.adminId}/organizationlinks`,
  ]
  for (const path of paths) {
    const res = await msp.get(path, headers)
    assert.deepEqual([res.statusCode, res.json().reason], [403, 'org_id_unsupported'], path)
    assert.equal(res.json().message, 'x-org-id included on unsupported route')
  }
  const nowhere = await msp.get('/api/v2/integrations/anything', headers)
  assert.equal(nowhere.statusCode, 403, 'even where no route exists')
  assert.equal((await msp.get('/api/v2/integrations/anything')).statusCode, 404)
  const search = await msp.post('/api/search/organizations', {}, headers)
  assert.equal(search.statusCode, 403)
})

test('x-provider-id selects the provider itself', async () => {
  const msp = await app.newProvider(2)
  const other = await app.newProvider(2)
  const mine = { 'x-provider-id': msp.providerId }
  const made = await msp.post('/api/v2/roles', { name: 'Partner', scopes: ['users'] }, mine)
  assert.equal(made.statusCode, 200)
  assert.equal((await msp.get(`/api/v2/roles/${made.json().id}`, mine)).statusCode, 200)
  assert.equal(
    (await msp.get('/api/v2/roles', { 'x-provider-id': other.providerId })).statusCode,
    404,
  )
  assert.equal((await msp.get('/api/v2/roles', { 'x-provider-id': 'zz' })).statusCode, 400)
})

test('without a key, with a wrong key, with a mistyped key: 401', async () => {
  const org = await app.newOrganization()
  assert.equal((await app.anonymous.get('/api/organizations')).statusCode, 401)
  assert.equal((await app.as('no such key').get('/api/organizations')).statusCode, 401)
  const mistyped = `${org.apiKey.slice(0, -1)}${org.apiKey.endsWith('0') ? '1' : '0'}`
  const res = await app.as(mistyped).get('/api/organizations')
  assert.deepEqual([res.statusCode, res.json().reason], [401, 'credential_invalid'])
  assert.deepEqual(Object.keys(res.json()), ['status', 'code', 'error', 'message', 'reason'])
})

test('a role without the scope of a route gets 403', async () => {
  const org = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.equal((await reader.get('/api/users')).statusCode, 200)
  const res = await reader.put(`/api/organizations/${org.organizationId}`, {
    settings: { name: 'x' },
  })
  assert.equal(res.statusCode, 403)
  assert.match(res.json().message, /organizations/)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get('/api/organizations')).statusCode, 200)
  assert.equal((await runner.get('/api/users')).statusCode, 403)
})

test('every route of the contract declares its scopes; only logos are public', () => {
  assert.ok(app.operations.length > 25)
  const open = app.operations.filter(({ scopes }) => scopes === null)
  assert.deepEqual(
    open.map(({ method, hostRootPath }) => `${method} ${hostRootPath}`),
    ['GET /api/v2/logos/{id}'],
  )
})
