import assert from 'node:assert/strict'
import { chmodSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newDataDirectory, postgresPid, startService } from './service.ts'

test('the service runs on the bundled Node', async () => {
  const service = await startService({ GATEHOUSE_DATA_DIR: newDataDirectory() })
  assert.match(String(service.ready.node), /^v24\./)
  assert.equal((await service.call('GET', '/api/organizations')).status, 200)
})

// Under root PostgreSQL runs as another account, which cannot enter such a directory.
if (process.getuid?.() === 0) {
  test('a data directory that only root can enter', async () => {
    const parent = newDataDirectory()
    chmodSync(parent, 0o700)
    const settings = { GATEHOUSE_DATA_DIR: newDataDirectory(parent) }
    const first = await startService(settings)
    assert.equal((await first.call('GET', '/api/organizations')).status, 200)
    first.child.kill('SIGTERM')
    assert.deepEqual(await first.exited, { code: 0, signal: null })
    assert.equal(postgresPid(settings.GATEHOUSE_DATA_DIR), null)

    const second = await startService(settings)
    assert.equal((await second.call('GET', '/api/organizations')).status, 200, 'the same data')
  })

  test('a umask that denies other users everything', async () => {
    const settings = { GATEHOUSE_DATA_DIR: join(newDataDirectory(), 'data') }
    const service = await startService(settings, '077')
    assert.equal((await service.call('GET', '/api/organizations')).status, 200)
    const cluster = realpathSync(join(settings.GATEHOUSE_DATA_DIR, 'postgres'))
    service.child.kill('SIGTERM')
    await service.exited
    rmSync(cluster, { recursive: true })
  })
}
