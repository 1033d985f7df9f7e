import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol, newKeyPair } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { sql } from '../platform/db/sql.ts'
import { listMails } from '../platform/mail.ts'
import { evaluateAllGroupsJob } from './index.ts'

// No server listens on that port: the tests read mails from the outbox.
const app = await startApp({ env: { GATEHOUSE_SMTP_URL: 'smtp://127.0.0.1:1' } })
const silent = await startApp()
type App = typeof app
type Organization = Awaited<ReturnType<App['newOrganization']>>

let people = 0
async function addUser(org: Organization, department = 'Sales') {
  const name = `person${++people}`
  const email = `${name}@example.com`
  const res = await org.post('/api/systemusers', { username: name, email, department })
  assert.equal(res.statusCode, 200, res.body)
  return res.json()._id as string
}

const memberQuery = {
  queryType: 'FilterQuery',
  filters: [{ field: 'department', operator: 'eq', value: 'Sales' }],
}
const reviewed = { name: 'Sales', membershipMethod: 'DYNAMIC_REVIEW_REQUIRED', memberQuery }

async function addGroup(org: Organization, memberSuggestionsNotify: boolean) {
  const res = await org.post('/api/v2/usergroups', { ...reviewed, memberSuggestionsNotify })
  assert.equal(res.statusCode, 201, res.body)
  return res.json().id as string
}

const waiting = ({ db }: App, { organizationId }: Organization) =>
  db.many<{ state: string }>(sql`
    select state from pgboss.job
     where name = 'groups.mail-suggestions' and state = 'created' and data ->> 'organizationId' = ${organizationId}`)

/** Runs due jobs, then the delayed suggestion mails. */
async function passAWhile(on: App) {
  await on.runDueJobs()
  await on.db.run(sql`
    update pgboss.job set start_after = now() where name = 'groups.mail-suggestions' and state = 'created'`)
  await on.runDueJobs()
}

const bodiesTo = async (on: App, recipient: string) =>
  (await listMails(on.db, on.sealer, 1000))
    .filter((mail) => mail.recipient === recipient && mail.subject.includes('Sales'))
    .map(({ body }) => body)

test('administrators get one mail for all suggestions within the debounce period', async () => {
  const org = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const manager = await app.addAdministrator(org.organizationId, 'Manager')
  const ben = await addUser(org, 'Support')
  const id = await addGroup(org, true)
  await org.post(`/api/v2/usergroups/${id}/members`, { op: 'add', type: 'user', id: ben })
  await app.runDueJobs()
  await Promise.all([addUser(org), addUser(org), addUser(org)])
  await app.runDueJobs()
  assert.deepEqual(await bodiesTo(app, org.email), [], 'still collecting suggestions')
  assert.equal((await waiting(app, org)).length, 1)

  await passAWhile(app)
  const [mail, ...more] = await bodiesTo(app, org.email)
  assert.deepEqual(more, [])
  assert.match(mail!, /3 users should join and 1 user should leave the group "Sales"\./)
  assert.match(mail!, new RegExp(`/api/v2/usergroups/${id}/suggestions`))
  assert.equal((await bodiesTo(app, manager.email)).length, 1)
  assert.deepEqual(await bodiesTo(app, reader.email), [], 'readers cannot apply suggestions')

  // An unchanged suggestion is not mailed again.
  await app.db.tx(null, (tx) => app.queue.send(tx, evaluateAllGroupsJob, {}))
  await passAWhile(app)
  assert.equal((await bodiesTo(app, org.email)).length, 1)
  await addUser(org)
  await passAWhile(app)
  assert.equal((await bodiesTo(app, org.email)).length, 2)
})

test('suggestions that were withdrawn, applied or caused by a manual change are not mailed', async () => {
  const org = await app.newOrganization()
  const [ann, ben] = [await addUser(org, 'Support'), await addUser(org, 'Support')]
  const id = await addGroup(org, true)
  await app.runDueJobs()
  await org.put(`/api/systemusers/${ann}`, { department: 'Sales' })
  await org.put(`/api/systemusers/${ann}`, { department: 'Support' })
  const eve = await addUser(org)
  await org.post(`/api/v2/usergroups/${id}/suggestions`, { user_ids: [eve] })
  await org.post(`/api/v2/usergroups/${id}/members`, { op: 'add', type: 'user', id: ben })
  assert.equal((await org.get(`/api/v2/usergroups/${id}`)).json().suggestionCounts.total, 1)
  // Backdate the suggestion caused by the manual change.
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute("update group_suggestions set created = created - interval '1 hour'"),
  )
  await passAWhile(app)
  assert.deepEqual(await bodiesTo(app, org.email), [])
})

test('suggestions about systems are mailed too', async () => {
  const org = await app.newOrganization()
  const group = {
    name: 'Sales systems',
    membershipMethod: 'DYNAMIC_REVIEW_REQUIRED',
    memberSuggestionsNotify: true,
    memberQuery: {
      queryType: 'FilterQuery',
      filters: [{ field: 'osFamily', operator: 'eq', value: 'linux' }],
    },
  }
  const { id } = (await org.post('/api/v2/systemgroups', group)).json()
  const { publicKey } = newKeyPair()
  await enrol(app.http, org, publicKey)
  await passAWhile(app)
  const [mail] = await bodiesTo(app, org.email)
  assert.match(mail!, /1 system should join the group/)
  assert.match(mail!, new RegExp(`/api/v2/systemgroups/${id}/suggestions`))
})

test('without the flag or a mail server no mail is queued', async () => {
  const org = await app.newOrganization()
  await addGroup(org, false)
  await addUser(org)
  await app.runDueJobs()
  assert.deepEqual(await waiting(app, org), [])

  const other = await silent.newOrganization()
  const id = await addGroup(other, true)
  await addUser(other)
  await silent.runDueJobs()
  assert.deepEqual(await waiting(silent, other), [])
  assert.equal((await other.get(`/api/v2/usergroups/${id}`)).json().suggestionCounts.add, 1)
})
