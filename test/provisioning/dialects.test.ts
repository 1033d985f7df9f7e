import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROFILES, type ProfileName } from '../../lab/scim/profiles.ts'
import { startApp } from '../harness.ts'
import { clockOf, heldBy, journey } from './journey.ts'
import { addGroupOf, addUser, connectLab, ok, startLab } from './world.ts'

// Every dialect of the lab has the same journey, and ends with exactly the desired accounts.

const app = await startApp()
const clock = clockOf(app)

/** More accounts than are looked up one by one, and than fit on a page: for dialects of lists. */
const MANY = 60
const LISTS: ProfileName[] = ['aws', 'no-totals', 'repeats', 'ignores-filters']
/** Where an inactive account may be gone. */
const INACTIVE_GO: ProfileName[] = ['remove-on-inactive', 'deletes-behind-your-back']

const connectTo = async (profile: ProfileName) => {
  // The same delay for every reply as in the profile, but shorter.
  const faults = profile === 'slow' ? { delayMs: 30 } : {}
  const lab = await startLab({ profile, faults, now: clock.now })
  const settings = {
    groups: { push: true },
    limits: { concurrency: 16 },
    removalLimit: { users: null, percent: null },
    ...(profile === 'oauth' && {
      auth: {
        type: 'oauth',
        tokenUrl: new URL('/oauth/token', lab.url).href,
        clientId: 'lab',
        clientSecret: lab.token,
      },
    }),
  }
  return { lab, world: await connectLab(app, lab, settings) }
}

const journeys = (Object.keys(PROFILES) as ProfileName[]).filter((profile) => profile !== 'html')

for (const profile of journeys)
  test(`${profile}: the provider holds exactly what it should`, async () => {
    const { lab, world } = await connectTo(profile)
    const { org, path } = world
    const expected = await journey(world, clock, LISTS.includes(profile) ? MANY : 12)
    const compare = async (mode: string) => {
      ok(await org.post(`${path}/reconcile`, { mode }), 202)
      return (await clock.settle(world)).reconciliation
    }
    // Somebody else writes there too, so that only a comparison brings it back; some repairs are undone again.
    if (profile === 'deletes-behind-your-back')
      for (let found = 1; found > 0; ) {
        const { missing, changed } = await compare('repair')
        found = missing + changed
      }
    const { parked } = (await world.status()).users
    const { missing, changed, unknown } = await compare('report')
    assert.deepEqual(
      { parked, missing, changed, unknown },
      { parked: 0, missing: 0, changed: 0, unknown: 0 },
    )

    const { users, groups } = heldBy(lab.store)
    const inactive = Object.entries(users).filter(([, { active }]) => !active)
    for (const [id] of inactive) delete users[id]
    assert.deepEqual(users, expected.present)
    if (INACTIVE_GO.includes(profile))
      assert.ok(inactive.every(([id]) => Object.hasOwn(expected.inactive, id)))
    else assert.deepEqual(Object.fromEntries(inactive), expected.inactive)
    assert.deepEqual(groups, expected.groups)
    ok(await org.post(`${path}/deactivate`))
  })

test('html: the connection stops and says why; nothing is lost', async () => {
  const { lab, world } = await connectTo('html')
  const { org, path } = world
  const user = await addUser(org)
  await world.bind('user_group', await addGroupOf(org, [user.id], 'Staff'))
  const { status, statusReason } = await clock.settle(world)
  assert.equal(status, 'stopped')
  assert.match(statusReason, /html|page|login/i)
  lab.use('standard')
  ok(await org.post(`${path}/activate`))
  await clock.settle(world)
  const { users, groups } = heldBy(lab.store)
  assert.deepEqual(Object.keys(users), [user.id])
  assert.deepEqual(groups, [{ name: 'Staff', members: [user.id] }])
  ok(await org.post(`${path}/deactivate`))
})
