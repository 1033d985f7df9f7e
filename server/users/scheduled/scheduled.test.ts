import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { addUser } from '../../../test/people.ts'
import { createApp } from '../../app.ts'
import { openDb } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { listMails } from '../../platform/mail.ts'
import { catchUpStatesJob, fireStatesJob } from '../job-definitions.ts'

const app = await startApp()
const HOUR = 3_600_000
const URL = '/api/v2/bulk/userstates'

type Org = Awaited<ReturnType<typeof app.newOrganization>>
const stateOf = async (org: Org, { id }: { id: string }) =>
  (await org.get(`/api/systemusers/${id}`)).json().state
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

/** Simulates hours passing: moves scheduled changes and their jobs into the past. */
const pass = (organizationId: string, hours: number) =>
  app.db.tx(organizationId, async (tx) => {
    await tx.run(sql`
      update scheduled_states set start_date = start_date - make_interval(hours => ${hours})
       where organization_id = ${organizationId}`)
    await tx.run(sql`
      update pgboss.job set start_after = start_after - make_interval(hours => ${hours})
       where name = 'users.fire-states' and state = 'created' and data ->> 'organizationId' = ${organizationId}`)
  })

test('a scheduled activation happens on time, once, as the actor who scheduled it', async () => {
  const org = await app.newOrganization()
  const users = [await addUser(org, { state: 'STAGED' }), await addUser(org, { state: 'STAGED' })]
  const start = inHours(2)
  const res = await org.post(URL, {
    user_ids: users.map(({ id }) => id),
    state: 'ACTIVATED',
    start_date: start,
  })
  assert.equal(res.statusCode, 201)
  const planned = res.json()
  assert.deepEqual(
    planned.map(({ scheduledJobId: _, ...rest }: { scheduledJobId: string }) => rest),
    users.map(({ id }) => ({ scheduledDate: start, state: 'ACTIVATED', systemUserId: id })),
  )
  await app.runDueJobs()
  assert.equal(await stateOf(org, users[0]), 'STAGED', 'it is too early')
  await pass(org.organizationId, 1)
  await app.runDueJobs()
  assert.equal(await stateOf(org, users[0]), 'STAGED', 'it is still too early')
  await pass(org.organizationId, 1)
  // Two concurrent workers.
  await Promise.all([app.runDueJobs(), app.runDueJobs()])
  for (const user of users) {
    assert.equal(await stateOf(org, user), 'ACTIVATED')
    const mails = await listMails(app.db, app.sealer, 1000)
    assert.equal(mails.filter(({ recipient }) => recipient === user.email).length, 1)
  }
  assert.deepEqual((await org.get(URL)).json(), [])
  const events = (await org.events()).filter(({ event_type }) => event_type === 'user_activated')
  assert.equal(events.length, 2)
  assert.deepEqual(events[0]?.initiated_by, { type: 'admin', id: org.adminId, email: org.email })
  assert.deepEqual(
    (await org.eventTypes()).filter((type) => type.includes('schedule')),
    ['user_activation_schedule_create', 'user_activation_schedule_create'],
  )
})

test('a repeated job does nothing', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const body = { user_ids: [user.id], state: 'SUSPENDED', start_date: inHours(-1) }
  const [{ scheduledJobId }] = (await org.post(URL, body)).json()
  await app.runDueJobs()
  assert.equal(await stateOf(org, user), 'SUSPENDED')
  await org.put(`/api/systemusers/${user.id}`, { state: 'ACTIVATED' })
  const { organizationId } = org
  await app.db.tx(null, (tx) =>
    app.queue.send(tx, fireStatesJob, { organizationId, ids: [scheduledJobId] }),
  )
  await app.runDueJobs()
  assert.equal(await stateOf(org, user), 'ACTIVATED')
})

test('a scheduled change survives a restart of the process', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  await org.post(URL, { user_ids: [user.id], state: 'SUSPENDED', start_date: inHours(1) })
  await pass(org.organizationId, 1)
  const { config, sealer } = app
  const db = openDb(app.service, { max: 3 })
  const log = createLog('silent')
  const next = await createApp({ config, db, searchDb: db, log, sealer })
  await next.queue.runDue()
  assert.equal(await stateOf(org, user), 'SUSPENDED')
  await next.http.close()
  await next.queue.stop()
  await db.close()
})

test('a change whose job was lost is caught up', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  await org.post(URL, { user_ids: [user.id], state: 'SUSPENDED', start_date: inHours(1) })
  await app.db.run(sql`
    delete from pgboss.job
     where name = 'users.fire-states' and data ->> 'organizationId' = ${org.organizationId}`)
  await pass(org.organizationId, 2)
  await app.db.tx(null, (tx) => app.queue.send(tx, catchUpStatesJob, {}))
  await app.runDueJobs()
  assert.equal(await stateOf(org, user), 'SUSPENDED')
})

