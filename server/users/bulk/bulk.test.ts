import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { person } from '../../../test/people.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { listMails } from '../../platform/mail.ts'
import { purgeUsersJob, runBulkJob } from '../job-definitions.ts'

const app = await startApp()
const URL = '/api/v2/bulk/users'
const STRONG = 'Tangled-Orchard-58'
app.secrets.add(STRONG)

type Org = Awaited<ReturnType<typeof app.newOrganization>>
const results = async (org: Org, jobId: string, query = 'limit=100') => {
  const res = await org.get(`${URL}/${jobId}/results?${query}`)
  assert.equal(res.statusCode, 200, res.body)
  return res
}
const users = async (org: Org) =>
  (await org.get('/api/systemusers?limit=100&sort=unix_uid')).json().results

test('bulk create: one result per user; a failure is reported and the others continue', async () => {
  const org = await app.newOrganization()
  const first = person({
    firstname: 'Mei',
    password: STRONG,
    attributes: [{ name: 'a', value: '1' }],
  })
  const body = [
    first,
    person(),
    person({ username: first.username }),
    person({ password: 'short' }),
    person(),
  ]
  const res = await org.post(URL, body)
  assert.equal(res.statusCode, 201)
  const { jobId } = res.json()
  const waiting = (await results(org, jobId)).json()
  assert.deepEqual(
    waiting.map(({ status }: { status: string }) => status),
    Array(5).fill('Pending'),
  )
  await app.runDueJobs()
  const done = await results(org, jobId)
  assert.equal(done.headers['x-total-count'], '5')
  const outcome = done
    .json()
    .map((result: Record<string, unknown>) => [
      result.status,
      (result.meta as { success: boolean }).success,
      (result.persistedFields as { username: string }).username,
    ])
  assert.deepEqual(outcome, [
    ['Finished', true, body[0]!.username],
    ['Finished', true, body[1]!.username],
    ['Finished', false, body[2]!.username],
    ['Finished', false, body[3]!.username],
    ['Finished', true, body[4]!.username],
  ])
  assert.match(done.json()[2].statusMsg, /^username/)
  assert.match(done.json()[3].statusMsg, /^password/)
  assert.ok(!done.body.includes(STRONG))
  const made = await users(org)
  assert.equal(made.length, 3)
  assert.equal(made[0].activated, true)
  assert.equal(made[0].creationSource, 'gatehouse:bulk')
  assert.equal(done.json()[0].meta.userId, made[0].id)
  const created = (await org.events()).filter((e) => e.event_type === 'systemuser_create')
  assert.equal(created.length, 3)
  assert.deepEqual(created[0]!.correlation, { id: jobId, type: 'bulk' })
  assert.equal((created[0]!.initiated_by as { id: string }).id, org.adminId)
  assert.equal((await results(org, jobId, 'limit=2&skip=4')).json().length, 1)

  const kept = await app.db
    .tenant(org.organizationId)
    .many<{ secret: string | null }>(
      sql`select secret from batch_rows where organization_id = ${org.organizationId}`,
    )
  assert.ok(kept.every(({ secret }) => secret === null))
  const mails = await listMails(app.db, app.sealer, 1000)
  const told = mails.filter(({ recipient }) => recipient === org.email)
  assert.equal(told.length, 1)
  assert.match(told[0]!.body, /3 of 5 succeeded, 2 failed/)

  const { organizationId } = org
  await app.db.tx(null, (tx) => app.queue.send(tx, runBulkJob, { organizationId, jobId }))
  await app.runDueJobs()
  assert.equal((await users(org)).length, 3, 'a retried job creates no user twice')
  assert.equal(
    (await listMails(app.db, app.sealer, 1000)).filter(({ recipient }) => recipient === org.email)
      .length,
    1,
  )
})

test('creation-source decides source and default state; suppressEmail the mail', async () => {
  const org = await app.newOrganization()
  const settings = { newSystemUserStateDefaults: { csvImport: 'STAGED' } }
  await org.put(`/api/organizations/${org.organizationId}`, { settings })
  await org.post(`${URL}?suppressEmail=true`, [person()])
  for (const source of ['gatehouse:workday', 'elsewhere:scim'])
    assert.equal(
      (await org.post(`${URL}?suppressEmail=true`, [person()], { 'creation-source': source }))
        .statusCode,
      201,
    )
  await app.runDueJobs()
  assert.deepEqual(
    (await users(org))
      .map(
        (user: { state: string; creationSource: string }) => `${user.creationSource} ${user.state}`,
      )
      .sort(),
    ['gatehouse:bulk STAGED', 'gatehouse:scim ACTIVATED', 'gatehouse:workday ACTIVATED'],
  )
  const mails = await listMails(app.db, app.sealer, 1000)
  assert.ok(!mails.some(({ recipient }) => recipient === org.email))
  const bad = await org.post(URL, [person()], { 'creation-source': 'by hand' })
  assert.equal(bad.statusCode, 400)
  assert.equal(bad.json().reason, 'bad_creation_source')
})

