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

/** An organization whose passwords expire after ten days, with a warning in the last three. */
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

/** Simulates days passing for every password of the organization. */
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
const recorded = async (org: Org) =>
  (await org.events())
    .filter(({ event_type }) => /^user_password_(expired|warning)/.test(event_type))
    .map(({ event_type, resource }) => [event_type, (resource as { id: string }).id])
const warnings = async ({ email }: { email: string }) =>
  (await listMails(app.db, app.sealer, 1000)).filter(
    ({ recipient, subject }) => recipient === email && subject === 'Your password expires soon',
  )

test('a user is warned once before a password expires, and again for the next one', async () => {
  const org = await newOrganization()
  const user = await addUser(org, { password: STRONG })
  const never = await addUser(org, { password: STRONG, password_never_expires: true })
  await watch()
  assert.deepEqual(await recorded(org), [])
  await pass(org, 8)
  await watch()
  await watch()
  const warned = [['user_password_warning_email', user.id]]
  assert.deepEqual(await recorded(org), warned)
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
  assert.deepEqual(await recorded(org), [...warned, ...warned])
})

test('an expired password is marked as expired and recorded once', async () => {
  const org = await newOrganization({ enableDaysBeforeExpirationToForceReset: false })
  const user = await addUser(org, { password: STRONG })
  await pass(org, 8)
  await watch()
  assert.deepEqual(await recorded(org), [])
  await pass(org, 3)
  await watch()
  await watch()
  assert.deepEqual(await recorded(org), [['user_password_expired', user.id]])
  assert.equal((await org.get(`/api/systemusers/${user.id}`)).json().password_expired, true)
})

test('users who are suspended or whose password is owned elsewhere are not warned', async () => {
  const org = await newOrganization()
  const restrictedFields = [{ field: 'password', type: 'active_directory' }]
  await addUser(org, { password: STRONG, state: 'SUSPENDED' })
  await addUser(org, { password: STRONG, restrictedFields })
  await pass(org, 8)
  await watch()
  assert.deepEqual(await recorded(org), [])
})

test('password_never_expires clears the expiration date, and unsetting it restores the date', async () => {
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
  // A password expired by an administrator stays expired.
  await org.post(`/api/systemusers/${user.id}/expire`)
  assert.equal((await put(false)).password_expired, true)
})

test('a compliance level sets the policy, and switching back to custom restores the custom one', async () => {
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
  // Sending the policy of a level back does not turn it into a custom policy.
  await policyOf({ passwordPolicy: pci })
  const custom = await policyOf({ passwordCompliance: 'custom' })
  assert.deepEqual([custom.minLength, custom.passwordExpirationInDays], [12, 10])
})
