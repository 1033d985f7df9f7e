import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, PASSWORD, Person } from '../../test/person.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { listMails } from '../platform/mail.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const forgot = (identifier: string, more: object = {}) =>
  new Person(app.http).post('/password/forgot', { identifier, ...more })
const links = (org: Org, { id }: { id: string }) =>
  app.db
    .tenant(org.organizationId)
    .many(sql`select 1 from user_password_links where user_id = ${id}`)
const resets = async ({ email }: { email: string }) =>
  (await listMails(app.db, app.sealer, 1000)).filter(
    ({ recipient, subject }) => recipient === email && subject === 'Choose a new password',
  ).length

test('the request behaves the same for every name; the user is looked up by the job', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const asked = await forgot(user.email)
  assert.equal(await resets(user), 0)
  assert.deepEqual(await links(org, user), [])
  assert.equal((await forgot(`nobody.${newId()}`)).body, asked.body)
  await app.runDueJobs()
  assert.equal(await resets(user), 1)
  assert.equal((await links(org, user)).length, 1)
  const event = (await org.events()).find((e) => e.event_type === 'user_password_reset_request')
  assert.equal(event?.client_ip, '127.0.0.1')
})

test('requests under two names of one user share the mail limit', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  for (let at = 0; at < 4; at++) {
    await forgot(user.email)
    await forgot(user.username, { organization: org.organizationId })
  }
  await app.runDueJobs()
  assert.equal(await resets(user), 5)
})

test('only the named organization is searched, and a malformed id is refused', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addPerson(org)
  assert.equal((await forgot(user.email, { organization: other.organizationId })).statusCode, 200)
  await app.runDueJobs()
  assert.equal(await resets(user), 0)
  const bad = await forgot(user.email, { organization: 'acme' })
  assert.equal(bad.statusCode, 400)
  assert.match(bad.json().message, /^organization: /)
  assert.equal(bad.json().reason, 'organization_malformed')
})

test('a link becomes invalid when the e-mail address changes', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const change = async (body: object) => {
    await forgot(user.username)
    await app.runDueJobs()
    assert.equal((await links(org, user)).length, 1)
    assert.equal((await org.put(`/api/systemusers/${user.id}`, body)).statusCode, 200)
    return (await links(org, user)).length
  }
  assert.equal(await change({ firstname: 'Ada' }), 1)
  assert.equal(await change({ email: `new.${user.email}` }), 0)
  assert.equal(await change({ alternateEmail: `private.${user.email}` }), 0)
})