test('bulk update, expire and unlock', async () => {
  const org = await app.newOrganization()
  const made = []
  for (let at = 0; at < 2; at++)
    made.push((await org.post('/api/systemusers', person({ department: 'Sales' }))).json())
  const ids = made.map(({ id }) => id)
  const res = await org.patch(`${URL}?suppressEmail=true`, [
    { id: ids[0], jobTitle: 'Lead', account_locked: true },
    { id: ids[1], password: STRONG, state: 'SUSPENDED' },
    { id: newId(), jobTitle: 'Nobody' },
    { id: ids[1], email: made[0].email },
  ])
  assert.equal(res.statusCode, 201)
  await app.runDueJobs()
  const outcome = (await results(org, res.json().jobId)).json()
  assert.deepEqual(
    outcome.map(({ meta }: { meta: { success: boolean } }) => meta.success),
    [true, true, false, false],
  )
  assert.equal(outcome[2].statusMsg, 'user not found')
  assert.ok(!JSON.stringify(outcome).includes(STRONG))
  const [one, two] = await users(org)
  assert.deepEqual([one.jobTitle, one.department, one.account_locked], ['Lead', 'Sales', true])
  assert.deepEqual([two.state, two.activated, two.email], ['SUSPENDED', true, made[1].email])

  const accounts = ids.map((id) => ({ id }))
  for (const path of ['expires', 'unlocks'])
    assert.equal((await org.post(`/api/v2/bulk/user/${path}`, accounts)).statusCode, 201)
  await app.runDueJobs()
  for (const user of await users(org)) {
    assert.equal(user.account_locked, false)
    assert.equal(user.password_expired, true)
  }
  const told = (await org.events()).filter(({ event_type }) =>
    ['user_password_expired', 'user_unlocked'].includes(event_type),
  )
  assert.equal(told.length, 3)
  for (const { correlation } of told) assert.equal((correlation as { type: string }).type, 'bulk')
})

test('bad input is refused as a whole', async () => {
  const org = await app.newOrganization()
  const cases: [object, RegExp][] = [
    [[], /body/],
    [{}, /body/],
  ]
  for (const [body, message] of cases) {
    const res = await org.post(URL, body)
    assert.equal(res.statusCode, 400, res.body)
    assert.match(JSON.stringify(res.json()), message)
  }
  assert.equal((await org.patch(URL, [{ jobTitle: 'x' }])).statusCode, 400)
  assert.equal((await org.post('/api/v2/bulk/user/expires', [{}])).statusCode, 400)
  const odd = [{ id: newId(), password: { toString: 1 } }]
  assert.equal((await org.post('/api/v2/bulk/user/expires', odd)).statusCode, 201)
  await app.runDueJobs()
  assert.equal((await users(org)).length, 0)
  assert.equal((await org.get(`${URL}/${newId()}/results`)).statusCode, 404)
})

test('scopes, and isolation between organizations', async () => {
  const [org, stranger] = [await app.newOrganization(), await app.newOrganization()]
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const { jobId } = (await org.post(URL, [person()])).json()
  assert.equal((await reader.get(`${URL}/${jobId}/results`)).statusCode, 200)
  assert.equal((await reader.post(URL, [person()])).statusCode, 403)
  assert.equal((await reader.patch(URL, [{ id: newId() }])).statusCode, 403)
  assert.equal((await reader.post('/api/v2/bulk/user/unlocks', [{ id: newId() }])).statusCode, 403)
  assert.equal((await stranger.get(`${URL}/${jobId}/results`)).statusCode, 404)
})

test('users deleted thirty days ago are purged, and no sooner', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const [old, recent] = [
    (await org.post('/api/systemusers', person())).json(),
    (await org.post('/api/systemusers', person())).json(),
  ]
  await org.delete(`/api/systemusers/${old.id}`)
  await org.delete(`/api/systemusers/${recent.id}`)
  const age = (id: string, days: number) =>
    app.db.tx(organizationId, (tx) =>
      tx.run(sql`
        update users set deleted_at = deleted_at - make_interval(days => ${days})
         where organization_id = ${organizationId} and id = ${id}`),
    )
  await age(old.id, 30)
  await age(recent.id, 29)
  await app.db.tx(null, (tx) => app.queue.send(tx, purgeUsersJob, {}))
  await app.runDueJobs()
  assert.equal((await org.post(`/api/systemusers/${old.id}/restore`)).statusCode, 404)
  assert.equal((await org.post(`/api/systemusers/${recent.id}/restore`)).statusCode, 200)
})
