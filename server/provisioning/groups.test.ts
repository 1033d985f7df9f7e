import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { clockOf } from '../../test/provisioning/journey.ts'
import {
  addGroupOf,
  addUser,
  connectLab,
  type Lab,
  member,
  ok,
  startLab,
} from '../../test/provisioning/world.ts'
import { page, startRawServer } from '../../test/scim/raw.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()

/** The groups of the provider: names to the userNames of their members. */
const groupsIn = (lab: Lab): Record<string, string[]> =>
  Object.fromEntries(
    [...lab.store.groups.values()].map(({ displayName, members = [] }) => [
      String(displayName),
      (members as { value: string }[])
        .map(({ value }) => String(lab.store.users.get(value)?.userName))
        .sort(),
    ]),
  )

test('bound groups are pushed with their members, renamed, and deleted with the group', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab, { groups: { push: true } })
  const { org } = world
  const [ada, bob] = [await addUser(org), await addUser(org)]
  const group = await addGroupOf(org, [ada.id, bob.id], 'Engineers')
  const empty = await addGroupOf(org, [], 'Nobody')
  await world.bind('user_group', group)
  await world.bind('user_group', empty)
  await app.runDueProvisioning()
  assert.deepEqual(groupsIn(lab), { Engineers: [ada.username, bob.username].sort() })

  await member(org, group, bob.id, 'remove')
  const eve = await addUser(org)
  await member(org, group, eve.id)
  await member(org, empty, eve.id)
  await app.runDueProvisioning()
  assert.deepEqual(groupsIn(lab), {
    Engineers: [ada.username, eve.username].sort(),
    Nobody: [eve.username],
  })

  ok(await org.put(`/api/v2/usergroups/${group}`, { name: 'Builders' }))
  ok(await org.put(`/api/systemusers/${ada.id}`, { suspended: true }))
  await app.runDueProvisioning()
  assert.deepEqual(groupsIn(lab).Builders, [eve.username])

  await world.bind('user_group', empty, 'remove')
  await app.runDueProvisioning()
  assert.deepEqual(groupsIn(lab).Nobody, [eve.username], 'an unbound group stays as it is')

  ok(await org.delete(`/api/v2/usergroups/${group}`))
  await app.runDueProvisioning()
  assert.deepEqual(Object.keys(groupsIn(lab)), ['Nobody'])
  const types = (await org.eventTypes()).filter((type) => type.startsWith('group_'))
  assert.ok(types.includes('group_create_provision'))
  assert.ok(types.includes('group_update_provision'))
  assert.ok(types.includes('group_delete_provision'))
})

test('a change of a group that may have taken effect is undone when it is no longer wanted', async () => {
  const clock = clockOf(app)
  const lab = await startLab()
  const world = await connectLab(app, lab, { groups: { push: true } })
  const { org } = world
  const [ada, bob] = [await addUser(org), await addUser(org)]
  const all = await addGroupOf(org, [ada.id, bob.id], 'All')
  const some = await addGroupOf(org, [ada.id], 'Some')
  await world.bind('user_group', all)
  await world.bind('user_group', some)
  await app.runDueProvisioning()
  // Also teaches how this provider removes members.
  await member(org, some, bob.id)
  await app.runDueProvisioning()
  await member(org, some, bob.id, 'remove')
  await app.runDueProvisioning()
  const before = groupsIn(lab)
  const rename = async (name: string) => ok(await org.put(`/api/v2/usergroups/${some}`, { name }))
  for (const [there, back] of [
    [() => member(org, some, bob.id), () => member(org, some, bob.id, 'remove')],
    [() => member(org, some, ada.id, 'remove'), () => member(org, some, ada.id)],
    [() => rename('Few'), () => rename('Some')],
  ] as const) {
    await there()
    lab.faults.set({ failRate: 1, cutAfter: true })
    await app.runDueProvisioning()
    lab.faults.set({})
    assert.notDeepEqual(groupsIn(lab), before)
    await back()
    clock.pass(3_600_000)
    await app.runDueProvisioning()
    assert.deepEqual(groupsIn(lab), before)
  }
})

