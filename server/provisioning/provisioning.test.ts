import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import {
  addGroupOf,
  addUser,
  connectLab,
  held,
  member,
  ok,
  startLab,
} from '../../test/provisioning/world.ts'
import { until } from '../../test/until.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()

test('a bound user gets an account, whose attributes follow, and which ends with the binding', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const user = await addUser(org, { firstname: 'Ada', lastname: 'Lovelace', jobTitle: 'Countess' })
  await world.bind('user', user.id)
  assert.deepEqual(held(lab), {}, 'the binding answers before anything is sent')
  await app.runDueProvisioning()

  const [remote] = [...lab.store.users.values()]
  assert.equal(remote!.userName, user.username)
  assert.equal(remote!.externalId, user.id)
  assert.equal(remote!.active, true)
  assert.deepEqual(remote!.name, { givenName: 'Ada', familyName: 'Lovelace' })
  assert.deepEqual(remote!.emails, [
    { type: 'work', value: `${user.username}@example.com`, primary: true },
  ])
  const account = await world.account(user.id)
  assert.equal(account.state, 'provisioned')
  assert.equal(account.remoteId, remote!.id)

  ok(await org.put(`/api/systemusers/${user.id}`, { jobTitle: 'Analyst' }))
  await app.runDueProvisioning()
  assert.equal(lab.store.users.get(account.remoteId)!.title, 'Analyst')

  await world.bind('user', user.id, 'remove')
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [user.username]: false })
  assert.equal((await world.account(user.id)).state, 'deactivated')

  await world.bind('user', user.id)
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [user.username]: true })
  assert.equal(lab.store.users.size, 1)

  const events = await world.provisioningEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['user_create_provision', 'user_update_provision', 'user_deprovision', 'user_update_provision'],
  )
  const [created] = events
  assert.deepEqual(created!.application, { id: world.id, name: 'wiki' })
  assert.equal(typeof created!.idm_client_id, 'string')
  // A text, like all codes of the directory's events: a number would never be found.
  const found = await world.org.post('/insights/directory/v1/events', {
    service: ['directory'],
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    search_term: { and: [{ 'message_chain.response_code': '201' }] },
  })
  assert.deepEqual(ok(found).json(), [created])
  assert.deepEqual(created!.resource, {
    type: 'user',
    id: user.id,
    username: user.username,
  })
})

test('a worker that finds the lease of a dead one takes over when it ends', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  await world.bind('user', (await addUser(world.org)).id)
  const leaseFor = (ms: number) =>
    app.db.tx(world.org.organizationId, (tx) =>
      tx.run(sql`update provisioning_runs set lease = 'dead', lease_until = ${new Date(Date.now() + ms)}
                  where application_id = ${world.id}`),
    )
  await leaseFor(3_600_000)
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), {})
  await leaseFor(100)
  await app.runDueProvisioning()
  await until('the account', async () => (await world.status()).users.provisioned === 1)
})

test('everybody who is bound is in one of the counts', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  for (const fields of [{}, { state: 'STAGED' }, { state: 'SUSPENDED' }])
    await world.bind('user', (await addUser(org, fields)).id)
  await app.runDueProvisioning()
  const { bound, provisioned, staged, none } = (await world.status()).users
  assert.deepEqual(
    { bound, provisioned, staged, none },
    { bound: 3, provisioned: 1, staged: 1, none: 1 },
  )
})

test('those who were not reached before the provider refused us are counted as bound', async () => {
  const { url } = await startLab()
  const world = await connectLab(app, { url, token: 'wrong' }, { limits: { concurrency: 1 } })
  for (let count = 0; count < 3; count++) await world.bind('user', (await addUser(world.org)).id)
  await app.runDueProvisioning()
  const { status, users } = await world.status()
  assert.deepEqual([status, users.bound, users.waiting], ['stopped', 3, 3])
})

test('states: STAGED is skipped, suspension and deletion end the account, a second path keeps it', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const staged = await addUser(org, { state: 'STAGED' })
  const both = await addUser(org)
  const gone = await addUser(org)
  const [first, second] = [
    await addGroupOf(org, [staged.id, both.id, gone.id]),
    await addGroupOf(org, [both.id]),
  ]
  await world.bind('user_group', first)
  await world.bind('user_group', second)
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [both.username]: true, [gone.username]: true })
  assert.equal((await world.account(staged.id)).state, 'staged')

  ok(await org.post(`/api/systemusers/${staged.id}/state/activate`))
  ok(await org.put(`/api/systemusers/${both.id}`, { suspended: true }))
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), {
    [both.username]: false,
    [gone.username]: true,
    [staged.username]: true,
  })

  ok(await org.put(`/api/systemusers/${both.id}`, { suspended: false }))
  await world.bind('user_group', first, 'remove')
  ok(await org.delete(`/api/systemusers/${gone.id}`))
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), {
    [both.username]: true,
    [gone.username]: false,
    [staged.username]: false,
  })

  await member(org, second, both.id, 'remove')
  await app.runDueProvisioning()
  assert.equal(held(lab)[both.username], false)
})
