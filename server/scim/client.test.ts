import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { collect, connect, fails } from '../../test/scim/connect.ts'
import { startScimServer } from '../../test/scim/server.ts'
import type { ScimQuirks } from './schema.ts'
import { SCHEMAS } from './types.ts'

// Every test runs against an implementation of SCIM that is not ours.
let losesReplies = false
const server = await startScimServer({
  intercept(request, response, next) {
    if (losesReplies && request.method === 'POST') response.send = () => response.destroy()
    next()
  },
})
after(() => server.close())
beforeEach(() => {
  server.users.clear()
  server.groups.clear()
  server.requests.length = 0
})

const enterprise = SCHEMAS.EnterpriseUser
const ada = {
  schemas: [SCHEMAS.User, enterprise],
  externalId: 'e1',
  userName: 'ada@a.test',
  name: { givenName: 'Ada', familyName: 'Byron', middleName: 'K' },
  title: 'Analyst',
  emails: [{ value: 'ada@a.test', type: 'work', primary: true }],
  active: true,
  [enterprise]: { department: 'Engines', employeeNumber: '7' },
}
const changed = {
  ...ada,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  title: undefined,
  nickName: 'Countess',
  emails: [{ value: 'ada@b.test', type: 'work', primary: true }],
  [enterprise]: { department: 'Poetry', manager: { value: '42' } },
}
const plain = (value: object) => JSON.parse(JSON.stringify(value))
const user = (number: number) => ({ schemas: [SCHEMAS.User], userName: `user${number}` })

const FORMS: ScimQuirks[] = [{}, { update: 'path' }, { update: 'put' }]

test('a user is created, found, changed, deactivated and removed, in every form', async (t) => {
  for (const quirks of FORMS) {
    const { client } = connect(t, server.url, { quirks })
    assert.equal(await client.find('User', { externalId: 'e1', name: 'ada@a.test' }), undefined)
    const { id } = await client.create('User', ada)
    assert.equal((await client.find('User', { externalId: 'e1', name: 'other' }))?.id, id)
    assert.equal((await client.find('User', { name: 'ada@a.test' }))?.id, id)
    await client.updateUser(id, { before: ada, after: changed })
    const { meta, ...stored } = server.users.get(id)!
    const schemas = [...(stored.schemas as string[])].sort()
    assert.deepEqual(
      { ...stored, schemas },
      plain({ ...changed, id, schemas }),
      JSON.stringify(quirks),
    )
    await client.setActive(id, false)
    assert.equal(server.users.get(id)!.active, false)
    assert.equal((await client.get('User', id)).active, false)
    await client.setActive(id, true)
    assert.equal(server.users.get(id)!.active, true)
    await client.remove('User', id)
    await client.remove('User', id)
    assert.equal(server.users.size, 0)
    await assert.rejects(
      client.updateUser(id, { before: ada, after: changed }),
      fails('not_found', /404/),
    )
    await assert.rejects(client.get('User', id), fails('not_found', /404/))
  }
})

test('one value without a path changes a user, too', async (t) => {
  const { client } = connect(t, server.url, { quirks: { update: 'value' } })
  const { id } = await client.create('User', ada)
  const renamed = { ...ada, userName: 'augusta', name: { ...ada.name, givenName: 'Augusta' } }
  await client.updateUser(id, { before: ada, after: renamed })
  await client.setActive(id, false)
  assert.equal(client.chain.filter(({ method }) => method === 'PATCH').length, 2)
  const { meta, ...stored } = server.users.get(id)!
  assert.deepEqual(stored, plain({ ...renamed, id, active: false }))
})

test('a duplicate exists, and an unknown attribute value is refused', async (t) => {
  const { client } = connect(t, server.url)
  await client.create('User', ada)
  await assert.rejects(
    client.create('User', { ...ada, userName: 'Ada@A.TEST' }),
    fails('exists', /refused to create the user: userName is already in use \(409\)/),
  )
  await assert.rejects(
    client.create('User', { ...user(1), active: 'perhaps' as never }),
    fails('rejected', /refused to create the user: .*active.* \(400\)/),
  )
})

test('members of a group are added and removed by difference, and survive a new name', async (t) => {
  for (const quirks of [...FORMS, { members: 'put' }] as ScimQuirks[]) {
    const { client, provider } = connect(t, server.url, { quirks })
    const members = Array.from({ length: 120 }, (_, at) => `u/${at} x`)
    const before = { schemas: [SCHEMAS.Group], displayName: 'Staff', externalId: 'g1' }
    const { id } = await client.create('Group', before)
    const stored = () =>
      (server.groups.get(id)!.members as { value: string }[]).map(({ value }) => value)
    await client.changeMembers(id, { add: members, remove: [], all: async () => members })
    assert.deepEqual(stored(), members)
    const [first, ...rest] = members
    await client.changeMembers(id, { add: [], remove: [first!], all: async () => rest })
    assert.deepEqual(stored(), rest)
    await client.updateGroup(
      id,
      { before, after: { ...before, displayName: 'Crew' } },
      async () => rest,
    )
    assert.equal(server.groups.get(id)!.displayName, 'Crew')
    assert.deepEqual(stored(), rest)
    assert.equal((await client.find('Group', { externalId: 'g1', name: 'x' }))?.displayName, 'Crew')
    const expected = quirks.members ? { members: 'put' } : { members: 'patch', removal: 'filter' }
    const { members: by, removal } = provider.quirks
    assert.deepEqual({ members: by, ...(removal && { removal }) }, expected)
    await client.remove('Group', id)
  }
})

test('all users are listed', async (t) => {
  const { client } = connect(t, server.url)
  for (let at = 0; at < 230; at++) await client.create('User', user(at))
  const names = (await collect(client.list('User'))).map(({ userName }) => userName)
  assert.deepEqual(
    names,
    Array.from({ length: 230 }, (_, at) => `user${at}`),
  )
})

test('the requests of a unit of work are listed without secrets', async (t) => {
  const { client } = connect(t, server.url)
  await client.find('User', { externalId: 'e1', name: 'ada' })
  const { id } = await client.create('User', ada)
  await client.setActive(id, false)
  assert.deepEqual(client.chain, [
    { method: 'GET', path: '/Users', status: 200 },
    { method: 'GET', path: '/Users', status: 200 },
    { method: 'POST', path: '/Users', status: 201 },
    { method: 'GET', path: '/ServiceProviderConfig', status: 200 },
    { method: 'PATCH', path: `/Users/${id}`, status: 200 },
  ])
})

test('a user whose creation was not confirmed is found', async (t) => {
  const { client } = connect(t, server.url)
  losesReplies = true
  const { id } = await client.create('User', ada)
  losesReplies = false
  assert.deepEqual([...server.users.keys()], [id])
})

test('wrong credentials and a wrong base URL are misconfigured', async (t) => {
  const { client } = connect(t, server.url, { token: 'wrong' })
  await assert.rejects(
    client.find('User', { name: 'ada' }),
    fails('misconfigured', /refused our credentials: Wrong token \(401\)/),
  )
  const { client: lost } = connect(t, server.url.replace('/v2', '/v3'))
  await assert.rejects(
    lost.find('User', { name: 'ada' }),
    fails('misconfigured', /no SCIM service/),
  )
  await assert.rejects(lost.remove('User', '1'), fails('misconfigured', /no SCIM service/))
})
