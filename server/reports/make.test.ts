import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { asOwner } from '../../test/cluster.ts'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { namesBy } from '../graph/index.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { makeReportJob } from './job-definitions.ts'
import { tidyReports } from './jobs.ts'
import { makeReport } from './make.ts'

const app = await startApp({ alone: true })
const URL = '/insights/directory/v1/reports'
const DAY = 86_400_000
const context = { ...app.contexts.reports, names: namesBy({}) }
type Org = Awaited<ReturnType<typeof app.newOrganization>>

async function ask(org: Org, type: string): Promise<string> {
  const res = await org.post(`${URL}/${type}`)
  assert.equal(res.statusCode, 202, res.body)
  return res.json().id
}
const find = async (org: Org, id: string) =>
  (await org.get(URL)).json().find((report: { id: string }) => report.id === id)
async function rowsOf(org: Org, id: string): Promise<Record<string, unknown>[]> {
  const { artifacts } = await find(org, id)
  const json = artifacts.find(({ format }: { format: string }) => format === 'JSON')
  const res = await org.get(`${URL}/${id}/artifacts/${json.id}/content`)
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
const count = async (org: Org, table: 'report_artifacts' | 'report_artifact_pieces') =>
  (
    await app.db.tx(org.organizationId, (tx) =>
      tx.execute(`select count(*)::int as count from ${table}`),
    )
  ).rows[0] as { count: number }

/** An organization with more users than fit in one page or one piece. */
async function withPeople(people: number): Promise<Org> {
  const org = await app.newOrganization()
  const { organizationId } = org
  const padding = 'x'.repeat(500)
  await app.db.tx(organizationId, async (tx) => {
    await tx.execute(
      `insert into users (organization_id, id, username, email, firstname, state, unix_uid, unix_guid, creation_source)
       select $1, lpad(to_hex(n), 24, '0'), 'user' || n, 'user' || n || '@example.com', $2, 'ACTIVATED', 10000 + n, 10000 + n, 'test'
         from generate_series(1, $3::int) n`,
      [organizationId, padding, people],
    )
    await tx.execute(
      `insert into nodes (organization_id, type, id) select organization_id, 'user', id from users where organization_id = $1`,
      [organizationId],
    )
  })
  return org
}

test('a report of many pages and pieces lists every user once', async () => {
  const org = await withPeople(2300)
  const group = (await org.post('/api/v2/usergroups', { name: 'Everybody' })).json().id
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute(
      `insert into edges (organization_id, from_type, from_id, to_type, to_id)
       select organization_id, 'user_group', $2, 'user', id from users where organization_id = $1`,
      [org.organizationId, group],
    ),
  )
  const id = await ask(org, 'users-to-user-groups')
  await app.runDueJobs()
  const rows = await rowsOf(org, id)
  assert.equal(rows.length, 2300)
  assert.equal(new Set(rows.map((row) => row.user_object_id)).size, 2300)
  assert.ok(rows.every((row) => row.user_group_name === 'Everybody'))
  assert.ok((await count(org, 'report_artifact_pieces')).count > 6)
})

test('only one of several workers generates a report', async () => {
  const org = await app.newOrganization()
  await ask(org, 'os-version')
  const ran = await Promise.all([app.runDueJobs(), app.runDueJobs(), app.runDueJobs()])
  assert.equal(
    ran.reduce((sum, one) => sum + one, 0),
    1,
  )
})

test('concurrent runs leave one set of files', async () => {
  const org = await withPeople(1200)
  const id = await ask(org, 'user-account-health')
  const run = () => makeReport(context, org.organizationId, id)
  await Promise.all(Array.from({ length: 8 }, run))
  assert.equal((await find(org, id)).status, 'COMPLETED')
  assert.equal((await count(org, 'report_artifacts')).count, 2)
  assert.equal((await rowsOf(org, id)).length, 1200)
  // The job of the request finds the report completed.
  await app.runDueJobs()
  assert.equal((await count(org, 'report_artifacts')).count, 2)
})