test('a user may have several pending changes; next lists one per state', async () => {
  const org = await app.newOrganization()
  const [user, other] = [await addUser(org), await addUser(org)]
  const plan = async (state: string, hours: number, who = user) =>
    (await org.post(URL, { user_ids: [who.id], state, start_date: inHours(hours) })).json()[0]
  const late = await plan('SUSPENDED', 9)
  const soon = await plan('SUSPENDED', 3)
  const back = await plan('ACTIVATED', 5)
  const theirs = await plan('SUSPENDED', 4, other)
  const list = await org.get(`${URL}?userid=${user.id}&limit=2`)
  assert.equal(list.headers['x-total-count'], '3')
  assert.deepEqual(list.json(), [soon, back])
  assert.deepEqual((await org.get(`${URL}?skip=2&userid=${user.id}`)).json(), [late])
  assert.deepEqual((await org.get(`${URL}?filter=state:eq:ACTIVATED`)).json(), [back])
  const next = await org.get(`${URL}/eventlist/next?users=${user.id},${other.id}&limit=2`)
  assert.deepEqual(next.json(), { events_count: 3, results: [soon, theirs] })
  for (const query of ['', '?users=', '?users=nobody', `?users=${Array(101).fill(user.id)}`])
    assert.equal((await org.get(`${URL}/eventlist/next${query}`)).statusCode, 400, query)

  assert.deepEqual((await org.get(`${URL}/${soon.scheduledJobId}`)).json(), soon)
  assert.equal((await org.delete(`${URL}/${soon.scheduledJobId}`)).statusCode, 204)
  assert.equal((await org.get(`${URL}/${soon.scheduledJobId}`)).statusCode, 404)
  assert.equal((await org.delete(`${URL}/${soon.scheduledJobId}`)).statusCode, 404)
  await pass(org.organizationId, 4)
  await app.runDueJobs()
  assert.equal(await stateOf(org, user), 'ACTIVATED', 'the one at three hours was cancelled')
  assert.equal(await stateOf(org, other), 'SUSPENDED')
  assert.equal((await org.eventTypes()).includes('user_suspension_schedule_delete'), true)
})

test('a change scheduled for a deleted user is hidden, waits, and runs after a restore', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  await org.post(URL, { user_ids: [user.id], state: 'SUSPENDED', start_date: inHours(5) })
  await org.delete(`/api/systemusers/${user.id}`)
  assert.deepEqual((await org.get(URL)).json(), [])
  await org.post(`/api/systemusers/${user.id}/restore`)
  assert.equal((await org.get(URL)).json().length, 1)
  await org.delete(`/api/systemusers/${user.id}`)
  await pass(org.organizationId, 6)
  const catchUp = async () => {
    await app.db.tx(null, (tx) => app.queue.send(tx, catchUpStatesJob, {}))
    await app.runDueJobs()
  }
  await catchUp()
  await org.post(`/api/systemusers/${user.id}/restore`)
  assert.equal(await stateOf(org, user), 'ACTIVATED')
  await catchUp()
  assert.equal(await stateOf(org, user), 'SUSPENDED')
})

test('mails of a scheduled activation: none, or to another address', async () => {
  const org = await app.newOrganization()
  const [one, two] = [
    await addUser(org, { state: 'STAGED' }),
    await addUser(org, { state: 'STAGED' }),
  ]
  const address = `${newId()}@example.org`
  const plan = { state: 'ACTIVATED', start_date: inHours(-1) }
  await org.post(URL, { ...plan, user_ids: [one.id], send_activation_emails: false })
  await org.post(URL, {
    ...plan,
    user_ids: [two.id],
    send_activation_emails: true,
    activation_email_override: address,
  })
  await app.runDueJobs()
  const to = (await listMails(app.db, app.sealer, 1000)).map(({ recipient }) => recipient)
  assert.ok(to.includes(address))
  assert.ok(!to.includes(one.email) && !to.includes(two.email))
})

test('bad requests are refused and leave nothing', async () => {
  const org = await app.newOrganization()
  const [user, other] = [await addUser(org), await addUser(org)]
  const stranger = await app.newOrganization()
  const foreign = await addUser(stranger)
  const good = { user_ids: [user.id], state: 'ACTIVATED', start_date: inHours(1) }
  const bad: [object, RegExp, string][] = [
    [{ ...good, user_ids: [] }, /user_ids/, 'validation'],
    [{ ...good, user_ids: ['x'] }, /user_ids/, 'validation'],
    [{ ...good, user_ids: [user.id, newId()] }, /user_ids/, 'user_not_found'],
    [{ ...good, user_ids: [foreign.id] }, /user_ids/, 'user_not_found'],
    [{ ...good, state: 'STAGED' }, /state/, 'validation'],
    [{ ...good, start_date: 'tomorrow' }, /start_date/, 'validation'],
    [{ user_ids: [user.id], state: 'ACTIVATED' }, /start_date/, 'validation'],
    [
      { ...good, state: 'SUSPENDED', send_activation_emails: true },
      /send_activation_emails/,
      'activation_email',
    ],
    [
      { ...good, state: 'SUSPENDED', activation_email_override: 'a@example.com' },
      /activation_email_override/,
      'activation_email',
    ],
    [
      { ...good, user_ids: [user.id, other.id], activation_email_override: 'a@example.com' },
      /activation_email_override/,
      'activation_email',
    ],
  ]
  for (const [body, message, reason] of bad) {
    const res = await org.post(URL, body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  assert.deepEqual((await org.get(URL)).json(), [])
})

test('scopes, and isolation between organizations', async () => {
  const [org, stranger] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addUser(org)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const body = { user_ids: [user.id], state: 'SUSPENDED', start_date: inHours(1) }
  assert.equal((await reader.post(URL, body)).statusCode, 403)
  const [{ scheduledJobId }] = (await org.post(URL, body)).json()
  assert.equal((await reader.get(URL)).json().length, 1)
  assert.equal((await reader.delete(`${URL}/${scheduledJobId}`)).statusCode, 403)
  assert.deepEqual((await stranger.get(URL)).json(), [])
  const next = await stranger.get(`${URL}/eventlist/next?users=${user.id}`)
  assert.deepEqual(next.json(), { events_count: 0, results: [] })
  assert.equal((await stranger.get(`${URL}/${scheduledJobId}`)).statusCode, 404)
  assert.equal((await stranger.delete(`${URL}/${scheduledJobId}`)).statusCode, 404)
  assert.equal((await org.get(URL)).json().length, 1)
})
