import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { clockOf } from '../../test/provisioning/journey.ts'
import { addUser, connectLab, held, ok, startLab } from '../../test/provisioning/world.ts'

const app = await startApp()

/** Three provisioned users, then one is deleted, one changed and one added at the provider. */
async function drifted(settings: object = {}) {
  const lab = await startLab()
  const world = await connectLab(app, lab, settings)
  const { org } = world
  const users = [await addUser(org), await addUser(org), await addUser(org, { lastname: 'Third' })]
  for (const { id } of users) await world.bind('user', id)
  await app.runDueProvisioning()
  const idOf = async (at: number) => (await world.account(users[at]!.id)).remoteId as string
  lab.store.removeByHand('Users', await idOf(0))
  lab.store.editByHand('Users', await idOf(1), { active: false, nickName: 'by hand' })
  const strange = await fetch(`${lab.url}/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${lab.token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'stranger',
      active: true,
    }),
  })
  assert.equal(strange.status, 201)
  const reconcile = async (mode: string) => {
    ok(await org.post(`${world.path}/reconcile`, { mode }), 202)
    await app.runDueProvisioning()
    return (await world.status()).reconciliation
  }
  return { lab, world, users, reconcile }
}

test('a report lists missing, changed and unknown accounts, and changes nothing', async () => {
  const { lab, users, reconcile, world } = await drifted()
  const before = structuredClone(held(lab))
  const report = await reconcile('report')
  assert.deepEqual(
    [report.read, report.matching, report.missing, report.changed, report.unknown],
    [3, 1, 1, 1, 1],
  )
  assert.deepEqual(report.differences.changed[0].attributes, ['active'])
  assert.equal(report.differences.missing[0].userId, users[0]!.id)
  assert.equal(report.differences.unknown[0].userName, 'stranger')
  assert.deepEqual(held(lab), before)
  assert.ok((await world.org.eventTypes()).includes('integration_reconcile'))
})

test('a repair writes what is missing or changed, and leaves strangers alone', async () => {
  const { lab, users, reconcile } = await drifted()
  await reconcile('repair')
  assert.deepEqual(held(lab), {
    ...Object.fromEntries(users.map(({ username }) => [username, true])),
    stranger: true,
  })
  const again = await reconcile('report')
  assert.deepEqual([again.missing, again.changed, again.unknown], [0, 0, 1])
})

test('adoption takes over accounts of bound users that someone else made', async () => {
  const { lab, reconcile, world, users } = await drifted()
  const late = await addUser(world.org)
  await fetch(`${lab.url}/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${lab.token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: late.username,
      active: true,
    }),
  })
  await world.bind('user', late.id)
  await reconcile('adopt')
  assert.equal(lab.store.users.size, 5)
  const account = await world.account(late.id)
  assert.equal(account.state, 'provisioned')
  assert.equal(lab.store.users.get(account.remoteId)!.externalId, late.id)
  assert.equal(Object.keys(held(lab)).length, users.length + 2)
})

test('a schedule compares by itself', async () => {
  const { world, lab } = await drifted({ reconcile: { everyHours: 1, mode: 'repair' } })
  clockOf(app).pass(2 * 3_600_000)
  await app.runDueProvisioning()
  assert.equal((await world.status()).reconciliation.mode, 'repair')
  assert.equal(Object.values(held(lab)).filter(Boolean).length, 4)
})
