import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser, connectLab, held, ok } from '../../test/provisioning/world.ts'
import { startLab } from '../../test/scim-lab.ts'

// An account at the provider with the name of a new user may be somebody else's.

const app = await startApp()

type Adopt = 'never' | 'matching' | 'always'
const NAMED = 'somebody.else@example.com'

/** A user, and an account at the provider that has the name already; `more` tells what else it has. */
async function meeting(adopt: Adopt | undefined, more: (user: { username: string }) => object) {
  const lab = await startLab()
  const world = await connectLab(app, lab, adopt && { adopt })
  const user = await addUser(world.org)
  const remoteId = lab.addUser(user.username, { active: true, ...more(user) })
  await world.bind('user', user.id)
  const [planned] = ok(await world.org.get(`${world.path}/plan`)).json().results
  await app.runDueProvisioning()
  const account = await world.account(user.id)
  return { lab, world, user, remoteId, account, planned }
}

const nothing = () => ({})
const otherMail = () => ({ emails: [{ value: NAMED }] })
const sameMail = ({ username }: { username: string }) => ({
  emails: [{ value: NAMED }, { value: `${username}@Example.com`, type: 'work' }],
})

const CASES: [string, Adopt | undefined, (user: { username: string }) => object, boolean][] = [
  ['by default, without an e-mail address', undefined, nothing, false],
  ['by default, with another e-mail address', undefined, otherMail, false],
  ['by default, with the same e-mail address', undefined, sameMail, true],
  ['matching, with the same e-mail address', 'matching', sameMail, true],
  ['never, with the same e-mail address', 'never', sameMail, false],
  ['always, with another e-mail address', 'always', otherMail, true],
]

for (const [name, adopt, more, adopted] of CASES)
  test(`an account with the name is ${adopted ? 'adopted' : 'parked'}: ${name}`, async () => {
    const { lab, world, user, remoteId, account, planned } = await meeting(adopt, more)
    assert.equal(ok(await world.org.get(world.path)).json().adopt, adopt ?? 'matching')
    assert.equal(lab.store.users.size, 1)
    const remote = lab.store.users.get(remoteId)!
    assert.deepEqual([planned.action, planned.existing], ['create', adopted ? 'adopted' : 'parked'])
    if (adopted) {
      assert.deepEqual([account.state, account.remoteId], ['provisioned', remoteId])
      assert.equal(remote.externalId, user.id)
      return
    }
    assert.deepEqual(
      [account.state, account.parked, account.errorKind, account.remoteId],
      ['pending', true, 'exists', null],
    )
    assert.equal(remote.externalId, undefined)
    assert.match(account.error, /adopt/i)
  })

test('a name that is an e-mail address proves nothing: the address of the user does', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const [thief, owner] = [await addUser(world.org, { username: NAMED }), await addUser(world.org)]
  const names = [NAMED, `${owner.username}@example.com`]
  const [stolen, own] = names.map((name) => lab.addUser(name, { active: true }))
  const mapping = [
    {
      target: 'userName',
      value: {
        map: { source: 'username' },
        values: { [owner.username]: names[1] },
        default: NAMED,
      },
    },
  ]
  ok(await world.org.put(world.path, { ...world.body, mapping }))
  await world.bind('user', thief.id)
  await world.bind('user', owner.id)
  await app.runDueProvisioning()
  assert.equal((await world.account(thief.id)).errorKind, 'exists')
  assert.equal(lab.store.users.get(stolen!)!.externalId, undefined)
  assert.equal((await world.account(owner.id)).remoteId, own)
})

test('a comparison adopts those who are parked, and only when asked to', async () => {
  const { lab, world, user, remoteId } = await meeting('never', otherMail)
  const compare = async (mode: string) => {
    ok(await world.org.post(`${world.path}/reconcile`, { mode }), 202)
    await app.runDueProvisioning()
  }
  await compare('repair')
  assert.equal((await world.account(user.id)).errorKind, 'exists')
  await compare('adopt')
  assert.equal((await world.account(user.id)).remoteId, remoteId)
  assert.equal(lab.store.users.get(remoteId)!.externalId, user.id)
  assert.deepEqual(held(lab), { [user.username]: true })
})

test('one with the name of a deleted user is parked as exists, and adoption passes the account on', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org } = world
  const first = await addUser(org)
  await world.bind('user', first.id)
  await app.runDueProvisioning()
  const { remoteId } = await world.account(first.id)
  ok(await org.delete(`/api/systemusers/${first.id}`))
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [first.username]: false })

  const second = await addUser(org, { username: first.username, email: 'second@example.com' })
  await world.bind('user', second.id)
  await app.runDueProvisioning()
  const parked = await world.account(second.id)
  assert.deepEqual([parked.parked, parked.errorKind], [true, 'exists'])
  assert.equal(lab.store.users.get(remoteId)!.externalId, first.id)

  ok(await org.post(`${world.path}/reconcile`, { mode: 'adopt' }), 202)
  await app.runDueProvisioning()
  const account = await world.account(second.id)
  assert.deepEqual([account.state, account.remoteId], ['provisioned', remoteId])
  assert.equal(lab.store.users.get(remoteId)!.externalId, second.id)
  assert.deepEqual(held(lab), { [first.username]: true })
  const before = await world.account(first.id)
  assert.deepEqual([before.state, before.remoteId], ['deleted', null])
})
