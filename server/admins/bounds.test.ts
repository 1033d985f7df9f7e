import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInToConsole } from '../../test/console.ts'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'

// Administrators of a provider with access to only some of its organizations cannot create or change anything beyond.

const app = await startApp()
const address = () => `${newId()}@example.com`

/** A provider with three organizations, and an administrator with access to the first. */
async function limited(roleName = 'Administrator') {
  const msp = await app.newProvider(3)
  const [own, foreign] = msp.organizationIds as [string, string, string]
  const admin = await app.addProviderAdministrator(msp.providerId, [own], roleName)
  return { msp, own, foreign, admin, provider: `/api/v2/providers/${msp.providerId}` }
}

const linksOf = async (msp: { get: typeof app.anonymous.get }, id: string) =>
  (
    (await msp.get(`/api/v2/administrators/${id}/organizationlinks`)).json() as {
      organization: string
    }[]
  ).map(({ organization }) => organization)

test('a new administrator has access to the same organizations as its creator, by either route', async () => {
  const { msp, own, admin, provider } = await limited()
  for (const url of ['/api/users', `${provider}/administrators`]) {
    const made = await admin.post(url, { email: address(), roleName: 'Manager' })
    assert.equal(made.statusCode, 200, made.body)
    assert.deepEqual(await linksOf(msp, made.json().id), [own])
  }
  const all = await msp.post('/api/users', { email: address(), roleName: 'Manager' })
  assert.equal((await linksOf(msp, all.json().id)).length, 3)
})

test('a peer with access to more organizations cannot be changed in any way', async () => {
  const { msp, own, foreign, admin, provider } = await limited()
  const wide = await app.addProviderAdministrator(msp.providerId, [own, foreign], 'Read Only')
  const session = await signInToConsole(app.http, admin)
  assert.equal((await session.confirm()).statusCode, 200)
  const links = `/api/v2/administrators/${wide.id}/organizationlinks`
  const attempts = {
    rename: session.put(`/api/users/${wide.id}`, { firstname: 'Eve' }),
    email: session.put(`/api/users/${wide.id}`, { email: address() }),
    suspend: session.put(`/api/users/${wide.id}`, { suspended: true }),
    reactivate: session.get(`/api/users/reactivate/${wide.id}`),
    totp: session.post(`/api/users/resettotp/${wide.id}`),
    key: session.delete(`/api/users/${wide.id}/apikey`),
    unlink: session.delete(`${links}/${own}`),
    unlinkForeign: session.delete(`${links}/${foreign}`),
    remove: session.delete(`/api/users/${wide.id}`),
    removeV2: session.delete(`${provider}/administrators/${wide.id}`),
  }
  for (const [what, attempt] of Object.entries(attempts)) {
    const res = await attempt
    assert.deepEqual(
      [res.statusCode, res.json().reason],
      [403, 'administrator_reach'],
      `${what}: ${res.body}`,
    )
    assert.match(res.json().message, /organizations/, what)
  }
  assert.equal((await wide.get('/api/users/getSelf')).json().firstname, '')
  assert.equal((await linksOf(msp, wide.id)).length, 2)
  // A peer with no more access can.
  const narrow = await app.addProviderAdministrator(msp.providerId, [own], 'Read Only')
  const renamed = await admin.put(`/api/users/${narrow.id}`, { firstname: 'Grace' })
  assert.equal(renamed.json().firstname, 'Grace')
  assert.equal((await admin.delete(`/api/users/${narrow.id}`)).statusCode, 200)
})

test('changing links requires the scopes of the linked administrator', async () => {
  const msp = await app.newProvider(2)
  const [first, second] = msp.organizationIds as [string, string]
  const admin = await app.addProviderAdministrator(msp.providerId, [first, second])
  const owner = await app.addProviderAdministrator(
    msp.providerId,
    [first],
    'Administrator with Billing',
  )
  const links = `/api/v2/administrators/${owner.id}/organizationlinks`
  assert.equal((await admin.post(links, { organization: second })).statusCode, 403)
  assert.equal((await admin.delete(`${links}/${first}`)).statusCode, 403)
  assert.equal((await msp.post(links, { organization: second })).statusCode, 201)
})

test('the links of a peer show no organization that the caller cannot access', async () => {
  const { msp, own, admin } = await limited()
  assert.deepEqual(await linksOf(admin, msp.adminId), [own])
})

