import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { until } from '../until.ts'
import { finally_, type Service, startService } from './service.ts'
import { smallDisk } from './small-disk.ts'

const MIB = 1024 * 1024
const SIZE = 400

async function start(size: number) {
  const disk = smallDisk(size)
  const settings = {
    GATEHOUSE_DATA_DIR: disk.dataDir,
    GATEHOUSE_MIN_FREE_BYTES: String(120 * MIB),
  }
  const service = await startService(settings, undefined, disk.within)
  disk.seenBy(service.pid)
  finally_(() => disk.clear())
  return { disk, service }
}

let made = 0
/** Repeated writes soon need a new page, which cannot be allocated. */
const write = ({ call }: Service) =>
  call('POST', '/api/v2/roles', {
    name: `Role ${++made} ${'x'.repeat(80)}`,
    scopes: ['users.readonly'],
  })
const reads = ({ call }: Service) =>
  Promise.all([
    call('GET', '/api/organizations'),
    call('GET', '/api/v2/roles'),
    call('POST', '/insights/directory/v1/events', {
      service: ['all'],
      start_time: '2026-01-01T00:00:00Z',
    }),
  ])
const readiness = async ({ call }: Service, query = '') => {
  const res = await call('GET', `/readyz${query}`)
  const { details: _, ...body } = (await res.json()) as {
    details?: object
    status: string
    reason: string
    warnings: [string, ...string[]]
  }
  return { status: res.status, retryAfter: res.headers.get('retry-after'), body }
}

test('a disk fills up: first a warning, then 503 for writes and not ready while reads work, then recovery', async () => {
  const { disk, service } = await start(SIZE)
  assert.deepEqual((await readiness(service)).body, { status: 'ready' })
  const metrics = await (await service.call('GET', '/metrics')).text()
  const told = Number(/^gatehouse_data_free_bytes (\d+)$/m.exec(metrics)?.[1])
  assert.ok(told > 120 * MIB && told <= SIZE * MIB, metrics.slice(0, 200))

  disk.fill(90 * MIB)
  const { status, body } = await readiness(service)
  assert.equal(status, 200)
  assert.match(body.warnings?.[0] ?? '', /^the data directory has \d+ MiB left, less than 120 MiB$/)
  await until('a line in the log', () =>
    service.lines.find(({ msg }) => /^the data directory has \d+ MiB left/.test(msg ?? '')),
  )
  assert.equal((await write(service)).status, 200)

  disk.fill()
  const refused = await until('a write fails', async () => {
    const res = await write(service)
    assert.ok([200, 503].includes(res.status), String(res.status))
    return res.status === 503 && res
  })
  assert.equal(refused.headers.get('retry-after'), '30')
  assert.match((await refused.json()).message, /^The database disk is full/)
  const full = await readiness(service)
  assert.equal(full.status, 503)
  assert.match(full.body.reason ?? '', /^storage_full: /)
  assert.ok(Number(full.retryAfter) > 0)
  assert.equal((await readiness(service, '?for=reads')).status, 200)
  for (const res of await reads(service)) assert.equal(res.status, 200)
  await service.untilLine('the database disk is full')

  disk.clear()
  await service.untilReady()
  assert.equal((await write(service)).status, 200)
  assert.deepEqual((await readiness(service)).body, { status: 'ready' })
  assert.equal(service.child.exitCode, null)
  assert.equal(service.output.stderr, '')
})

test('PostgreSQL cannot write its WAL: 503 with the reason, and it recovers by itself', async () => {
  const { disk, service } = await start(SIZE)
  const data =
    process.getuid?.() === 0 ? disk.dataDir : join('/proc', `${service.pid}`, 'root', disk.dataDir)
  const owner = new pg.Client({
    host: join(data, 'postgres', 'socket'),
    user: 'gatehouse_owner',
    password: readFileSync(join(data, 'postgres-owner.password'), 'utf8').trim(),
    database: 'gatehouse',
  })
  owner.on('error', () => {})
  await owner.connect()

  disk.fill()
  // Each needs a new WAL segment; without space for it the database stops.
  await assert.rejects(async () => {
    for (;;) {
      await owner.query("select pg_logical_emit_message(true, 'test', repeat('x', 100000))")
      await owner.query('select pg_switch_wal()')
      disk.fill()
    }
  })
  const seen = await until('it says that the disk is full', async () => {
    const res = await write(service)
    assert.ok([200, 503].includes(res.status), String(res.status))
    if (res.status === 503) assert.ok(Number(res.headers.get('retry-after')) > 0)
    const now = await readiness(service)
    return now.status === 503 && /^storage_full/.test(now.body.reason ?? '') && now
  })
  assert.ok(Number(seen.retryAfter) > 0)
  assert.equal((await service.call('GET', '/healthz')).status, 200)

  disk.clear()
  await service.untilReady()
  assert.equal((await write(service)).status, 200)
  for (const res of await reads(service)) assert.equal(res.status, 200)
  await owner.end().catch(() => {})
})
