import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { sql } from '../../platform/db/sql.ts'
import { dropExpired } from '../jobs.ts'

const app = await startApp({ alone: true })
const URL = '/insights/directory/v1/retention'
const DAY = 86_400_000
const now = Date.now()

type Caller = Pick<Awaited<ReturnType<typeof app.newOrganization>>, 'post'>
const ingest = async (org: Caller, days: number[]) => {
  const events = days.map((age) => ({
    service: 'ldap',
    event_type: 'bind',
    timestamp: new Date(now - age * DAY).toISOString(),
  }))
  return (await org.post('/insights/directory/v1/ingest', events)).json()
}
/** The ages in days of a tenant's remaining events; own events are of today. */
const agesOf = async (tenantId: string): Promise<number[]> => {
  const events = await app.eventsOf(tenantId)
  return events
    .filter(({ service }) => service === 'ldap')
    .map(({ timestamp }) => Math.round((now - Date.parse(String(timestamp))) / DAY))
}
const partitions = async (): Promise<string[]> => {
  const rows = await app.db.many<{ name: string }>(
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass`,
  )
  return rows.map(({ name }) => name)
}

test('an organization sets its event retention, and the change is audited', async () => {
  const org = await app.newOrganization()
  assert.deepEqual((await org.get(URL)).json(), { days: 90, default: 90 })
  const put = await org.put(URL, { days: 365 })
  assert.equal(put.statusCode, 200)
  assert.deepEqual(put.json(), { days: 365, default: 90 })
  assert.deepEqual((await org.get(URL)).json(), { days: 365, default: 90 })
  const [event] = await org.events()
  assert.equal(event!.event_type, 'insights_retention_update')
  assert.deepEqual(event!.changes, [{ field: 'days', from: 90, to: 365 }])
  assert.deepEqual(event!.resource, { type: 'organization', id: org.organizationId })
  assert.equal((event!.initiated_by as { id: string }).id, org.adminId)

  await org.put(URL, { days: 365 })
  assert.equal((await org.events()).length, 1, 'nothing changed')
  assert.deepEqual((await org.put(URL, { days: null })).json(), { days: 90, default: 90 })
  assert.deepEqual((await org.events())[1]!.changes, [{ field: 'days', from: 365, to: 90 }])
})

test('an invalid number of days is rejected by name and changes nothing', async () => {
  const org = await app.newOrganization()
  for (const body of [{ days: 0 }, { days: 3651 }, { days: 1.5 }, { days: '30' }, {}]) {
    const res = await org.put(URL, body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.match(res.json().message, /days/)
  }
  assert.deepEqual((await org.get(URL)).json(), { days: 90, default: 90 })
  assert.deepEqual(await org.events(), [])
})

test('fewer than seven days must be allowed by the operator', async () => {
  const org = await app.newOrganization()
  for (const days of [1, 6]) {
    const res = await org.put(URL, { days })
    assert.equal(res.statusCode, 400)
    assert.match(res.json().message, /days must be at least 7.*GATEHOUSE_MIN_RETENTION_DAYS/)
    assert.equal(res.json().reason, 'retention_too_short')
  }
  assert.deepEqual(await org.events(), [])
  assert.equal((await org.put(URL, { days: 7 })).statusCode, 200)
  const allowing = await startApp({ env: { GATEHOUSE_MIN_RETENTION_DAYS: '2' } })
  const short = await allowing.newOrganization()
  assert.equal((await short.put(URL, { days: 1 })).statusCode, 400)
  assert.equal((await short.put(URL, { days: 2 })).statusCode, 200)
})

test('callers without the settings scope may only read it; another organization has its own', async () => {
  const org = await app.newOrganization()
  for (const role of ['Read Only', 'Manager', 'Help Desk']) {
    const admin = await app.addAdministrator(org.organizationId, role)
    assert.equal((await admin.get(URL)).statusCode, 200, role)
    assert.equal((await admin.put(URL, { days: 1 })).statusCode, 403, role)
  }
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(URL)).statusCode, 403)
  assert.equal((await app.anonymous.put(URL, { days: 1 })).statusCode, 401)
  const other = await app.newOrganization()
  const foreign = { 'x-org-id': org.organizationId }
  assert.equal((await other.put(URL, { days: 1 }, foreign)).statusCode, 404)
  await other.put(URL, { days: 7 })
  assert.equal((await org.get(URL)).json().days, 90)
})

test('a provider sets the retention of its portal events independently of its organizations', async () => {
  const msp = await app.newProvider(2)
  const portal = { 'x-provider-id': msp.providerId }
  assert.equal((await msp.put(URL, { days: 400 }, portal)).json().days, 400)
  assert.equal((await msp.get(URL, portal)).json().days, 400)
  assert.equal((await msp.get(URL, { 'x-org-id': msp.organizationIds[0]! })).json().days, 90)
  assert.equal((await msp.put(URL, { days: 4 })).statusCode, 401)
  const [event] = await msp.events()
  assert.equal(event!.event_type, 'insights_retention_update')
  assert.deepEqual(event!.resource, { type: 'provider', id: msp.providerId })
  await msp.put(URL, { days: null }, portal)
})

test('ingest accepts events within the retention, and creates their weeks', async () => {
  const [longer, shorter] = [await app.newOrganization(), await app.newOrganization()]
  await longer.put(URL, { days: 800 })
  await shorter.put(URL, { days: 10 })
  const report = await ingest(longer, [1, 91, 799, 801])
  assert.deepEqual([report.stored, report.rejected], [3, 1])
  assert.match(report.errors[0].message, /older than 800 days/)
  const refused = await ingest(shorter, [9, 11])
  assert.deepEqual([refused.stored, refused.rejected], [1, 1])
  assert.match(refused.errors[0].message, /older than 10 days/)
  const tenant = app.db.tenant(longer.organizationId)
  const rows = await tenant.many<{ name: string }>(
    sql`select tableoid::regclass::text as name from events where service = 'ldap'`,
  )
  assert.equal(rows.length, 3)
  for (const { name } of rows) assert.match(name, /^events_\d{4}w\d\d$/)
  await longer.put(URL, { days: null })
})

test('each tenant keeps its retention: rows are deleted first, weeks dropped past the longest one', async () => {
  const [short, usual, long] = [
    await app.newOrganization(),
    await app.newOrganization(),
    await app.newOrganization(),
  ]
  const ages = [1, 20, 80, 100, 200, 500]
  // Long retention at first, so that there is something to delete.
  for (const org of [short, usual, long]) {
    await org.put(URL, { days: 600 })
    assert.equal((await ingest(org, ages)).stored, ages.length)
  }
  await short.put(URL, { days: 15 })
  await usual.put(URL, { days: null })
  await long.put(URL, { days: 365 })
  assert.deepEqual(await agesOf(short.organizationId), [500, 200, 100, 80, 20, 1], 'not yet')

  // In batches of two, for several transactions each.
  const { weeks, events } = await dropExpired(app.db, now, 2)
  assert.ok(weeks >= 1)
  assert.ok(events >= 6, `${events}`)
  assert.deepEqual(await agesOf(short.organizationId), [1])
  assert.deepEqual(await agesOf(usual.organizationId), [80, 20, 1])
  assert.deepEqual(await agesOf(long.organizationId), [200, 100, 80, 20, 1])
  assert.deepEqual(await dropExpired(app.db, now, 2), { weeks: 0, events: 0 })

  // Past the longest retention: whole weeks are dropped.
  const before = await partitions()
  await long.put(URL, { days: null })
  assert.ok((await dropExpired(app.db, now)).weeks >= 1)
  assert.ok((await partitions()).length < before.length)
  assert.deepEqual(await agesOf(long.organizationId), [80, 20, 1])
})

test('events of providers and of deleted organizations expire, too', async () => {
  const msp = await app.newProvider(1)
  const insert = (id: string, age: number) =>
    app.db.tx(id, (tx) =>
      tx.execute(
        "insert into events (organization_id, timestamp, id, service, document) values ($1, $2, gen_random_uuid(), 'ldap', '{}')",
        [id, new Date(now - age * DAY)],
      ),
    )
  const gone = 'a'.repeat(24)
  const keeper = await app.newOrganization()
  await keeper.put(URL, { days: 300 })
  for (const id of [msp.providerId, gone, keeper.organizationId])
    for (const age of [40, 150]) await insert(id, age)
  const count = async (id: string) =>
    (await app.db.tenant(id).many(sql`select from events where service = 'ldap'`)).length
  await dropExpired(app.db, now)
  assert.deepEqual(
    [await count(msp.providerId), await count(gone), await count(keeper.organizationId)],
    [1, 1, 2],
  )
})
