import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../cluster.ts'
import { newDatabase } from '../database.ts'
import { until } from '../until.ts'
import { ADMIN_EMAIL, addressOf, newDataDirectory, startService } from './service.ts'

test('three processes start at once on an empty database and share the work', async () => {
  const { owner } = await newDatabase({ empty: true })
  const GATEHOUSE_DATA_DIR = newDataDirectory()
  const start = (GATEHOUSE_ROLE: string) =>
    startService({ GATEHOUSE_DATA_DIR, GATEHOUSE_ROLE, DATABASE_URL: addressOf(owner) })
  const count = (query: string) =>
    asOwner(owner, async (client) => Number((await client.query(query)).rows[0].count))

  const services = await Promise.all(['web', 'worker', 'all'].map(start))
  const [web] = services

  assert.equal(await count('select count(*) from administrators'), 1)
  assert.equal(await count('select count(*) from organizations'), 1)
  const migrated = services.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'migrated'))
  assert.equal(migrated.length, await count('select count(*) from schema_migrations'))
  for (const service of services) {
    assert.equal((await service.call('GET', '/readyz')).status, 200)
    const serves = service.ready.role !== 'worker'
    if (serves) assert.equal((await service.call('GET', '/api/organizations')).status, 200)
    assert.equal((await service.call('GET', '/saml2/test-sp')).status, serves ? 200 : 404)
    assert.equal(service.output.stderr, '')
  }

  const forgot = await web!.call('POST', '/auth/password/forgot', { email: ADMIN_EMAIL })
  assert.equal(forgot.status, 200)
  const mails = "select count(*) from pgboss.job where name = 'platform.send-mail'"
  await until('the mail job', async () => (await count(`${mails} and state = 'completed'`)) === 1)
  assert.equal(await count(mails), 1)
  const ranIn = () =>
    services
      .filter(({ lines }) => lines.some(({ job }) => job === 'platform.send-mail'))
      .map(({ ready }) => ready.role)
  // Log lines are written in batches.
  await until('its line in a log', () => ranIn().length > 0)
  assert.equal(ranIn().length, 1, 'one process ran it')
  assert.ok(!ranIn().includes('web'), 'web processes run no jobs')
})
