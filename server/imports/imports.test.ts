import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { generatePeople } from '../../lab/generated-people.ts'
import { startApp } from '../../test/harness.ts'
import { sendJson, serve } from '../../test/imports/source.ts'
import {
  connectPeople,
  ok,
  PEOPLE_MAPPING,
  peopleConfig,
  startPeople,
  usersOf,
} from '../../test/imports/world.ts'
import { runJob } from './run.ts'

const app = await startApp()

test('people come from a REST source, with managers who come later', async () => {
  const people = generatePeople(60)
  const lab = await startPeople({ people })
  const { org, run, results } = await connectPeople(app, lab)
  const job = await run()
  assert.equal(job.status, 'finished', JSON.stringify(job))
  assert.deepEqual([job.total, job.succeeded, job.failed], [60, 60, 0])
  const users = await usersOf(org)
  assert.equal(users.size, 60)
  for (const { id, username, managerId, status, title, location } of people) {
    const user = users.get(username)!
    assert.equal(user.state, status === 'active' ? 'ACTIVATED' : 'SUSPENDED', id)
    assert.deepEqual([user.jobTitle, user.location], [title, location.city])
    assert.equal(user.creationSource, 'gatehouse:custom_integration')
    const manager = people.find(({ id }) => id === managerId)
    assert.equal(user.manager, manager ? users.get(manager.username)!.id : null, username)
  }
  const rows = await results(job.id)
  assert.ok(rows.every(({ statusMsg }) => statusMsg.startsWith('created')))
  for (const { persistedFields, meta } of rows) {
    const { write, manager } = persistedFields
    const to = (name: string) =>
      meta.changes.find(({ field }: { field: string }) => field === name)?.to
    assert.equal(to('jobTitle'), write.jobTitle)
    assert.equal(to('manager') ?? null, users.get(write.username)!.manager, write.username)
    assert.equal(to('manager') === undefined, manager === null)
  }
  const events = (await org.events()).filter(
    ({ correlation }) => (correlation as { id?: string } | undefined)?.id === job.id,
  )
  assert.equal(events.filter(({ event_type }) => event_type === 'systemuser_create').length, 60)

  const again = await run()
  assert.equal(again.planned.none, 60, JSON.stringify(again))
  assert.equal(again.failed, 0)
})

test('a run that was taken for dead leaves the plan to the one after it', async (t) => {
  const people = generatePeople(501)
  // The requests of both runs, each answered when the test says so.
  const asked: (() => void)[] = []
  const source = await serve(t, (_, response, query) => {
    const offset = Number(query.get('offset'))
    asked.push(() => sendJson(response, { people: people.slice(offset, offset + 500) }))
  })
  const answer = async (at: number) => {
    while (!asked[at]) await setImmediate()
    asked[at]()
  }
  const { source: rest } = peopleConfig(source.url)
  const { org, start, job, results } = await connectPeople(app, source, {
    source: { ...rest, paging: { type: 'offset', pageSize: 500 } },
  })
  const jobId = await start({ dryRun: true })
  const run = () => runJob(app.contexts.imports, { organizationId: org.organizationId, jobId })
  const first = run()
  await answer(0)
  // The first chunk is saved while the second page is asked for.
  while (!asked[1] || (await job(jobId)).total < 500) await setImmediate()
  const second = run()
  while ((await job(jobId)).total > 0) await setImmediate()
  await answer(1)
  await first
  assert.equal((await job(jobId)).status, 'running')
  await answer(2)
  await answer(3)
  await second
  const plan = await job(jobId)
  assert.deepEqual([plan.status, plan.total, plan.planned.create], ['finished', 501, 501])
  assert.equal((await results(jobId)).length, 501)
})

test('a manager who comes with the same run is set for users who were there before', async () => {
  const [boss, worker] = generatePeople(2).map((one) => ({ ...one, groups: [], managerId: null }))
  const lab = await startPeople({ people: [worker!] })
  const { org, run, undo, results } = await connectPeople(app, lab)
  await run()
  lab.people = [{ ...worker!, managerId: boss!.id as never }, boss!]
  const plan = await run({ dryRun: true })
  assert.deepEqual([plan.planned.update, plan.planned.create], [1, 1])
  const [planned] = await results(plan.id)
  assert.deepEqual(planned.meta.changes, [{ field: 'manager', to: boss!.id }])
  assert.equal(planned.statusMsg, 'would be updated')
  const job = await run()
  const users = await usersOf(org)
  assert.equal(users.get(worker!.username)!.manager, users.get(boss!.username)!.id)
  const [row] = await results(job.id)
  assert.deepEqual([row.meta.action, row.statusMsg], ['update', 'updated'])
  assert.equal((await run()).planned.none, 2)
  assert.equal((await undo(job.id)).failed, 0)
  assert.equal((await usersOf(org)).get(worker!.username)!.manager, null)
})

