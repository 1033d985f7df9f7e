import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol, newKeyPair } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { tidyCommandsJob } from './jobs.ts'
import { checkSchedule, nextRun, runAfter } from './schedule.ts'

const now = new Date('2026-11-15T07:03:13.000Z')
const plan = (launchType: string, schedule: string, scheduleYear: number | null = null) => ({
  launchType,
  schedule,
  scheduleYear,
})

test('the next run follows the cron expression, in UTC with seconds first', () => {
  const cases: [ReturnType<typeof plan>, string | null][] = [
    [plan('repeated', '0 30 4 * * *'), '2026-11-16T04:30:00.000Z'],
    [plan('repeated', '15 4 7 * * *'), '2026-11-15T07:04:15.000Z'],
    [plan('repeated', '*/5 * * * *'), '2026-11-15T07:05:00.000Z'],
    [plan('scheduled', '0 0 9 * * 1'), '2026-11-16T09:00:00.000Z'],
    [plan('one-time', '0 0 12 24 12 *', 2027), '2027-12-24T12:00:00.000Z'],
    [plan('one-time', '0 0 0 1 1 *', 2027), '2027-01-01T00:00:00.000Z'],
    [plan('one-time', '0 0 12 1 1 *', 2026), null],
    [plan('one-time', '0 0 12 24 12 *', 2025), null],
    [plan('one-time', 'immediate'), null],
    [plan('manual', '0 30 4 * * *'), null],
    [plan('trigger', ''), null],
  ]
  for (const [given, expected] of cases)
    assert.equal(nextRun(given, now)?.toISOString() ?? null, expected, JSON.stringify(given))
  assert.equal(runAfter(plan('one-time', '0 0 12 24 12 *'), now), null)
  assert.ok(runAfter(plan('repeated', '0 0 12 24 12 *'), now))
})

test('a schedule that never fires, or fires too often, is refused', () => {
  for (const schedule of ['', 'often', '* * *', '61 * * * * *', '*/30 * * * * *', '* * * * * *'])
    assert.throws(
      () => checkSchedule(plan('repeated', schedule), now),
      { kind: 'invalid' },
      schedule,
    )
  checkSchedule(plan('manual', 'whatever it says'), now)
  checkSchedule(plan('one-time', ''), now)
})

const app = await startApp()
const { publicKey } = newKeyPair()

/** Makes every delayed job due. */
const due = () =>
  app.db.tx(null, (tx) =>
    tx.execute(
      "update pgboss.job set start_after = now() where name = 'commands.run-scheduled' and state = 'created'",
    ),
  )

test('a repeated command runs when due, once with several workers, and is rescheduled', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, publicKey)
  const body = {
    name: 'Nightly',
    command: 'true',
    launchType: 'repeated',
    schedule: '0 30 4 * * *',
  }
  const { id } = (await org.post('/api/commands', body)).json()
  const binding = { op: 'add', type: 'system', id: system }
  await org.post(`/api/v2/commands/${id}/associations`, binding)
  await app.db.tx(org.organizationId, async (tx) => tx.execute('delete from events'))

  await app.runDueJobs()
  assert.deepEqual(await org.eventTypes(), [])
  await due()
  await Promise.all([app.runDueJobs(), app.runDueJobs()])
  assert.deepEqual(await org.eventTypes(), ['command_run'])
  const [event] = await org.events()
  assert.deepEqual(event?.initiated_by, { type: 'system', name: 'schedule' })
  assert.equal((await org.get('/api/v2/queuedcommand/workflows')).json().totalCount, 1)
  await due()
  await app.runDueJobs()
  assert.deepEqual(await org.eventTypes(), ['command_run', 'command_run'])
})

test('a run that was rescheduled or canceled does not happen', async () => {
  const org = await app.newOrganization()
  const body = { name: 'Moved', command: 'true', launchType: 'repeated', schedule: '0 30 4 * * *' }
  const moved = (await org.post('/api/commands', body)).json()
  const removed = (await org.post('/api/commands', { ...body, name: 'Removed' })).json()
  await org.put(`/api/commands/${moved.id}`, { name: 'Moved', command: 'true' })
  await org.delete(`/api/commands/${removed.id}`)
  await due()
  await app.runDueJobs()
  assert.ok(!(await org.eventTypes()).includes('command_run'))
})

test('daily upkeep reschedules lost runs and deletes expired queue entries', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, publicKey)
  const body = { name: 'Lost', command: 'true', launchType: 'repeated', schedule: '0 30 4 * * *' }
  const { id } = (await org.post('/api/commands', body)).json()
  await org.post('/api/runCommand', { _id: id, systemIds: [system] })
  await app.db.tx(org.organizationId, async (tx) => {
    await tx.execute('update commands set next_run_at = null')
    await tx.execute("update command_queue set expires_at = now() - interval '1 second'")
  })
  await due()
  await app.runDueJobs()
  const runs = async () => (await org.eventTypes()).filter((type) => type === 'command_run').length
  assert.equal(await runs(), 1)
  await app.db.tx(null, (tx) => app.queue.send(tx, tidyCommandsJob, {}))
  await app.runDueJobs()
  await due()
  await app.runDueJobs()
  assert.equal(await runs(), 2)
  const { rows } = await app.db.tx(org.organizationId, (tx) =>
    tx.execute('select count(*)::int as left from command_queue where expires_at < now()'),
  )
  assert.deepEqual(rows, [{ left: 0 }])
})
