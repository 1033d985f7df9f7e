import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol, newKeyPair, signedCaller } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { newId } from '../platform/ids.ts'
import { addNode } from './index.ts'
import { associableWith, NODE_TYPES, type NodeType } from './pairs.ts'
import { WRITE_SCOPES } from './rights.ts'

// Changing an edge takes rights on both ends, from either side; granting sudo takes a scope of its own.

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const { publicKey, privateKey } = newKeyPair()

/** Somebody of the organization with these scopes only. */
async function holding(org: Org, scopes: string[]) {
  const role = (await org.post('/api/v2/roles', { name: newId(), scopes })).json()
  const admin = await app.addAdministrator(org.organizationId, 'Read Only')
  const given = await org.put(`/api/users/${admin.id}`, { roleNames: [role.name] })
  assert.equal(given.statusCode, 200, given.body)
  return admin
}

async function node(org: Org, type: NodeType): Promise<string> {
  const id = newId()
  await app.db.tx(org.organizationId, (tx) => addNode(tx, org.organizationId, type, id))
  return id
}

const PATHS: Partial<Record<NodeType, string>> = {
  user: 'users',
  user_group: 'usergroups',
  system: 'systems',
  system_group: 'systemgroups',
  application: 'applications',
  command: 'commands',
  policy: 'policies',
  radius_server: 'radiusservers',
  active_directory: 'activedirectories',
}
const associations = (type: NodeType, id: string) => `/api/v2/${PATHS[type]}/${id}/associations`

test('the Help Desk role cannot associate anything, from either side', async () => {
  const org = await app.newOrganization()
  const help = await app.addAdministrator(org.organizationId, 'Help Desk')
  const user = await node(org, 'user')
  for (const type of associableWith('user')) {
    const other = await node(org, type)
    const res = await help.post(associations('user', user), { op: 'add', type, id: other })
    assert.equal(res.statusCode, 403, `user ↔ ${type}: ${res.body}`)
    assert.match(res.json().message, /requires the scope/)
    assert.equal(res.json().reason, 'scope_missing')
    if (!PATHS[type]) continue
    const back = await help.post(associations(type, other), { op: 'add', type: 'user', id: user })
    assert.equal(back.statusCode, 403, `${type} ↔ user: ${back.body}`)
  }
  const group = await node(org, 'user_group')
  const member = { op: 'add', type: 'user', id: user }
  assert.equal((await help.post(`/api/v2/usergroups/${group}/members`, member)).statusCode, 403)
})

test('every pair requires rights on both of its ends, and no more', async () => {
  const org = await app.newOrganization()
  for (const type of NODE_TYPES.filter((type) => PATHS[type])) {
    const near = WRITE_SCOPES[type].at(-1)!
    const one = await holding(org, [near])
    for (const far of associableWith(type)) {
      const scope = WRITE_SCOPES[far].at(-1)!
      const body = { op: 'add', type: far, id: await node(org, far) }
      const url = associations(type, await node(org, type))
      const half = await one.post(url, body)
      const bond = type === 'application'
      const expected = near === scope || bond ? 204 : 403
      assert.equal(half.statusCode, expected, `${type} ↔ ${far} with ${near}: ${half.body}`)
      if (expected === 204) continue
      const both = await holding(org, [near, scope])
      assert.equal((await both.post(url, body)).statusCode, 204, `${type} ↔ ${far}`)
      assert.equal((await one.post(url, { ...body, op: 'remove' })).statusCode, 403)
    }
  }
})

test('changing group members requires the scope groups', async () => {
  const org = await app.newOrganization()
  const keeper = await holding(org, ['groups'])
  const group = (await org.post('/api/v2/usergroups', { name: 'Plain' })).json().id
  const add = { op: 'add', type: 'user', id: await node(org, 'user') }
  assert.equal((await keeper.post(`/api/v2/usergroups/${group}/members`, add)).statusCode, 204)
})

const sudo = (withoutPassword = false) => ({ sudo: { enabled: true, withoutPassword } })