test('a user who is already the same is linked, so that a new e-mail address does not double them', async () => {
  const people = generatePeople(1).map((one) => ({ ...one, groups: [] }))
  const lab = await startPeople({ people })
  const { org, run, undo } = await connectPeople(app, lab, { protectFields: false })
  const { email, username, firstName: firstname, lastName: lastname, department } = people[0]!
  const jobTitle = people[0]!.title
  const location = people[0]!.location.city
  const body = { email, username, firstname, lastname, department, jobTitle, location }
  ok(await org.post('/api/systemusers', { ...body, state: 'ACTIVATED' }))
  const job = await run()
  assert.equal(job.planned.none, 1)
  lab.people = people.map((one) => ({ ...one, email: 'new@example.com', username: 'new' }))
  assert.equal((await run({ dryRun: true })).planned.update, 1)
  assert.equal((await undo(job.id)).failed, 0)
  assert.equal((await run({ dryRun: true })).planned.create, 1)
})

test('operations, reactivation and the state of new users', async () => {
  const people = generatePeople(12).map((one) => ({ ...one, groups: [] }))
  const lab = await startPeople({ people })
  const { org, run } = await connectPeople(app, lab, {
    mapping: PEOPLE_MAPPING.filter(({ target }) => target !== 'state'),
    limits: { changes: { percent: null } },
  })
  const nobody = await run({ operations: ['users.update'] })
  assert.deepEqual([nobody.planned.skip, (await usersOf(org)).size], [12, 0])
  await run({ operations: ['users.create'], state: 'STAGED' })
  assert.ok([...(await usersOf(org)).values()].every(({ state }) => state === 'STAGED'))
  lab.people = people.map((one) => ({ ...one, title: 'Fellow' }))
  const kept = await run({ operations: ['users.create'] })
  assert.equal(kept.planned.skip, 12)
  const [first] = [...(await usersOf(org)).values()]
  ok(await org.put(`/api/systemusers/${first!.id}`, { state: 'SUSPENDED' }))
  await run({ allowUserReactivation: false })
  const after = await usersOf(org)
  assert.ok([...after.values()].every(({ jobTitle }) => jobTitle === 'Fellow'))
  assert.equal(after.get(first!.username as string)!.state, 'SUSPENDED')
  const reactivated = await run({})
  assert.equal(reactivated.planned.reactivate, 1)
  assert.equal((await usersOf(org)).get(first!.username as string)!.state, 'ACTIVATED')
})

test('the ladder: external id, e-mail, username; conflicts are parked, never merged', async () => {
  const [ada, bob, cy, dora, eve, fay] = generatePeople(6).map((one) => ({
    ...one,
    groups: [],
    managerId: null,
  }))
  const lab = await startPeople({ people: [ada!, bob!, cy!] })
  const { org, run, results } = await connectPeople(app, lab, {
    limits: { changes: { percent: null } },
  })
  const by = async (body: object) => ok(await org.post('/api/systemusers', body)).json().id
  const byEmail = await by({ username: 'someone', email: ada!.email.toUpperCase() })
  const byName = await by({ username: bob!.username.toUpperCase(), email: 'other@example.com' })
  const mixed = await by({ username: cy!.username, email: 'cy@example.com' })
  await by({ username: 'taken', email: cy!.email })
  const first = await run()
  assert.deepEqual([first.planned.update, first.planned.park, first.failed], [2, 1, 1])
  const rows = await results(first.id)
  assert.deepEqual(
    rows.map(({ meta }) => [meta.action, meta.userId, meta.reason]),
    [
      ['update', byEmail, undefined],
      ['update', byName, undefined],
      ['park', null, 'username_of_other'],
    ],
  )
  assert.match(rows[2].statusMsg, /username: belongs to/)
  const untouched = (await org.get(`/api/systemusers/${mixed}`)).json()
  assert.deepEqual([untouched.email, untouched.firstname], ['cy@example.com', ''])
  // Known by its id, a record may change its names.
  lab.people = [{ ...ada!, email: 'new@example.com', username: 'ada.new' }]
  await run()
  const renamed = (await org.get(`/api/systemusers/${byEmail}`)).json()
  assert.deepEqual([renamed.email, renamed.username], ['new@example.com', 'ada.new'])
  // Another record cannot take over a linked user, and two records cannot be one user.
  lab.people = [{ ...dora!, email: 'new@example.com' }, eve!, { ...fay!, email: eve!.email }]
  const second = await run()
  assert.deepEqual(
    (await results(second.id)).map(({ meta }) => [meta.action, meta.reason]),
    [
      ['park', 'linked_to_other'],
      ['create', undefined],
      ['park', 'claimed_twice'],
    ],
  )
})

