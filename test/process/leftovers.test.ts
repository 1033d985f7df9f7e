import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { postgresAccount } from '../../server/platform/postgres/account.ts'
import { until } from '../until.ts'
import { finally_, isRunning, postgresPid, startService, usedDataDirectory } from './service.ts'

const children = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

// Without /proc we cannot find such processes; PostgreSQL then refuses to start and says why.
if (process.platform === 'linux') {
  test('a backend that outlived its killed PostgreSQL does not stop the next start', async () => {
    const settings = { GATEHOUSE_DATA_DIR: await usedDataDirectory() }
    const first = await startService(settings)
    const database = postgresPid(settings.GATEHOUSE_DATA_DIR)!
    const backend = children(database).at(-1)!
    // While stopped, it cannot notice that its postmaster is gone.
    process.kill(backend, 'SIGSTOP')
    for (const pid of [first.pid, database]) process.kill(pid, 'SIGKILL')
    await first.exited
    await until('PostgreSQL is gone', () => !isRunning(database))
    assert.ok(isRunning(backend))

    const second = await startService(settings)
    assert.equal((await second.call('GET', '/api/organizations')).status, 200)
    assert.ok(!isRunning(backend))
    assert.equal(second.output.stderr, '')
  })
}

test('lock and pid files of other processes are taken over', async () => {
  const settings = { GATEHOUSE_DATA_DIR: await usedDataDirectory() }
  // Same account as PostgreSQL, which ignores pids of other accounts.
  const account = postgresAccount()
  const stranger = spawn('/bin/sleep', ['600'], {
    stdio: 'ignore',
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  finally_(() => void stranger.kill('SIGKILL'))
  const { pid } = stranger
  const write = (name: string, text: string) =>
    writeFileSync(join(settings.GATEHOUSE_DATA_DIR, name), text)
  write('gatehouse.lock', `${pid} 1 another-boot`)
  write('postgres/cluster/postmaster.pid', `${pid}\n`)
  write('postgres/socket/.s.PGSQL.5432.lock', `${pid}\n`)

  // Two at once: exactly one takes over the stale lock.
  const starts = await Promise.allSettled([startService(settings), startService(settings)])

  const started = starts.filter((start) => start.status === 'fulfilled').map(({ value }) => value)
  const refused = starts.filter((start) => start.status === 'rejected')
  assert.equal(started.length, 1)
  assert.match(String(refused[0]?.reason), /Another Gatehouse/)
  assert.equal((await started[0]!.call('GET', '/api/organizations')).status, 200)
})
