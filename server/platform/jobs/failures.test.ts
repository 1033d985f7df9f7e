import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { startApp } from '../../../test/harness.ts'
import { jobDefinitions } from '../../jobs.ts'
import { sql } from '../db/sql.ts'
import { createLog } from '../log.ts'
import { defineJob, handle, type JobDefinition, MAX_PAUSE_SECONDS, UPKEEP } from './definition.ts'
import { listFailedJobs, retryJobs, watchJobsJob } from './failures.ts'
import { migrateQueue, openQueue } from './queue.ts'

const app = await startApp({ alone: true })
const once = defineJob({
  name: 'test.once',
  payload: Type.Object({ organizationId: Type.String() }),
  retry: { limit: 0, backoffSeconds: 1 },
})
const daily = defineJob({
  name: 'test.daily',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '0 0 1 1 *',
})
const definitions = [once, daily] as unknown as JobDefinition[]
await migrateQueue(app.owner, definitions)

let broken = true
const runs = { once: 0, daily: 0 }
const attempt = (name: keyof typeof runs) => async () => {
  if (broken) throw new Error(`no luck with ${name}`)
  runs[name]++
}
const queue = await openQueue(app.db, createLog('silent'), definitions, [
  handle(once, attempt('once')),
  handle(daily, attempt('daily')),
])

const sendOnce = (organizationId: string) =>
  app.db.tx(null, (tx) => queue.send(tx, once, { organizationId }))
const sendDaily = () => app.db.tx(null, (tx) => queue.send(tx, daily, {}))
const jobsOf = (name: string) =>
  app.db.many<{ id: string; state: string; retry_count: number; pause: number }>(sql`
    select id, state, retry_count, extract(epoch from start_after - now())::float8 as pause
      from pgboss.job where name = ${name} order by created_on, id`)
const makeDue = () =>
  app.db.run(sql`update pgboss.job set start_after = now() where name = 'test.daily'`)
/** Runs the check that is scheduled every minute. */
async function watch(): Promise<void> {
  await app.db.tx(null, (tx) => app.queue.send(tx, watchJobsJob, {}))
  await app.runDueJobs()
}
const health = async () => {
  const { details: _, ...rest } = (await app.anonymous.get('/readyz')).json()
  return rest
}

test('recurring jobs are retried indefinitely', () => {
  const recurring = jobDefinitions.filter(({ cron }) => cron !== undefined)
  assert.ok(recurring.length > 10)
  for (const { name, retry } of recurring) assert.equal(retry, UPKEEP, name)
})

test('maintenance survives any outage: delays are bounded, and the next run recovers', async () => {
  broken = true
  await sendDaily()
  const pauses: number[] = []
  for (let failure = 0; failure < 40; failure++) {
    await makeDue()
    await queue.runDue()
    const [job] = await jobsOf('test.daily')
    assert.equal(job?.state, 'retry')
    pauses.push(job.pause)
  }
  assert.ok(pauses[0]! < 60, String(pauses[0]))
  assert.ok(pauses[3]! > pauses[0]!)
  assert.ok(Math.max(...pauses) <= MAX_PAUSE_SECONDS)
  assert.ok(pauses.at(-1)! > MAX_PAUSE_SECONDS - 60)

  // Scheduled runs do not pile up meanwhile.
  for (let day = 0; day < 3; day++) {
    await sendDaily()
    await queue.runDue()
  }
  const open = (await jobsOf('test.daily')).filter(({ state }) => state !== 'completed')
  assert.equal(open.length, 1)

  const { organizationId } = await app.newOrganization()
  const first = await app.db.one<{ id: string }>(
    sql`select id from organizations order by created, id limit 1`,
  )
  await watch()
  assert.deepEqual(await health(), {
    status: 'ready',
    warnings: ['failed jobs of test.daily: 1'],
  })
  const recorded = (await app.eventsOf(first!.id)).filter((e) => e.event_type === 'job_failed')
  assert.equal(recorded.length, 1, 'jobs without an organization are reported to the first one')
  assert.ok(organizationId)

  broken = false
  await makeDue()
  await queue.runDue()
  assert.equal(runs.daily, 1)
  assert.ok((await jobsOf('test.daily')).every(({ state }) => state === 'completed'))
  await watch()
  assert.deepEqual(await health(), { status: 'ready' })
})

test('a partner that cannot be reached is the concern of its organization, not of the installation', async () => {
  const org = await app.newOrganization()
  const data = JSON.stringify({ organizationId: org.organizationId })
  for (const name of ['sso.soap-logout', 'oidc.back-channel-logout'])
    await app.db.run(
      sql`insert into pgboss.job (name, state, data) values (${name}, 'failed', ${data}::jsonb)`,
    )
  await watch()
  assert.deepEqual(await health(), { status: 'ready' })
  assert.deepEqual(await org.eventTypes(), ['job_failed', 'job_failed'])
  assert.equal((await org.get('/api/v2/attention')).json().failedJobs, 2)
  await app.db.run(
    sql`delete from pgboss.job where data->>'organizationId' = ${org.organizationId}`,
  )
  await watch()
})

test('a failed job is shown everywhere, reported once, and can be retried', async () => {
  broken = true
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  await sendOnce(org.organizationId)
  await sendOnce(org.organizationId)
  await queue.runDue()
  assert.equal(await queue.runDue(), 0)
  await watch()
  await watch()

  const { body } = await app.anonymous.get('/metrics')
  assert.match(body, /gatehouse_jobs\{queue="test.once",state="failed"\} 2/)
  assert.deepEqual((await health()).warnings, ['failed jobs of test.once: 2'])
  const failed = await listFailedJobs(app.db)
  assert.deepEqual(
    failed.map(({ queue, state, attempts, reason }) => [queue, state, attempts, reason]),
    Array(2).fill(['test.once', 'failed', 1, 'no luck with once']),
  )
  const events = await org.events()
  assert.deepEqual(
    events.map(({ event_type, success, resource, error_message }) => ({
      event_type,
      success,
      error_message,
      name: (resource as { name: string }).name,
    })),
    [
      {
        event_type: 'job_failed',
        success: false,
        error_message: '2 jobs of test.once failed',
        name: 'test.once',
      },
    ],
  )
  assert.deepEqual(await other.eventTypes(), [])

  assert.equal(await retryJobs(app.db, failed[0]!.id), 1)
  await queue.runDue()
  await watch()
  assert.equal((await org.events()).length, 1, 'the same failure is reported once')
  assert.equal(await retryJobs(app.db, 'test.once'), 2)
  await watch()
  assert.deepEqual(await health(), { status: 'ready' })
  await queue.runDue()
  await watch()
  assert.equal((await org.events()).length, 2)

  broken = false
  assert.equal(await retryJobs(app.db, 'no.such-queue'), 0)
  assert.equal(await retryJobs(app.db, 'all'), 2)
  await queue.runDue()
  assert.equal(runs.once, 2)
  await watch()
  assert.deepEqual(await health(), { status: 'ready' })
  assert.deepEqual(await listFailedJobs(app.db), [])
  await queue.stop()
})
