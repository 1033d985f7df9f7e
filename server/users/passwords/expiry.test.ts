import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { addUser } from '../../../test/people.ts'
import { listMails } from '../../platform/mail.ts'
import { watchPasswordsJob } from '../job-definitions.ts'

const app = await startApp()
const STRONG = 'Tangled-Orchard-58'
app.secrets.add(STRONG)
type Org = Awaited<ReturnType<typeof app.newOrganization>>

/** An organization whose passwords run out after ten days, of which the last three come with a warning. */
async function newOrganization(more: object = {}) {
  const org = await app.newOrganization()
  const passwordPolicy = {
    enablePasswordExpirationInDays: true,
    passwordExpirationInDays: 10,
    enableDaysBeforeExpirationToForceReset: true,
    daysBeforeExpirationToForceReset: 3,
    ...more,
  }
  await org.put(`/api/organizations/${org.organizationId}`, { settings: { passwordPolicy } })
  return org
}

/** As if days had passed for every password of the organization. */
const pass = ({ organizationId }: Org, days: number) =>
  app.db.tx(organizationId, (tx) =>
    tx.execute(
      'update users set password_expiration_date = password_expiration_date - make_interval(days => $1)',
      [days],
    ),
  )
async function watch() {
  await app.db.tx(null, (tx) => app.queue.send(tx, watchPasswordsJob, {}))
  await app.runDueJobs()
}
const told = async (org: Org) =>
  (await org.events())
    .filter(({ event_type }) => /^user_password_(expired|warning)/.test(event_type))
    .map(({ event_type, resource }) => [event_type, (resource as { id: string }).id])
const warnings = async ({ email }: { email: string }) =>
  (await listMails(app.db, app.sealer, 1000)).filter(
    ({ recipient, subject }) => recipient === email && subject === 'Your password runs out soon',
  )

test('who must choose a new password soon is told once, and again for the next one', async () => {
  const org = await newOrganization()
  const user = await addUser(org, { password: STRONG })
  const never = await addUser(org, { password: STRONG, password_never_expires: true })
  await watch()
  assert.deepEqual(await told(org), [])
  await pass(org, 8)
  await watch()
  await watch()
  const warned = [['user_password_warning_email', user.id]]
  assert.deepEqual(await told(org), warned)
  assert.equal((await warnings(user)).length, 1)
  assert.deepEqual(await warnings(never), [])
  const event = (await org.events()).at(-1)!
  assert.deepEqual(
    [(event.resource as { recipient_email: string }).recipient_email, event.initiated_by],
    [user.email, { type: 'system', name: 'password policy' }],
  )
  const next = 'Tangled-Orchard-59'
  app.secrets.add(next)
  await org.put(`/api/systemusers/${user.id}`, { password: next })
  await pass(org, 8)
  await watch()
  assert.deepEqual(await told(org), [...warned, ...warned])
})

test('a password that has run out is told once and is expired', async () => {
  const org = await newOrganization({ enableDaysBeforeExpirationToForceReset: false })
  const user = await addUser(org, { password: STRONG })
  await pass(org, 8)
  await watch()
  assert.deepEqual(await told(org), [])
  await pass(org, 3)
  await watch()
  await watch()
  assert.deepEqual(await told(org), [['user_password_expired', user.id]])
  assert.equal((await org.get(`/api/systemusers/${user.id}`)).json().password_expired, true)
})

test('nobody is warned who is suspended, or has the password from elsewhere', async () => {
  const org = await newOrganization()
  const restrictedFields = [{ field: 'password', type: 'active_directory' }]
  await addUser(org, { password: STRONG, state: 'SUSPENDED' })
  await addUser(org, { password: STRONG, restrictedFields })
  await pass(org, 8)
  await watch()
  assert.deepEqual(await told(org), [])
})

test('password_never_expires takes the day of expiry away, and its end brings it back', async () => {
  const org = await newOrganization()
  const user = await addUser(org, { password: STRONG })
  const put = async (password_never_expires: boolean) =>
    (await org.put(`/api/systemusers/${user.id}`, { password_never_expires })).json()
  assert.equal((await put(true)).password_expiration_date, null)
  assert.equal((await put(false)).password_expiration_date, user.password_expiration_date)
  await pass(org, 11)
  await watch()
  assert.equal((await org.get(`/api/systemusers/${user.id}`)).json().password_expired, true)
  assert.equal((await put(true)).password_expired, false)
  // What an administrator has expired stays so.
  await org.post(`/api/systemusers/${user.id}/expire`)
  assert.equal((await put(false)).password_expired, true)
})

test('a level of compliance sets the policy, and what was custom comes back with custom', async () => {
  const org = await newOrganization()
  const url = `/api/organizations/${org.organizationId}`
  const policyOf = async (settings: object) =>
    (await org.put(url, { settings })).json().settings.passwordPolicy
  const pci = await policyOf({ passwordCompliance: 'pci3' })
  assert.deepEqual(
    [pci.minLength, pci.maxHistory, pci.passwordExpirationInDays, pci.lockoutTimeInSeconds],
    [7, 4, 90, 1800],
  )
  const user = await addUser(org, { password: STRONG })
  const lifetime = Date.parse(user.password_expiration_date) - Date.parse(user.password_date)
  assert.equal(lifetime / 86_400_000, 90)
  // A client that sends back what it read does not make it its own policy.
  await policyOf({ passwordPolicy: pci })
  const custom = await policyOf({ passwordCompliance: 'custom' })
  assert.deepEqual([custom.minLength, custom.passwordExpirationInDays], [12, 10])
})