test('granting sudo on an edge requires systems.sudo; keeping, narrowing and revoking it do not', async () => {
  const org = await app.newOrganization()
  const lesser = await holding(org, ['users', 'systems', 'groups'])
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const url = associations('user', user)
  const bind = (op: string, attributes?: object) => ({ op, type: 'system', id: system, attributes })
  const refused = await lesser.post(url, bind('add', sudo()))
  assert.equal(refused.statusCode, 403)
  assert.match(refused.json().message, /systems\.sudo/)
  const other = associations('system', system)
  const back = await lesser.post(other, { op: 'add', type: 'user', id: user, attributes: sudo() })
  assert.equal(back.statusCode, 403)
  assert.equal((await lesser.post(url, bind('add'))).statusCode, 204)
  assert.equal((await lesser.post(url, bind('update', sudo()))).statusCode, 403)
  assert.equal((await org.post(url, bind('update', sudo(true)))).statusCode, 204)
  assert.equal((await lesser.post(url, bind('update', { ...sudo(true), x: 1 }))).statusCode, 204)
  assert.equal((await lesser.post(url, bind('update', sudo()))).statusCode, 204)
  assert.equal((await lesser.post(url, bind('update', sudo(true)))).statusCode, 403)
  assert.equal((await lesser.post(url, bind('remove'))).statusCode, 204)
  const manager = await app.addAdministrator(org.organizationId, 'Manager')
  assert.equal((await manager.post(url, bind('add', sudo(true)))).statusCode, 204)
})

test('granting sudo to a group requires systems.sudo, and so does adding members to a group that has it', async () => {
  const org = await app.newOrganization()
  const keeper = await holding(org, ['groups', 'users', 'systems'])
  const attributes = sudo()
  const refused = await keeper.post('/api/v2/usergroups', { name: 'Roots', attributes })
  assert.equal(refused.statusCode, 403)
  assert.match(refused.json().message, /systems\.sudo/)
  const { id } = (await keeper.post('/api/v2/usergroups', { name: 'Roots' })).json()
  const url = `/api/v2/usergroups/${id}`
  for (const method of ['put', 'patch'] as const)
    assert.equal((await keeper[method](url, { name: 'Roots', attributes })).statusCode, 403)
  assert.equal((await org.put(url, { name: 'Roots', attributes })).statusCode, 200)
  const whole = (await keeper.get(url)).json()
  const renamed = await keeper.put(url, { name: 'Renamed', attributes: whole.attributes })
  assert.equal(renamed.statusCode, 200, renamed.body)

  const rule = { queryType: 'Filter', filters: [{ field: 'email', operator: 'ne', value: '' }] }
  const open = {
    name: 'Renamed',
    attributes,
    membershipMethod: 'DYNAMIC_AUTOMATED',
    memberQuery: rule,
  }
  assert.equal((await keeper.put(url, open)).statusCode, 403)
  const member = { op: 'add', type: 'user', id: await node(org, 'user') }
  const joined = await keeper.post(`${url}/members`, member)
  assert.equal(joined.statusCode, 403)
  assert.match(joined.json().message, /systems\.sudo/)
  assert.equal((await org.post(`${url}/members`, member)).statusCode, 204)
  const out = await keeper.post(`${url}/members`, { ...member, op: 'remove' })
  assert.equal(out.statusCode, 204)
  assert.equal((await keeper.put(url, { name: 'Renamed', attributes: null })).statusCode, 200)
  assert.equal((await keeper.post(`${url}/members`, member)).statusCode, 204)
})

test('a group with a sudo association passes sudo on to its members', async () => {
  const org = await app.newOrganization()
  const keeper = await holding(org, ['groups', 'users', 'systems'])
  const group = (await org.post('/api/v2/usergroups', { name: 'Bound' })).json().id
  const machines = (await org.post('/api/v2/systemgroups', { name: 'Machines' })).json().id
  const bind = { op: 'add', type: 'system_group', id: machines, attributes: sudo() }
  assert.equal((await org.post(associations('user_group', group), bind)).statusCode, 204)
  const user = { op: 'add', type: 'user', id: await node(org, 'user') }
  const system = { op: 'add', type: 'system', id: await node(org, 'system') }
  assert.equal((await keeper.post(`/api/v2/usergroups/${group}/members`, user)).statusCode, 403)
  assert.equal(
    (await keeper.post(`/api/v2/systemgroups/${machines}/members`, system)).statusCode,
    403,
  )
  assert.equal((await org.post(`/api/v2/usergroups/${group}/members`, user)).statusCode, 204)
})

test('a system that signs its requests can bind users to itself', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, publicKey)
  const signed = signedCaller(app.http, system, privateKey)
  const { id } = await addUser(org)
  const body = { op: 'add', type: 'user', id, attributes: sudo() }
  const url = `/api/v2/systems/${system}/associations`
  assert.equal((await signed('POST', url, body)).statusCode, 204)
  const group = (await org.post('/api/v2/systemgroups', { name: 'Machines' })).json().id
  const member = { op: 'add', type: 'system', id: system }
  assert.equal(
    (await signed('POST', `/api/v2/systemgroups/${group}/members`, member)).statusCode,
    204,
  )
})
