import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { generatePeople } from '../../lab/generated-people.ts'
import { startPeopleLab } from '../../lab/people.ts'
import { clientConfig } from '../../server/platform/db/index.ts'
import { newDatabase } from '../database.ts'
import { peopleConfig } from '../imports/world.ts'
import { until } from '../until.ts'
import { addressOf, finally_, newDataDirectory, type Service, startService } from './service.ts'

const PEOPLE = 600
/** Pages after which the source stalls and the worker is killed: in the middle of the plan. */
const PLAN_KILLS = [2, 4, 6]
/** Rows that are done when the worker is killed; after the last one, managers are still being set. */
const APPLY_KILLS = [1, 80, 180, 270, 400, 550, PEOPLE]

const FOREVER_MS = 3_600_000

type Row = Record<string, unknown>

test(`${PEOPLE} people are imported exactly once while the worker is killed ten times`, async () => {
  const { owner } = await newDatabase({ empty: true })
  const client = new pg.Client(clientConfig(owner))
  // The database may be dropped before this connection is closed.
  client.on('error', () => {})
  await client.connect()
  finally_(() => client.end())
  const query = async (text: string): Promise<Row[]> => (await client.query(text)).rows
  const settings = {
    GATEHOUSE_DATA_DIR: newDataDirectory(),
    DATABASE_URL: addressOf(owner),
    GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
  }
  const people = generatePeople(PEOPLE)
  const emailOf = new Map<string | null, string>(people.map(({ id, email }) => [id, email]))
  // Managers who are named by their id are added first; those named by their address may come later.
  const named = people.map((one, at) =>
    at % 2 === 0 ? one : { ...one, managerId: emailOf.get(one.managerId) ?? null },
  )
  const lab = await startPeopleLab({ people: named })
  finally_(lab.close)
  let stallAt = PLAN_KILLS[0]!
  const { faults, requests } = lab
  const next = faults.next.bind(faults)
  faults.next = () => ({ ...next(), delayMs: requests.length < stallAt ? 0 : FOREVER_MS })
  const web = await startService({ ...settings, GATEHOUSE_ROLE: 'web' })
  const startWorker = () => startService({ ...settings, GATEHOUSE_ROLE: 'worker' })
  const call = async (method: string, path: string, body?: object) => {
    const res = await web.call(method, path, body)
    const text = await res.text()
    assert.ok(res.ok, text)
    return text === '' ? undefined : JSON.parse(text)
  }

  const application = await call('POST', '/api/applications', {
    name: 'bookmark',
    ssoUrl: 'https://hr.example.com/',
    active: true,
  })
  for (const name of new Set(people.flatMap(({ groups }) => groups)))
    await call('POST', '/api/v2/usergroups', { name })
  const path = `/api/v2/applications/${application.id}/import`
  await call('PUT', `${path}/config`, peopleConfig(lab.url))
  const operations = ['users.create', 'users.update']
  const { _id: id } = await call('POST', `${path}/jobs`, { operations })

  let worker: Service = await startWorker()
  const kill = async () => {
    process.kill(worker.pid, 'SIGKILL')
    await worker.exited
    // The queue gives the job of a dead worker to another one after a minute or so; here that is done by hand.
    await query(
      `update pgboss.job set state = 'retry', start_after = now() where name = 'imports.run-import' and state = 'active'`,
    )
    worker = await startWorker()
  }
  const done = async () => {
    const [row] = await query(`select count(*)::int as rows from batch_rows where success`)
    return row!.rows as number
  }
  for (const at of PLAN_KILLS.keys()) {
    await until('the plan', () => requests.length >= stallAt)
    assert.equal(await done(), 0, 'nothing is applied before the plan is complete')
    stallAt = requests.length + (PLAN_KILLS[at + 1] ?? Number.POSITIVE_INFINITY)
    await kill()
  }
  for (const rows of APPLY_KILLS) {
    await until(`${rows} rows`, async () => (await done()) >= rows)
    await kill()
  }
  const job = await until('the end of the job', async () => {
    const found = await call('GET', `${path}/jobs/${id}`)
    return found.status !== 'running' && found
  })

  assert.deepEqual(
    [job.status, job.total, job.succeeded, job.failed, job.pending],
    ['finished', PEOPLE, PEOPLE, 0, 0],
  )
  const users = await query(`
    select l.external_id, u.username, m.external_id as manager,
           (select array_agg(g.name order by g.name) from edges e join groups g on g.id = e.from_id
             where e.to_id = u.id) as groups
      from users u
      left join import_links l on l.user_id = u.id left join import_links m on m.user_id = u.manager
     where u.creation_source = 'gatehouse:custom_integration' order by 1`)
  assert.deepEqual(
    users,
    people.map(({ id, username, managerId, groups }) => ({
      external_id: id,
      username,
      manager: managerId,
      groups: groups.toSorted(),
    })),
    'nobody doubled, nobody lost',
  )
  const rows = await query(
    `select key, count(*)::int as rows from batch_rows where success and result ->> 'userId' is not null group by key`,
  )
  assert.deepEqual([rows.length, rows.filter((row) => row.rows !== 1)], [PEOPLE, []])
  const events = await query(`
    select document::jsonb ->> 'event_type' as type, count(*)::int as events,
           count(distinct document::jsonb #>> '{resource,id}')::int as resources
      from events where document::jsonb #>> '{correlation,id}' = '${id}' group by 1 order by 1`)
  const memberships = people.flatMap(({ groups }) => groups).length
  const counted = new Map(events.map(({ type, ...counts }) => [type, counts]))
  assert.deepEqual(counted.get('systemuser_create'), { events: PEOPLE, resources: PEOPLE })
  assert.equal((counted.get('association_change') as Row).events, memberships)
  const updated = counted.get('systemuser_update') as { events: number; resources: number }
  assert.equal(updated.events, updated.resources, 'a manager who came later is set once')
  assert.deepEqual(counted.get('import_job_finish'), { events: 1, resources: 1 })
  assert.equal(web.output.stderr + worker.output.stderr, '')
})