test('the files of a killed run are replaced by the next run', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const id = await ask(org, 'user-account-health')
  const [runId, artifact] = [randomUUID(), newId()]
  await app.db.tx(org.organizationId, async (tx) => {
    await tx.run(sql`update reports set status = 'IN_PROGRESS', run_id = ${runId}, attempts = 1`)
    await tx.run(sql`
      insert into report_artifacts (organization_id, report_id, id, run_id, format)
      values (${org.organizationId}, ${id}, ${artifact}, ${runId}, 'CSV')`)
    await tx.run(sql`
      insert into report_artifact_pieces (organization_id, report_id, artifact_id, position, content)
      values (${org.organizationId}, ${id}, ${artifact}, 0, '')`)
  })
  const unfinished = await find(org, id)
  assert.equal(unfinished.status, 'IN_PROGRESS')
  assert.deepEqual(unfinished.artifacts, [])
  assert.equal((await org.get(`${URL}/${id}/artifacts/${artifact}/content`)).statusCode, 404)
  await app.runDueJobs()
  const [row, ...more] = await rowsOf(org, id)
  assert.equal(row!.user_object_id, user.id)
  assert.deepEqual(more, [])
  assert.equal((await count(org, 'report_artifact_pieces')).count, 2)
})

/** Makes every waiting retry due. */
const hurry = () =>
  app.db.tx(null, (tx) =>
    tx.execute(
      `update pgboss.job set start_after = now() where name = '${makeReportJob.name}' and state = 'retry'`,
    ),
  )

test('a report that cannot be generated fails with a reason after several attempts', async (t) => {
  const org = await app.newOrganization()
  const id = await ask(org, 'os-version')
  const permit = (verb: string) => () =>
    asOwner(app.owner, (client) => client.query(`${verb} gatehouse_service`))
  t.after(permit('grant select on systems to'))
  await permit('revoke select on systems from')()
  for (let attempt = 1; attempt <= makeReportJob.retry.limit; attempt++) {
    assert.equal(await app.runDueJobs(), 1)
    assert.equal((await find(org, id)).status, 'IN_PROGRESS')
    await hurry()
  }
  assert.equal(await app.runDueJobs(), 1)
  const failed = await find(org, id)
  assert.equal(failed.status, 'FAILED')
  assert.equal(
    failed.error_message,
    'The report could not be generated; see the service log for details',
  )
  assert.deepEqual(failed.artifacts, [])
  assert.equal((await count(org, 'report_artifacts')).count, 0)
  await hurry()
  assert.equal(await app.runDueJobs(), 0)
})

test('a report whose job was lost fails the next day', async () => {
  const org = await app.newOrganization()
  const id = await ask(org, 'os-version')
  const now = Date.now()
  await tidyReports(context, new Date(now + DAY / 2))
  assert.equal((await find(org, id)).status, 'PENDING')
  await tidyReports(context, new Date(now + 2 * DAY))
  const given = await find(org, id)
  assert.equal(given.status, 'FAILED')
  assert.match(given.error_message, /request it again/)
  await app.runDueJobs()
  assert.equal((await find(org, id)).status, 'FAILED')
})

test('files expire after thirty days; the report is purged later', async () => {
  const org = await app.newOrganization()
  const id = await ask(org, 'os-version')
  await app.runDueJobs()
  const before = await find(org, id)
  const now = Date.now()
  await tidyReports(context, new Date(now + 29 * DAY))
  assert.equal((await find(org, id)).status, 'COMPLETED')
  await tidyReports(context, new Date(now + 31 * DAY))
  const expired = await find(org, id)
  assert.equal(expired.status, 'DELETED')
  assert.deepEqual(expired.artifacts, [])
  assert.equal((await count(org, 'report_artifact_pieces')).count, 0)
  const address = `${URL}/${id}/artifacts/${before.artifacts[0].id}/content`
  assert.equal((await org.get(address)).statusCode, 404)
  await tidyReports(context, new Date(now + 32 * DAY))
  const told = (await org.events()).filter(({ event_type }) => event_type === 'report_delete')
  assert.equal(told.length, 1)
  assert.equal((told[0]!.initiated_by as { type: string }).type, 'system')
  await tidyReports(context, new Date(now + 91 * DAY))
  assert.equal(await find(org, id), undefined)
})

test('an expired file is not served even before the cleanup job runs', async () => {
  const org = await app.newOrganization()
  const id = await ask(org, 'os-version')
  await app.runDueJobs()
  const { artifacts } = await find(org, id)
  await app.db.tx(org.organizationId, (tx) => tx.run(sql`update reports set expiration = now()`))
  const address = `${URL}/${id}/artifacts/${artifacts[0].id}/content`
  assert.equal((await org.get(address)).statusCode, 404)
})
