import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generatePeople } from '../../lab/generated-people.ts'
import { untilBlocked } from '../../test/blocked.ts'
import { startApp } from '../../test/harness.ts'
import {
  connectPeople,
  ok,
  PEOPLE_MAPPING,
  startPeople,
  usersOf,
} from '../../test/imports/world.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()

type World = Awaited<ReturnType<typeof connectPeople>>

const mapping = [...PEOPLE_MAPPING, { target: 'employeeIdentifier', value: { source: 'badge' } }]

/** What came of a job, with names in place of ids. */
async function story({ org, results }: World, jobId: string) {
  const users = [...(await usersOf(org)).values()]
  const nameOf = new Map(users.map(({ id, username }) => [id, username as string]))
  const named = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, one) => nameOf.get(one) ?? one)
  const rows = (await results(jobId)).map(({ persistedFields, statusMsg, meta }) => {
    const { joined, fingerprint, changes = [], ...rest } = meta
    const { externalId } = persistedFields
    // A manager who came later is the last change, and comes from nobody.
    const fields = Object.fromEntries(
      changes.map((one: { field: string; to: unknown }) => [one.field, one.to]),
    )
    const counts = { joined: joined?.length, known: fingerprint?.length }
    return { externalId, statusMsg, fields, ...rest, ...counts }
  })
  const events = (await org.events()).filter(
    ({ correlation }) => (correlation as { id?: string } | undefined)?.id === jobId,
  )
  return { rows: named(rows) as typeof rows, events }
}

const created = ({ events }: Awaited<ReturnType<typeof story>>) =>
  events.filter(({ event_type }) => event_type === 'systemuser_create')

test('a record that cannot be added leaves those beside it as they are without it', async () => {
  const people = generatePeople(40).map((one, at) => ({ ...one, badge: `B${at}` }))
  const lab = await startPeople({ people })
  // A change that needs a confirmation, so that something can happen between the plan and its application.
  const limits = { changes: { users: 0 } }
  const [good, bad] = [
    await connectPeople(app, lab, { mapping, limits, protectFields: false }),
    await connectPeople(app, lab, { mapping, limits, protectFields: false }),
  ]
  const [known, last] = [people[0]!, people.at(-1)!]
  for (const { org } of [good, bad]) {
    for (const name of new Set(people.flatMap(({ groups }) => groups)))
      ok(await org.post('/api/v2/usergroups', { name }), 201)
    const { username, email } = known
    ok(await org.post('/api/systemusers', { username, email }))
  }
  const planned = [await good.run(), await bad.run()]
  assert.ok(planned.every(({ status }) => status === 'waiting'))
  const other = { username: 'other', email: 'other@example.com', employeeIdentifier: last.badge }
  ok(await bad.org.post('/api/systemusers', other))
  const confirm = async ({ step, job }: World, jobId: string) => {
    await step(jobId, 'confirm')
    await app.runDueJobs()
    return job(jobId)
  }
  const [all, some] = [await confirm(good, planned[0].id), await confirm(bad, planned[1].id)]
  assert.deepEqual([all.succeeded, all.failed, some.succeeded, some.failed], [40, 0, 39, 1])
  const [together, alone] = [await story(good, all.id), await story(bad, some.id)]

  const failed = alone.rows.pop()!
  assert.deepEqual([failed.externalId, failed.reason], [last.id, 'employee_identifier_taken'])
  assert.deepEqual(alone.rows, together.rows.slice(0, -1))
  // One statement writes the events of users who are added together: first those of managers, then the others.
  assert.equal(new Set(created(together).map(({ timestamp }) => timestamp)).size, 2)
  assert.ok(new Set(created(alone).map(({ timestamp }) => timestamp)).size > 2)
  const users = await usersOf(good.org)
  for (const { username, managerId } of people) {
    const manager = people.find(({ id }) => id === managerId)
    assert.equal(users.get(username)!.manager, manager ? users.get(manager.username)!.id : null)
  }
  assert.equal((await good.run()).planned.none, 40)
})

