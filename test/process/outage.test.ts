import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../until.ts'
import { postgresPid, startService, usedDataDirectory } from './service.ts'

test('while PostgreSQL is down, requests get 503 with the reason; then service resumes', async () => {
  const dataDir = await usedDataDirectory()
  const service = await startService({ GATEHOUSE_DATA_DIR: dataDir })
  const cluster = join(dataDir, 'postgres', 'cluster')

  // Without its files PostgreSQL cannot restart, so the outage lasts as long as the test needs.
  const database = postgresPid(dataDir)!
  renameSync(cluster, `${cluster}.away`)
  process.kill(database, 'SIGKILL')
  await until('not ready', async () => (await service.call('GET', '/readyz')).status === 503)

  const message = 'The database is temporarily unavailable; try again shortly'
  const reason = 'database_unavailable'
  const v1 = await service.call('GET', '/api/organizations')
  assert.equal(v1.status, 503)
  assert.ok(Number(v1.headers.get('retry-after')) >= 1)
  assert.deepEqual(await v1.json(), { status: 503, code: 503, error: message, message, reason })
  const v2 = await service.call('POST', '/api/v2/roles', { name: 'Lost', scopes: ['users'] })
  assert.equal(v2.status, 503)
  assert.ok(Number(v2.headers.get('retry-after')) >= 1)
  assert.deepEqual(await v2.json(), {
    code: 503,
    status: 'UNAVAILABLE',
    message,
    details: [],
    reason,
  })
  assert.equal((await service.call('GET', '/healthz')).status, 200, 'the process itself is well')

  renameSync(`${cluster}.away`, cluster)
  await service.untilReady()
  assert.equal((await service.call('GET', '/api/organizations')).status, 200)
  const created = await service.call('POST', '/api/v2/roles', { name: 'Kept', scopes: ['users'] })
  assert.equal(created.status, 200)
  assert.notEqual(postgresPid(dataDir), database)
  assert.equal(service.child.exitCode, null, 'Node was not restarted')
  assert.equal(service.output.stderr, '')
})

test('SIGTERM while PostgreSQL is down still stops everything', async () => {
  const dataDir = await usedDataDirectory()
  const service = await startService({ GATEHOUSE_DATA_DIR: dataDir })
  const cluster = join(dataDir, 'postgres', 'cluster')
  renameSync(cluster, `${cluster}.away`)
  process.kill(postgresPid(dataDir, 'cluster.away')!, 'SIGKILL')
  await service.untilLine('PostgreSQL did not start')

  service.child.kill('SIGTERM')

  assert.deepEqual(await service.exited, { code: 0, signal: null })
  assert.equal(service.output.stderr, '')
})
