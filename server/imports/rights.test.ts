import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generatePeople } from '../../lab/generated-people.ts'
import { startApp } from '../../test/harness.ts'
import { addHolder } from '../../test/holder.ts'
import {
  connectPeople,
  ok,
  PEOPLE_MAPPING,
  startPeople,
  usersOf,
} from '../../test/imports/world.ts'
import { sql } from '../platform/db/sql.ts'
import { runScheduled } from './schedule.ts'

// An import writes users and joins groups: whatever leads to one takes the right to do so by hand.

const app = await startApp()
type World = Awaited<ReturnType<typeof connectPeople>>
const holderOf = ({ org }: World, scopes: string[]) => addHolder(app, org, scopes)

const operations = ['users.create', 'users.update']
const WITHOUT_GROUPS = PEOPLE_MAPPING.filter(({ target }) => target !== 'groups')

test('applications alone changes nobody by an import, in no way', async () => {
  const [ada] = generatePeople(1)
  const lab = await startPeople({ people: [ada!] })
  const world = await connectPeople(app, lab, { limits: { changes: { users: 0 } } })
  const { org, path, body, start, job } = world
  ok(await world.org.post('/api/systemusers', { username: ada!.username, email: ada!.email }))
  const done = await world.run()
  assert.equal(done.status, 'waiting')
  const calls: ['get' | 'post' | 'put', string, object?][] = [
    ['put', `${path}/config`, body],
    ['put', `${path}/file`, {}],
    ['post', `${path}/config/preview`, {}],
    ['get', `${path}/users`],
    ['post', `${path}/jobs`, { operations }],
    ['get', `${path}/jobs/${done.id}/results`],
    ['post', `${path}/jobs/${done.id}/confirm`],
    ['post', `${path}/jobs/${done.id}/retry`],
    ['post', `${path}/jobs/${done.id}/undo`],
  ]
  const thief = await holderOf(world, ['applications'])
  for (const [method, url, sent] of calls) {
    const res = await thief[method](url, sent as never)
    assert.deepEqual(
      [res.statusCode, res.json().reason],
      [403, 'scope_missing'],
      `${method} ${url}`,
    )
    assert.match(res.json().message, /users/)
  }
  // With users, but not groups, a mapping with groups is still out of reach.
  const helper = await holderOf(world, ['applications', 'users'])
  for (const [method, url, sent] of calls.filter(([, url]) => !/(results|undo)$/.test(url))) {
    const res = await helper[method](url, sent as never)
    assert.deepEqual(
      [res.statusCode, res.json().reason],
      [403, 'scope_missing'],
      `${method} ${url}`,
    )
    assert.match(res.json().message, /groups/)
  }
  const mapping = PEOPLE_MAPPING
  assert.equal((await helper.put(`${path}/config`, { ...body, mapping })).statusCode, 403)
  ok(await helper.put(`${path}/config`, { ...body, mapping: WITHOUT_GROUPS }))
  const preview = await helper.post(`${path}/config/preview`, { mapping })
  assert.equal(preview.statusCode, 403)
  ok(await helper.post(`${path}/jobs/${done.id}/confirm`))
  // Its rows were planned with groups, which the one who lets it go may not fill.
  await app.runDueJobs()
  assert.equal((await job(done.id)).status, 'finished')
  ok(await thief.post(`${path}/jobs/${await start()}/cancel`))
  assert.equal((await usersOf(org)).size, 1)
})

test('a right that is lost before the job runs ends it, and who still has it can take it over', async () => {
  const lab = await startPeople({ people: generatePeople(3) })
  const world = await connectPeople(app, lab)
  const { org, path, job, step } = world
  const helper = await holderOf(world, ['applications', 'users', 'groups'])
  const begin = async () => ok(await helper.post(`${path}/jobs`, { operations })).json()._id
  const first = await begin()
  await helper.give(['applications', 'groups'])
  await app.runDueJobs()
  const failed = await job(first)
  assert.deepEqual([failed.status, failed.reason], ['failed', 'rights_lost'])
  assert.match(failed.statusReason, /users/)
  assert.equal((await usersOf(org)).size, 0)
  const ended = (await org.events()).find(({ event_type }) => event_type === 'import_job_finish')!
  assert.equal(ended.success, false)
  assert.match(ended.error_message as string, /no longer holds the scope users/)

  await step(first, 'retry')
  await app.runDueJobs()
  assert.equal((await job(first)).status, 'finished')
  assert.equal((await job(first)).reason, null)
  assert.equal((await usersOf(org)).size, 3)
})

test('a suspended administrator starts nothing more, and an undo keeps to the same rights', async () => {
  const lab = await startPeople({ people: generatePeople(2) })
  const world = await connectPeople(app, lab)
  const { org, path, job } = world
  const done = await world.run()
  const helper = await holderOf(world, ['applications', 'users', 'groups'])
  const joiner = await holderOf(world, ['applications', 'users'])
  assert.equal((await joiner.post(`${path}/jobs/${done.id}/undo`)).statusCode, 403)
  const undo = ok(await helper.post(`${path}/jobs/${done.id}/undo`)).json()._id
  ok(await org.put(`/api/users/${helper.id}`, { suspended: true }))
  await app.runDueJobs()
  assert.equal((await job(undo)).reason, 'rights_lost')
  assert.equal((await usersOf(org)).size, 2)
})

test('a scheduled import runs with the rights of the one who set the schedule', async () => {
  const lab = await startPeople({ people: generatePeople(2) })
  const world = await connectPeople(app, lab)
  const { org, path, body, id } = world
  const helper = await holderOf(world, ['applications', 'users', 'groups'])
  const turn = async () => {
    await app.db.tx(org.organizationId, (tx) =>
      tx.run(
        sql`update import_sources set next_run_at = '2026-01-01T00:00:00Z' where application_id = ${id}`,
      ),
    )
    const key = { organizationId: org.organizationId, applicationId: id }
    await runScheduled(app.contexts.imports, { ...key, at: '2026-01-01T00:00:00.000Z' }, new Date())
    await app.runDueJobs()
    return ok(await org.get(`${path}/jobs?limit=1`)).json()[0]
  }
  ok(await helper.put(`${path}/config`, { ...body, schedule: '0 3 * * *' }))
  assert.equal((await turn()).status, 'finished')
  assert.equal((await usersOf(org)).size, 2)
  await helper.give(['applications'])
  const lost = await turn()
  assert.deepEqual([lost.status, lost.reason], ['failed', 'rights_lost'])
  ok(await org.put(`${path}/config`, { ...body, schedule: '0 3 * * *' }))
  assert.equal((await turn()).status, 'finished')
})