test('too many changes wait for confirmation; a job can be cancelled', async () => {
  const people = generatePeople(40).map((one) => ({
    ...one,
    groups: [],
    status: 'active' as const,
  }))
  const lab = await startPeople({ people })
  const { org, path, run, start, step, job } = await connectPeople(app, lab)
  await run()
  lab.people = people.map((one, at) => (at < 12 ? { ...one, status: 'terminated' as const } : one))
  const held = await run()
  assert.deepEqual([held.status, held.phase], ['waiting', 'apply'])
  assert.match(held.statusReason, /suspend 12 of 40/)
  assert.ok([...(await usersOf(org)).values()].every(({ state }) => state === 'ACTIVATED'))
  assert.equal((await step(held.id, 'cancel')).status, 'cancelled')
  const second = await run()
  const other = await start()
  const busy = await org.post(`${path}/jobs/${second.id}/confirm`)
  assert.deepEqual([busy.statusCode, busy.json().reason], [409, 'import_running'])
  await step(other, 'cancel')
  assert.equal((await step(second.id, 'confirm')).status, 'queued')
  await app.runDueJobs()
  assert.equal((await job(second.id)).status, 'finished')
  const states = [...(await usersOf(org)).values()].map(({ state }) => state)
  assert.equal(states.filter((state) => state === 'SUSPENDED').length, 12)
  const wrong = await org.post(`${path}/jobs/${second.id}/confirm`)
  assert.equal(wrong.statusCode, 409)
  assert.equal(wrong.json().reason, 'import_job_state')
})

test('a source is imported once at a time; plans may be made meanwhile', async () => {
  const lab = await startPeople({
    people: generatePeople(2).map((one) => ({ ...one, groups: [] })),
  })
  const { org, path, start, step, job } = await connectPeople(app, lab)
  const first = await start()
  const second = await org.post(`${path}/jobs`, { operations: ['users.create'] })
  assert.deepEqual([second.statusCode, second.json().reason], [409, 'import_running'])
  const plan = await start({ dryRun: true })
  await step(first, 'cancel')
  const third = await start()
  await app.runDueJobs()
  assert.deepEqual([(await job(plan)).status, (await job(third)).succeeded], ['finished', 2])
})

test('a dry run shows the plan from and to, and changes nothing', async () => {
  const people = generatePeople(5).map((one) => ({ ...one, groups: [] }))
  const lab = await startPeople({ people })
  const { org, run, results } = await connectPeople(app, lab)
  const plan = await run({ dryRun: true })
  assert.deepEqual([plan.status, plan.planned.create, plan.total], ['finished', 5, 5])
  assert.equal((await usersOf(org)).size, 0)
  await run()
  const before = [...(await usersOf(org))]
  lab.people = people.map((one, at) => (at === 2 ? { ...one, title: 'Chief' } : one))
  const change = await run({ dryRun: true })
  const [row] = (await results(change.id)).filter(({ meta }) => meta.action === 'update')
  assert.deepEqual(row.meta.changes, [{ field: 'jobTitle', from: people[2]!.title, to: 'Chief' }])
  assert.equal(row.statusMsg, 'would be updated')
  assert.deepEqual([...(await usersOf(org))], before)
})

test('absent people are suspended after so many complete reads', async () => {
  const people = generatePeople(30).map((one) => ({
    ...one,
    groups: [],
    status: 'active' as const,
  }))
  const lab = await startPeople({ people })
  const { org, run } = await connectPeople(app, lab, { missing: { action: 'suspend', after: 2 } })
  await run()
  const gone = people[7]!
  lab.people = people.filter(({ id }) => id !== gone.id)
  const state = async () => (await usersOf(org)).get(gone.username)!.state
  await run({ dryRun: true })
  await run({ queryString: 'a=b' })
  await run()
  assert.equal(await state(), 'ACTIVATED')
  const second = await run()
  assert.deepEqual([second.planned.suspend, await state()], [1, 'SUSPENDED'])
  ok(
    await org.put(`/api/systemusers/${(await usersOf(org)).get(gone.username)!.id}`, {
      state: 'ACTIVATED',
    }),
  )
  assert.equal((await run()).planned.suspend, 1, 'still absent')
  lab.people = people
  await run()
  assert.equal(await state(), 'ACTIVATED')
  lab.people = people.filter(({ id }) => id !== gone.id)
  await run()
  assert.equal(await state(), 'ACTIVATED', 'the count begins anew')
})

