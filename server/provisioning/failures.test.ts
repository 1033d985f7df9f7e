import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { clockOf } from '../../test/provisioning/journey.ts'
import {
  addGroupOf,
  addUser,
  addUsers,
  connectLab,
  held,
  ok,
  startLab,
} from '../../test/provisioning/world.ts'
import { startRawServer } from '../../test/scim/raw.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
const clock = clockOf(app)
/** Lets every delay pass. */
const later = async (ms = 3_600_000) => {
  clock.pass(ms)
  await app.runDueProvisioning()
}

test('an account that exists already is adopted, unless it is somebody else’s', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const [mine, foreign] = [await addUser(org), await addUser(org)]
  const create = (body: object) =>
    fetch(`${lab.url}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lab.token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], ...body }),
    })
  const emails = [{ value: `${mine.username}@EXAMPLE.com` }]
  await create({ userName: mine.username.toUpperCase(), emails, active: false, nickName: 'kept' })
  await create({ userName: foreign.username, externalId: 'somebody-else', active: true })
  await world.bind('user', mine.id)
  await world.bind('user', foreign.id)
  await app.runDueProvisioning()
  const adopted = [...lab.store.users.values()].find(({ externalId }) => externalId === mine.id)!
  assert.equal(adopted.userName, mine.username)
  assert.equal(adopted.active, true)
  assert.equal(adopted.nickName, 'kept')
  assert.equal(lab.store.users.size, 2)
  const parked = await world.account(foreign.id)
  assert.deepEqual([parked.parked, parked.errorKind], [true, 'exists'])
  assert.match(parked.error, /belongs to somebody else/)
  assert.equal((await world.status()).users.parked, 1)

  lab.store.removeByHand(
    'Users',
    [...lab.store.users.values()].find(({ externalId }) => externalId === 'somebody-else')!.id,
  )
  ok(await org.post(`${world.path}/users/${foreign.id}/retry`), 202)
  await app.runDueProvisioning()
  assert.equal((await world.account(foreign.id)).state, 'provisioned')
})

test('a failing account waits, does not hold up others, and its failure is in Insights', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const [bad, good] = [await addUser(org, { firstname: 'Ada' }), await addUser(org)]
  ok(
    await org.put(world.path, {
      ...world.body,
      mapping: [
        { target: 'userName', value: { source: 'username' } },
        { target: 'title', value: { source: 'jobTitle' }, required: true },
      ],
    }),
  )
  ok(await org.put(`/api/systemusers/${good.id}`, { jobTitle: 'Baker' }))
  await world.bind('user', bad.id)
  await world.bind('user', good.id)
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [good.username]: true })
  const account = await world.account(bad.id)
  assert.equal(account.parked, true)
  assert.match(account.error, /title/)
  const failure = (await world.provisioningEvents()).find(({ success }) => success === false)!
  assert.equal((failure.resource as { id: string }).id, bad.id)
  assert.match(failure.error_message as string, /title/)

  ok(await org.put(`/api/systemusers/${bad.id}`, { jobTitle: 'Smith' }))
  await app.runDueProvisioning()
  assert.equal((await world.account(bad.id)).state, 'provisioned')
})

test('429 with Retry-After pauses the provider as a whole, for as long as it asks', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  lab.faults.set({ failRate: 1, status: 429, retryAfter: 120 })
  for (let count = 0; count < 3; count++) await world.bind('user', (await addUser(org)).id)
  await app.runDueProvisioning()
  const { pausedUntil } = await world.status()
  assert.ok(Date.parse(pausedUntil) - clock.now() > 100_000)
  const before = lab.store.journal.length
  await app.runDueProvisioning()
  assert.equal(lab.store.journal.length, before, 'nothing is sent while it is paused')
  lab.faults.set({})
  await later()
  assert.equal(Object.keys(held(lab)).length, 3)
})

test('a provider that is down is left alone, and everything is there when it is back', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  lab.faults.set({ failRate: 1, cutBefore: true })
  const users = await addUsers(org, 30)
  await world.bind(
    'user_group',
    await addGroupOf(
      org,
      users.map(({ id }) => id),
    ),
  )
  await app.runDueProvisioning()
  assert.ok((await world.status()).pausedUntil)
  lab.faults.set({})
  for (let round = 0; round < 3; round++) await later()
  assert.equal(Object.keys(held(lab)).length, 30)
  assert.equal((await world.status()).users.provisioned, 30)
})

test('replies lost after the effect make no duplicates', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const users = await addUsers(org, 40)
  lab.faults.set({ failRate: 0.3, cutAfter: true, seed: 7 })
  await world.bind(
    'user_group',
    await addGroupOf(
      org,
      users.map(({ id }) => id),
    ),
  )
  await app.runDueProvisioning()
  lab.faults.set({})
  for (let round = 0; round < 3; round++) await later()
  assert.equal(lab.store.users.size, 40)
  assert.equal((await world.status()).users.provisioned, 40)
})

test('a change that may have taken effect is undone when it is no longer wanted', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const user = await addUser(org, { jobTitle: 'Baker' })
  const put = async (body: object) => ok(await org.put(`/api/systemusers/${user.id}`, body))
  await world.bind('user', user.id)
  await app.runDueProvisioning()
  await put({ lastname: 'Known' })
  await app.runDueProvisioning()
  const remote = () => ({ ...[...lab.store.users.values()][0]!, meta: null })
  for (const [there, back] of [
    [{ suspended: true }, { suspended: false }],
    [{ jobTitle: 'Smith' }, { jobTitle: 'Baker' }],
    [{ costCenter: 'C1' }, { costCenter: '' }],
  ]) {
    const before = remote()
    await put(there!)
    lab.faults.set({ failRate: 1, cutAfter: true })
    await app.runDueProvisioning()
    lab.faults.set({})
    assert.notDeepEqual(remote(), before)
    await put(back!)
    await later()
    assert.deepEqual(remote(), before)
  }
})

test('an account that nobody heard of is found when its user is out by then', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const [ours, theirs] = [await addUser(org), await addUser(org)]
  // As a worker leaves them that dies between request and save; the second is somebody's own.
  for (const [userName, externalId] of [[ours.username, ours.id], [theirs.username]])
    lab.store.insert(
      'Users',
      newId(),
      { userName, active: true, ...(externalId && { externalId }) },
      [],
    )
  for (const { id } of [ours, theirs]) {
    await world.bind('user', id)
    await world.bind('user', id, 'remove')
  }
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [ours.username]: false, [theirs.username]: true })
  assert.equal((await world.account(ours.id)).state, 'deactivated')
  assert.equal((await world.account(theirs.id)).state, 'none')
})

test('an account deleted behind our back is created again', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const user = await addUser(org)
  await world.bind('user', user.id)
  await app.runDueProvisioning()
  lab.store.removeByHand('Users', (await world.account(user.id)).remoteId)
  ok(await org.put(`/api/systemusers/${user.id}`, { lastname: 'Changed' }))
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [user.username]: true })
})

test('too many removals at once wait for an administrator; everything else goes on', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org, path } = world
  const users = await addUsers(org, 15)
  const group = await addGroupOf(
    org,
    users.map(({ id }) => id),
  )
  await world.bind('user_group', group)
  await app.runDueProvisioning()
  await world.bind('user_group', group, 'remove')
  const late = await addUser(org)
  await world.bind('user', late.id)
  await app.runDueProvisioning()
  assert.equal(Object.values(held(lab)).filter(Boolean).length, 16)
  const status = await world.status()
  assert.equal(status.heldRemovals.users, 15)
  assert.ok((await org.eventTypes()).includes('integration_removals_held'))

  ok(await org.put(`/api/systemusers/${late.id}`, { suspended: true }))
  await app.runDueProvisioning()
  assert.equal(held(lab)[late.username], false, 'a single removal is not held')

  await world.bind('user_group', group)
  await app.runDueProvisioning()
  assert.equal((await world.status()).heldRemovals, null, 'bound again, nothing is to be confirmed')
  assert.deepEqual(ok(await org.post(`${path}/plan/confirm`)).json(), { confirmed: 0 })
  await world.bind('user_group', group, 'remove')
  await app.runDueProvisioning()

  assert.deepEqual(ok(await org.post(`${path}/plan/confirm`)).json(), { confirmed: 15 })
  await app.runDueProvisioning()
  assert.equal(Object.values(held(lab)).filter(Boolean).length, 0)
  assert.equal((await world.status()).heldRemovals, null)
})

test('the deprovision policy deletes at once or after days', async () => {
  for (const [deprovision, between] of [
    [{ action: 'delete' }, {}],
    [{ action: 'delete_after', days: 3 }, null],
  ] as const) {
    const lab = await startLab()
    const world = await connectLab(app, lab, { deprovision })
    const user = await addUser(world.org)
    await world.bind('user', user.id)
    await app.runDueProvisioning()
    await world.bind('user', user.id, 'remove')
    await app.runDueProvisioning()
    assert.deepEqual(held(lab), between ?? { [user.username]: false })
    await later(4 * 86_400_000)
    assert.deepEqual(held(lab), {})
    assert.equal((await world.account(user.id)).state, 'deleted')
  }
})

test('an account that the provider does not delete is deactivated, and its row says why', async (t) => {
  let active: unknown
  const { url } = await startRawServer(t, ({ method, path, body }) => {
    if (method === 'DELETE') return { status: 405, body: { detail: 'DELETE is not supported' } }
    if (method === 'PATCH') active = body.Operations[0].value
    if (method === 'POST') active = body.active
    if (path === '/Users' && method === 'GET') return { body: { totalResults: 0 } }
    return { body: { ...body, id: '1', active } }
  })
  const token = 'secret-of-the-raw-server'
  const world = await connectLab(app, { url, token }, { deprovision: { action: 'delete' } })
  const user = await addUser(world.org)
  await world.bind('user', user.id)
  await app.runDueProvisioning()
  assert.equal(active, true)
  await world.bind('user', user.id, 'remove')
  await app.runDueProvisioning()
  assert.equal(active, false)
  const { parked, error } = await world.account(user.id)
  assert.equal(parked, true)
  assert.match(error, /refused to delete the user: DELETE is not supported \(405\); it is inactive/)
})

test('the deprovision clock runs from the change to the confirmation, and reports what is late', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab, { deprovisionTargetSeconds: 60 })
  const { org } = world
  const user = await addUser(org)
  await world.bind('user', user.id)
  await app.runDueProvisioning()
  lab.faults.set({ failRate: 1, status: 500 })
  ok(await org.put(`/api/systemusers/${user.id}`, { suspended: true }))
  await app.runDueProvisioning()
  const waiting = (await world.status()).deprovisioning
  assert.equal(waiting.waiting, 1)
  assert.equal((await world.account(user.id)).state, 'provisioned')
  lab.faults.set({})
  await later(600_000)
  const late = (await org.events()).filter(
    ({ event_type }) => event_type === 'user_deprovision_late',
  )
  assert.equal(late.length, 1)
  assert.equal((late[0]!.resource as { id: string }).id, user.id)
  const { milliseconds } = (await world.status()).deprovisioning
  assert.equal(milliseconds.removals, 1)
  assert.ok(milliseconds.p50 >= 600_000)
  const everywhere = ok(await org.get(`/api/v2/users/${user.id}/provisioning`)).json()
  assert.deepEqual(
    everywhere.map(({ application, state }: Record<string, string>) => [application, state]),
    [['Wiki', 'deactivated']],
  )
})
