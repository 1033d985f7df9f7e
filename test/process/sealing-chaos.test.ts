import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { sealOrganization } from '../../server/insights/segments/seal.ts'
import { clientConfig, openDb } from '../../server/platform/db/index.ts'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { asOwner } from '../cluster.ts'
import { until } from '../until.ts'
import { newDataDirectory, postgresPid, type Service, startService } from './service.ts'

// The service and its database are killed while events are sealed for the first time after an upgrade, and while they
// are purged. A lock of the test stops the work in the middle of a transaction.

/** Ages in days, and how many events there are of each: two that expire, one of them in a segment with others. */
const AGES = [
  [130, 1200],
  [95, 1500],
  [80, 1500],
  [2, 5000],
] as const
const RETENTION_DAYS = 90

const dataDir = newDataDirectory()
const settings = { GATEHOUSE_DATA_DIR: dataDir }
const { owner, service: serviceConnection } = connectionsOf(dataDir)

const query = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  asOwner(owner, async (client) => (await client.query(text, values)).rows)
const one = async (text: string): Promise<number> => Number((await query(text))[0]!.n)

/** As an earlier version left them: rows. */
async function addEvents(organizationId: string): Promise<void> {
  for (const [days, count] of AGES) {
    const time = `date_trunc('day', now()) - interval '${days} days' + n * interval '1 second'`
    await query(`select create_event_partitions(now() - interval '${days} days', now())`)
    await query(
      `insert into events (organization_id, timestamp, id, service, document)
       select $1, ${time}, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'ldap',
              json_build_object('name', '${days}-' || n, 'event_type', 'sample', 'user', 'u' || n % 50)
         from generate_series(1, ${count}) n`,
      [organizationId],
    )
  }
}

const namesOf = (ages: readonly (readonly [number, number])[]) =>
  ages.flatMap(([days, count]) => Array.from({ length: count }, (_, n) => `${days}-${n + 1}`))

/** All events, page by page. */
async function readAll({ call }: Service): Promise<string[]> {
  const names: string[] = []
  for (let search_after: unknown; ; ) {
    const body = { service: ['ldap'], start_time: '2000-01-01T00:00:00Z', search_after }
    const page = await call('POST', '/insights/directory/v1/events', body)
    const events = (await page.json()) as { name: string }[]
    assert.equal(page.status, 200, JSON.stringify(events))
    if (events.length === 0) return names
    names.push(...events.map(({ name }) => name))
    search_after = JSON.parse(page.headers.get('x-search_after')!)
  }
}

async function send(job: string): Promise<void> {
  await query('delete from pgboss.job where name = $1', [job])
  await query('insert into pgboss.job (name, data) values ($1, $2)', [job, {}])
}
const isDone = (job: string) => async () =>
  (await one(
    `select count(*) as n from pgboss.job where name = '${job}' and state = 'completed'`,
  )) > 0

/** Locks what the statement names until it is released, or the server is killed. */
async function hold(lock: string): Promise<() => Promise<void>> {
  const client = new pg.Client(clientConfig(owner))
  // It may be killed with its server.
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  await client.query(lock)
  return async () => {
    await client.end().catch(() => {})
  }
}

/** Runs the job until it waits for what is held. */
async function runInto(job: string): Promise<void> {
  await send(job)
  const waiting = 'select count(*) as n from pg_locks where not granted'
  // Nobody announces the job, so a worker finds it when it next polls.
  await until(`${job} waits`, async () => (await one(waiting)) > 0)
}

const SEAL = 'insights.seal-events'
const PURGE = 'insights.drop-expired'
const COLUMNS = 'lock table event_columns in share mode'
const STRADDLING = `select from event_segments where first_time < now() - interval '${RETENTION_DAYS} days'
                      and last_time > now() - interval '${RETENTION_DAYS} days' for update`

test('killed while sealing and purging, nothing is lost or doubled, and the next run goes on', async () => {
  let service = await startService(settings)
  // At once: the schedule may start the job at any time.
  let release = await hold(COLUMNS)
  const [organization] = await query('select id from organizations')
  const organizationId = String(organization!.id)
  await query('delete from events')
  await addEvents(organizationId)
  const everything = namesOf(AGES)
  assert.deepEqual(await readAll(service), everything)

  const killService = async () => {
    process.kill(service.pid, 'SIGKILL')
    await service.exited
  }
  const killDatabase = async () => {
    const pid = postgresPid(dataDir)!
    process.kill(pid, 'SIGKILL')
    await until('another PostgreSQL', () => ![null, pid].includes(postgresPid(dataDir)))
    await service.untilReady()
  }
  const segments = () => one('select count(*) as n from event_segments')

  // Sealing: the rows of a segment are read, its frames written, nothing is deleted yet.
  await runInto(SEAL)
  await killService()
  await release()
  service = await startService(settings)
  release = await hold(COLUMNS)
  assert.equal(await segments(), 0)
  assert.deepEqual(await readAll(service), everything)

  await runInto(SEAL)
  await killDatabase()
  await release()
  assert.deepEqual(await readAll(service), everything)

  // The next run goes on, beside another worker.
  await send(SEAL)
  const other = openDb(serviceConnection, { max: 2 })
  await sealOrganization(other, organizationId)
  await other.close()
  await until('the end of sealing', isDone(SEAL))
  assert.ok((await one("select count(*) as n from events where service = 'ldap'")) < 1024)
  assert.deepEqual(await readAll(service), everything)

  // Purging: first whole segments, then the one that goes on beyond the limit.
  const before = await segments()
  release = await hold(COLUMNS)
  await runInto(PURGE)
  await killService()
  await release()
  service = await startService(settings)
  // A statement whose client has died may still commit; then a whole segment has gone.
  const gone = before - (await segments())
  assert.ok(gone === 0 || gone === 1, String(gone))
  assert.deepEqual(await readAll(service), namesOf(AGES.slice(gone)))

  release = await hold(STRADDLING)
  await runInto(PURGE)
  await killDatabase()
  await release()
  assert.equal(await segments(), before - 1, 'what was committed stays')
  assert.deepEqual(await readAll(service), namesOf(AGES.slice(1)))

  await send(PURGE)
  await until('the end of purging', isDone(PURGE))
  const kept = namesOf(AGES.slice(2))
  assert.deepEqual(await readAll(service), kept)
  assert.equal(
    await one(`select (select count(*) from events where service = 'ldap')
                    + (select sum((services ->> 'ldap')::int) from event_segments) as n`),
    kept.length,
  )
  for (const table of ['event_frames', 'event_columns'])
    assert.equal(
      await one(`select count(*) as n from ${table} where (organization_id, segment_id) not in
                   (select organization_id, id from event_segments)`),
      0,
      `${table} of no segment`,
    )
  assert.equal(service.output.stderr, '', 'nothing for a person to do')
})