test('the plan knows whose employee identifier a record has', async () => {
  const [ada, bob, cy, dora] = generatePeople(4).map((one, at) => ({
    ...one,
    groups: [],
    managerId: null,
    badge: `B${at}`,
  }))
  const lab = await startPeople({ people: [ada!] })
  const { org, run, results } = await connectPeople(app, lab, { mapping })
  await run()
  const other = { username: 'other', email: 'other@example.com', employeeIdentifier: bob!.badge }
  ok(await org.post('/api/systemusers', other))
  lab.people = [
    { ...ada!, badge: 'B1' },
    bob!,
    cy!,
    { ...dora!, badge: cy!.badge },
  ] as typeof lab.people
  const plan = await run({ dryRun: true })
  assert.deepEqual(
    (await results(plan.id)).map(({ meta }) => [meta.action, meta.reason]),
    [
      ['park', 'employee_identifier_of_other'],
      ['park', 'employee_identifier_of_other'],
      ['create', undefined],
      ['park', 'claimed_twice'],
    ],
  )
  const [taken] = await results(plan.id)
  assert.match(taken.statusMsg, /employeeIdentifier: belongs to "other", but the record is "/)
  lab.people = [ada!]
  assert.equal((await run()).planned.none, 1)
})

test('a job that is cancelled while it adds users adds none of them', async () => {
  const people = generatePeople(30).map((one) => ({ ...one, groups: [], managerId: null }))
  const lab = await startPeople({ people })
  const { org, start, step, job, results } = await connectPeople(app, lab)
  const { organizationId } = org
  const jobId = await start()
  let run: Promise<unknown> | undefined
  const stop = new Error('only to hold the name')
  const held = app.db.tx(organizationId, async (tx) => {
    const { username } = people[20]!
    await tx.run(sql`
      insert into users (organization_id, id, username, email, state, unix_uid, unix_guid, creation_source)
      values (${organizationId}, ${'f'.repeat(24)}, ${username}, 'x@example.com', 'STAGED', 1, 1, 'test')`)
    run = app.runDueJobs()
    await untilBlocked(app.db, tx)
    await step(jobId, 'cancel')
    throw stop
  })
  await assert.rejects(held, stop)
  await run
  assert.equal((await usersOf(org)).size, 0)
  const { status, pending } = await job(jobId)
  assert.deepEqual([status, pending], ['cancelled', 30])
  assert.ok((await results(jobId)).every(({ status }) => status === 'Pending'))
})

test('two users cannot be each other, and nobody manages themselves', async () => {
  const [ada, bob, cy] = generatePeople(3).map((one) => ({ ...one, groups: [] }))
  const people = [
    { ...ada!, managerId: bob!.id },
    { ...bob!, managerId: ada!.id },
    { ...cy!, managerId: cy!.id },
  ]
  const lab = await startPeople({ people })
  const { org, run, results } = await connectPeople(app, lab)
  const job = await run()
  const users = await usersOf(org)
  const managers = people.map(({ username }) => users.get(username)!.manager)
  assert.deepEqual(managers, [users.get(bob!.username)!.id, users.get(ada!.username)!.id, null])
  assert.ok((await results(job.id)).every(({ statusMsg }) => statusMsg === 'created'))
})

test('a group with sudo is joined only if the one who started the job may grant it', async () => {
  const people = generatePeople(12).map((one, at) => ({
    ...one,
    groups: at === 5 ? ['Root'] : [],
  }))
  const lab = await startPeople({ people })
  const world = await connectPeople(app, lab)
  const attributes = { sudo: { enabled: true, withoutPassword: false } }
  ok(await world.org.post('/api/v2/usergroups', { name: 'Root', attributes }), 201)
  const role = { name: 'Importer', scopes: ['applications', 'users', 'groups'] }
  ok(await world.org.post('/api/v2/roles', role))
  const helper = await app.addAdministrator(world.org.organizationId, 'Read Only')
  ok(await world.org.put(`/api/users/${helper.id}`, { roleNames: [role.name] }))
  const operations = ['users.create', 'users.update']
  const started = ok(await helper.post(`${world.path}/jobs`, { operations }))
  await app.runDueJobs()
  const { rows } = await story(world, started.json()._id)
  assert.deepEqual(
    rows.filter(({ success }) => !success).map(({ externalId }) => externalId),
    [people[5]!.id],
  )
  assert.equal((await usersOf(world.org)).size, 11)
  assert.equal((await world.run()).failed, 0)
})

test('a row whose user goes and comes back while it is applied fails, and can be retried', async () => {
  const [ada] = generatePeople(1).map((one) => ({ ...one, groups: [] }))
  const lab = await startPeople({ people: [ada!] })
  const limits = { changes: { users: 0 } }
  const { org, run, start, step, job, results } = await connectPeople(app, lab, { limits })
  const { organizationId } = org
  await run()
  lab.people = [{ ...ada!, title: 'Fellow' }]
  const jobId = await start()
  await app.runDueJobs()
  assert.equal((await job(jobId)).status, 'waiting')
  const { id } = (await usersOf(org)).get(ada!.username)!
  ok(await org.delete(`/api/systemusers/${id}`))
  await step(jobId, 'confirm')
  const { again } = await app.db.tx(organizationId, async (tx) => {
    await tx.run(sql`
      insert into users (organization_id, id, username, email, state, unix_uid, unix_guid, creation_source)
      values (${organizationId}, ${'f'.repeat(24)}, ${ada!.username}, 'x@example.com', 'STAGED', 1, 1, 'test')`)
    const again = app.runDueJobs()
    await untilBlocked(app.db, tx)
    return { again }
  })
  await again
  const [row] = await results(jobId)
  assert.deepEqual([row.meta.success, row.meta.reason], [false, 'changing'])
  await step(jobId, 'retry')
  await app.runDueJobs()
  assert.equal((await results(jobId))[0].meta.action, 'update')
})