test('a group that the provider does not show at once is not created twice', async (t) => {
  const clock = clockOf(app)
  const groups: { id: string; members: unknown[] }[] = []
  let isShown = false
  const { url } = await startRawServer(t, ({ method, path, body }) => {
    const [, kind, id] = path.split('/')
    if (method === 'POST' && kind === 'Users') return { status: 201, body: { ...body, id: '1' } }
    if (method === 'POST') {
      const group = { ...body, id: `g${groups.length}`, members: [] }
      groups.push(group)
      return { status: 201, body: group }
    }
    const shown = isShown ? groups : []
    const one = shown.find((group) => group.id === id)
    if (method === 'GET' && id === undefined && kind !== 'ServiceProviderConfig')
      return {
        body: {
          totalResults: kind === 'Groups' ? shown.length : 0,
          Resources: kind === 'Groups' ? shown : [],
        },
      }
    if (!one) return { status: 404, body: { detail: 'Not found' } }
    const [change] = body.Operations ?? []
    if (change?.path === 'members') one.members.push(...change.value)
    return { body: one }
  })
  const world = await connectLab(
    app,
    { url, token: 'secret-of-the-raw-server' },
    { groups: { push: true } },
  )
  const { org } = world
  const group = await addGroupOf(org, [(await addUser(org)).id])
  await world.bind('user_group', group)
  await app.runDueProvisioning()
  isShown = true
  clock.pass(60_000)
  await app.runDueProvisioning()
  assert.deepEqual(
    groups.map(({ members }) => members),
    [[{ value: '1' }]],
  )
})

test('an existing group of the same name is taken over, and only chosen groups are pushed', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const res = await fetch(`${lab.url}/Groups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${lab.token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Staff',
    }),
  })
  assert.equal(res.status, 201)
  const user = await addUser(org)
  const staff = await addGroupOf(org, [user.id], 'Staff')
  const others = await addGroupOf(org, [user.id], 'Others')
  await world.bind('user_group', staff)
  await world.bind('user_group', others)
  ok(await org.put(world.path, { ...world.body, groups: { push: true, only: [staff] } }))
  await app.runDueProvisioning()
  assert.deepEqual(groupsIn(lab), { Staff: [user.username] })
})

test('mappings may depend on groups, whether they are bound or not', async () => {
  const lab = await startLab()
  const mapping = [
    { target: 'userName', value: { source: 'username' } },
    {
      target: 'title',
      value: { groups: [{ group: 'Admins', value: 'admin' }] },
      default: 'member',
    },
  ]
  const world = await connectLab(app, lab, { mapping })
  const { org } = world
  const user = await addUser(org)
  await world.bind('user', user.id)
  await app.runDueProvisioning()
  const title = () => [...lab.store.users.values()][0]!.title
  assert.equal(title(), 'member')
  const group = await addGroupOf(org, [user.id], 'Admins')
  await app.runDueProvisioning()
  assert.equal(title(), 'admin')
  ok(await org.put(`/api/v2/usergroups/${group}`, { name: 'Former admins' }))
  await app.runDueProvisioning()
  assert.equal(title(), 'member')
})

test('a manager is named by the account at the same provider, and changes follow', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const boss = await addUser(org)
  const report = await addUser(org, { manager: boss.id })
  await world.bind('user', report.id)
  await app.runDueProvisioning()
  const managerOf = () => {
    const [remote] = [...lab.store.users.values()].filter(
      ({ userName }) => userName === report.username,
    )
    const extension = remote!['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User']
    return (extension as { manager?: { value: string } } | undefined)?.manager?.value
  }
  assert.equal(managerOf(), undefined)
  await world.bind('user', boss.id)
  await app.runDueProvisioning()
  assert.equal(managerOf(), (await world.account(boss.id)).remoteId)
})

test('a group that the provider refuses is listed with the reason, and can be tried again', async (t) => {
  let refuses = true
  const { url } = await startRawServer(t, ({ method, path, body }) => {
    const isGroup = path.startsWith('/Groups')
    if (method === 'GET') return page([])
    if (isGroup && refuses) return { status: 400, body: { detail: 'Names end in -team' } }
    return { status: method === 'POST' ? 201 : 200, body: { ...body, id: isGroup ? 'g1' : 'u1' } }
  })
  const lab = { url, token: 'secret-of-the-raw-server' }
  const world = await connectLab(app, lab, { groups: { push: true } })
  const { org, path } = world
  const group = await addGroupOf(org, [(await addUser(org)).id], 'Engineers')
  await world.bind('user_group', group)
  await app.runDueProvisioning()
  const [refused] = ok(await org.get(`${path}/groups?parked=true`)).json()
  assert.deepEqual(
    { groupId: refused.groupId, name: refused.name, parked: refused.parked },
    { groupId: group, name: 'Engineers', parked: true },
  )
  assert.match(refused.error, /Names end in -team/)

  refuses = false
  assert.equal((await org.post(`${path}/groups/${group}/retry`)).statusCode, 202)
  await app.runDueProvisioning()
  const all = ok(await org.get(`${path}/groups`))
  assert.equal(all.headers['x-total-count'], '1')
  const [written] = all.json()
  assert.deepEqual([written.state, written.error, written.remoteId], ['provisioned', null, 'g1'])
  const never = await org.post(`${path}/groups/${newId()}/retry`)
  assert.equal(never.json().reason, 'group_not_pushed')
})