test('an inaccessible organization cannot be seen, renamed or resized', async () => {
  const { msp, own, foreign, admin, provider } = await limited('Administrator with Billing')
  const url = `${provider}/organizations/${foreign}`
  assert.equal((await admin.put(url, { name: 'Taken over' })).statusCode, 404)
  assert.equal((await admin.put(url, { maxSystemUsers: 1 })).statusCode, 404)
  assert.equal((await admin.put(`/api/organizations/${foreign}`, {})).statusCode, 404)
  assert.equal(
    (await admin.get(`/api/v2/organizations/${foreign}/administratorlinks`)).statusCode,
    404,
  )
  const list = (await admin.get(`${provider}/organizations`)).json()
  assert.deepEqual(
    list.results.map(({ id }: { id: string }) => id),
    [own],
  )
  assert.equal(list.totalCount, 1)
  assert.equal((await msp.get(`${provider}/organizations`)).json().totalCount, 3)
  const renamed = await admin.put(`${provider}/organizations/${own}`, { name: 'Own' })
  assert.equal(renamed.json().name, 'Own')
})

test('operations on the provider require access to all its organizations', async () => {
  const { msp, own, admin, provider } = await limited('Administrator with Billing')
  const portal = { 'x-provider-id': msp.providerId }
  const account = {
    name: newId(),
    roleId: '000000000000000000000002',
    authConfig: { authType: 'API_KEY' },
  }
  const made = (await msp.post('/api/v2/service-accounts', account, portal)).json().serviceAccount
  const role = (await msp.post('/api/v2/roles', { name: 'All', scopes: ['users'] }, portal)).json()
  const path = `/api/v2/service-accounts/${made.objectId}`
  const attempts = [
    admin.put(provider, { name: 'Taken over' }),
    admin.get('/api/v2/service-accounts', portal),
    admin.post('/api/v2/service-accounts', { ...account, name: newId() }, portal),
    admin.post(`${path}/auth-config`, { authType: 'API_KEY' }, portal),
    admin.delete(`${path}/auth-config/${made.authConfigList[0].objectId}`, undefined, portal),
    admin.delete(path, undefined, portal),
    admin.post('/api/v2/roles', { name: 'Mine', scopes: ['users'] }, portal),
    admin.put(`/api/v2/roles/${role.id}`, { name: 'All', scopes: ['systems'] }, portal),
    admin.delete(`/api/v2/roles/${role.id}`, undefined, portal),
  ]
  for (const attempt of attempts) {
    const res = await attempt
    assert.equal(res.statusCode, 403, res.body)
    assert.equal(res.json().reason, 'provider_reach')
  }
  const events = { service: ['all'], start_time: '2020-01-01T00:00:00Z' }
  const told = await admin.post('/insights/directory/v1/events', events, portal)
  assert.equal(told.statusCode, 403)
  // The same operations on the one organization still work.
  const here = { 'x-org-id': own }
  assert.equal((await admin.post('/api/v2/service-accounts', account, here)).statusCode, 200)
  assert.equal((await msp.get('/api/v2/roles', portal)).statusCode, 200)
})

test('a link to the last organization gives access to the provider', async () => {
  const { msp, admin, provider } = await limited()
  const [, ...others] = msp.organizationIds
  for (const organization of others) {
    assert.equal((await admin.put(provider, { name: 'Mine' })).statusCode, 403)
    const links = `/api/v2/administrators/${admin.id}/organizationlinks`
    assert.equal((await msp.post(links, { organization })).statusCode, 201)
  }
  assert.equal((await admin.put(provider, { name: 'Ours' })).statusCode, 200)
})

test('a new organization is accessible to its creator and to owners with access to all others', async () => {
  const { msp, own, admin, provider } = await limited('Administrator')
  const part = await app.addProviderAdministrator(
    msp.providerId,
    [own],
    'Administrator with Billing',
  )
  const made = await admin.post(`${provider}/organizations`, { name: 'New' })
  assert.equal(made.statusCode, 201)
  const url = `/api/organizations/${made.json().id}`
  assert.equal((await admin.get(url)).statusCode, 200)
  assert.equal((await msp.get(url)).statusCode, 200)
  assert.equal((await part.get(url)).statusCode, 404)
})

test('changing a role requires its scopes and those of its holders', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId, 'Administrator')
  const both = await app.addAdministrator(org.organizationId, 'Administrator with Billing')
  const role = async (scopes: string[]) =>
    (await org.post('/api/v2/roles', { name: newId(), scopes })).json()
  const bills = await role(['billing', 'users'])
  const put = (who: typeof admin, { id, name }: { id: string; name: string }) =>
    who.put(`/api/v2/roles/${id}`, { name, scopes: ['users.readonly'] })
  assert.equal((await put(admin, bills)).statusCode, 403, 'more scopes than its changer')
  const plain = await role(['users'])
  const given = await org.put(`/api/users/${both.id}`, {
    roleNames: ['Administrator with Billing', plain.name],
  })
  assert.equal(given.statusCode, 200)
  assert.equal((await put(admin, plain)).statusCode, 403, 'held by somebody with more')
  assert.equal((await put(org, plain)).statusCode, 200)
  assert.equal((await put(admin, await role(['users']))).statusCode, 200)
})
