import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson } from '../../test/person.ts'
import { hook } from '../platform/hooks.ts'
import type { UserActor, UserChange } from './context.ts'
import { watchExclusionsJob } from './job-definitions.ts'
import { watchExclusions } from './mfa-exclusion.ts'
import { UnixUids } from './unix-uids.ts'

const app = await startApp()
const { db, sealer } = app
const context = {
  db,
  limits: app.config.limits,
  sealer,
  publicUrl: '',
  postMail: app.contexts.admins.postMail,
  send: app.contexts.admins.send,
  unixUids: new UnixUids(),
  changed: hook<UserActor, UserChange>(),
}
const HOUR = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR)
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const excuse = async (org: Org, id: string, exclusionUntil: Date) => {
  const mfa = { exclusion: true, exclusionUntil: exclusionUntil.toISOString() }
  const res = await org.put(`/api/systemusers/${id}`, { mfa })
  assert.equal(res.statusCode, 200, res.body)
}
const recorded = async (org: Org) =>
  (await org.events())
    .filter(({ event_type }) => event_type === 'user_mfa_exclusion_expired')
    .map(({ resource }) => (resource as { username: string }).username)

test('the end of an exclusion is recorded once, no matter how often the job runs', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { enable_user_portal_multifactor: true })
  const later = await addPerson(org)
  await excuse(org, user.id, inHours(1))
  await excuse(org, later.id, inHours(3))
  await watchExclusions(context, inHours(0))
  assert.deepEqual(await recorded(org), [])
  // Two concurrent processes, and one after a restart.
  await Promise.all([0, 1].map(() => watchExclusions(context, inHours(2))))
  await watchExclusions(context, inHours(2))
  assert.deepEqual(await recorded(org), [user.username])
  await watchExclusions(context, inHours(4))
  assert.deepEqual(await recorded(org), [user.username, later.username])
})

test('a new exclusion has its own end; a withdrawn one has none', async () => {
  const org = await app.newOrganization()
  const [again, never] = [await addPerson(org), await addPerson(org)]
  await excuse(org, again.id, inHours(1))
  await watchExclusions(context, inHours(2))
  await excuse(org, again.id, inHours(5))
  await excuse(org, never.id, inHours(5))
  await org.put(`/api/systemusers/${never.id}`, { mfa: { exclusion: false } })
  await watchExclusions(context, inHours(6))
  assert.deepEqual(await recorded(org), [again.username, again.username])
})

test('the job records ended exclusions', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  await excuse(org, user.id, inHours(-1))
  await db.tx(null, (tx) => app.contexts.admins.send(tx, watchExclusionsJob, {}))
  await app.runDueJobs()
  assert.deepEqual(await recorded(org), [user.username])
})