test('an undo takes everything back, except where somebody changed it later', async () => {
  const people = generatePeople(20).map((one) => ({ ...one, status: 'active' as const }))
  const lab = await startPeople({ people: people.slice(0, 10) })
  const { org, path, run, undo, results } = await connectPeople(app, lab, {
    limits: { changes: { percent: null } },
  })
  const groups = [...new Set(people.flatMap(({ groups }) => groups))]
  for (const name of groups) ok(await org.post('/api/v2/usergroups', { name }), 201)
  await run()
  const before = [...(await usersOf(org))]
  const untouched = before.map(([name, { updated: _, ...user }]) => [name, user])
  lab.people = people.map((one) => ({ ...one, title: 'Fellow', department: 'Lab' }))
  const job = await run()
  assert.deepEqual([job.planned.update, job.planned.create], [10, 10])
  const back = await undo(job.id)
  assert.deepEqual([back.status, back.kind, back.failed], ['finished', 'undo', 0])
  const named = (await results(back.id)).map(
    ({ persistedFields }) => persistedFields.write.username,
  )
  assert.deepEqual(named.sort(), people.map(({ username }) => username).sort())
  const after = [...(await usersOf(org))].map(([name, { updated: _, ...user }]) => [name, user])
  assert.deepEqual(after, untouched)

  const again = await run()
  const users = await usersOf(org)
  const edited = users.get(people[1]!.username)!
  const grown = users.get(people[15]!.username)!
  const { profile: _p, ...lift } = { restrictedFields: [] as object[], profile: 0 }
  ok(await org.put(`/api/systemusers/${edited.id}`, { ...lift, department: 'Mine' }))
  ok(await org.put(`/api/systemusers/${grown.id}`, { password: 'Tangled-Orchard-58' }))
  const gone = users.get(people[2]!.username)!
  ok(await org.delete(`/api/systemusers/${gone.id}?cascade_manager=null`))
  const partly = await undo(again.id)
  const refused = await results(partly.id, '&success=false')
  const failed = refused.map(({ statusMsg }) => statusMsg)
  assert.deepEqual(refused.map(({ meta }) => meta.reason).sort(), [
    'changed_later',
    'changed_later',
    'deleted_later',
  ])
  assert.match(failed.join(), /user: was changed after the import/)
  assert.match(failed.join(), /(department|restrictedFields): was changed after the import/)
  const left = await usersOf(org)
  assert.equal(left.size, 10)
  const twice = await org.post(`${path}/jobs/${partly.id}/undo`)
  assert.deepEqual([twice.statusCode, twice.json().reason], [400, 'not_an_import'])
})

test('fields of the source are protected from edits by hand', async () => {
  const people = generatePeople(2).map((one) => ({ ...one, groups: [] }))
  const lab = await startPeople({ people })
  const { org, id, run } = await connectPeople(app, lab, { limits: { changes: { percent: null } } })
  await run()
  const user = (await usersOf(org)).get(people[0]!.username)!
  const refused = await org.put(`/api/systemusers/${user.id}`, { department: 'Mine' })
  assert.equal(refused.statusCode, 400)
  assert.equal(refused.json().reason, 'field_restricted')
  ok(await org.put(`/api/systemusers/${user.id}`, { description: 'free' }))
  assert.deepEqual(
    (user.restrictedFields as { id: string; type: string }[]).map(({ id, type }) => [id, type])[0],
    [id, 'scim'],
  )
  lab.people = people.map((one) => ({ ...one, department: 'Theirs' }))
  assert.equal((await run()).failed, 0)
  assert.equal((await usersOf(org)).get(people[0]!.username)!.department, 'Theirs')
})

test('failed rows are tried again once the cause is gone, and a failed job as a whole', async () => {
  const people = generatePeople(3).map((one) => ({ ...one, groups: [], managerId: null }))
  const lab = await startPeople({ people })
  const { org, path, run, step, job, results } = await connectPeople(app, lab)
  const [blocker] = people
  const other = { username: 'blocker', email: blocker!.email }
  const held = ok(await org.post('/api/systemusers', other)).json()
  const named = { username: blocker!.username, email: 'named@example.com' }
  const second = ok(await org.post('/api/systemusers', named)).json()
  const first = await run()
  assert.deepEqual([first.succeeded, first.failed], [2, 1])
  for (const { id } of [held, second]) ok(await org.delete(`/api/systemusers/${id}`))
  assert.equal((await step(first.id, 'retry')).status, 'queued')
  await app.runDueJobs()
  const retried = await job(first.id)
  assert.deepEqual([retried.status, retried.succeeded, retried.failed], ['finished', 3, 0])
  assert.equal((await results(first.id))[0].statusMsg, 'created')
  const again = await org.post(`${path}/jobs/${first.id}/retry`)
  assert.equal(again.json().reason, 'import_job_state')

  lab.faults.set({ failRate: 1, status: 403 })
  const broken = await run()
  assert.deepEqual([broken.status, broken.phase], ['failed', 'plan'])
  assert.match(broken.statusReason, /403/)
  lab.faults.set({})
  await step(broken.id, 'retry')
  await app.runDueJobs()
  assert.equal((await job(broken.id)).planned.none, 3)
})
