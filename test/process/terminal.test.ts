import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockHolder } from '../../server/platform/postgres/data-directory.ts'
import { until } from '../until.ts'
import { finally_, newDataDirectory, startService, usedDataDirectory } from './service.ts'

const ROOT = join(import.meta.dirname, '..', '..')

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

test('a terminal shows the steps of the start with their times, the banner last, and then is quiet', async () => {
  const dataDir = newDataDirectory()
  const port = await freePort()
  // util-linux: runs the program on a terminal of its own.
  const child = spawn('script', ['-qefc', `${process.execPath} cli/main.ts serve`, '/dev/null'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      GATEHOUSE_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const closed = once(child, 'close')
  finally_(async () => {
    child.kill('SIGKILL')
    await closed
  })
  await until('the banner', () => shown.includes('/console/password?token='))
  for (const step of ['Loading the service', 'Starting the database', 'Preparing the tables'])
    assert.match(shown, new RegExp(`^  ${step}: \\d+\\.\\d s\r?$`, 'm'))
  assert.match(shown, /^ {4}\d+ migrations, up to \d{4}_\w+\.sql\r?$/m)
  assert.match(shown, /Command line {5}\/.*bin\/gatehouse help/)
  assert.match(shown, /Mail {13}is kept until GATEHOUSE_SMTP_URL is set/)
  const before = shown
  assert.equal((await fetch(`http://127.0.0.1:${port}/nowhere`)).status, 404)
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200)
  process.kill(lockHolder(dataDir)!, 'SIGTERM')
  await closed
  assert.equal(shown.slice(before.length).trim(), '')
})

test('the log has one line for a request, with the reason of a failure', async () => {
  const service = await startService({ GATEHOUSE_DATA_DIR: await usedDataDirectory() })
  const banner = service.output.stdout.indexOf('Gatehouse is ready')
  const ready = service.output.stdout.indexOf('"msg":"ready"')
  assert.ok(ready >= 0 && ready < banner, 'the banner is last')
  const url = `http://127.0.0.1:${service.port}/api/systemusers`
  await fetch(url, { headers: { 'x-request-id': 'refused' } })
  await fetch(url, { headers: { 'x-request-id': 'served', 'x-api-key': 'nonsense' } })
  service.child.kill('SIGTERM')
  await service.exited
  const lines = service.lines.filter(({ reqId }) => reqId === 'refused')
  assert.equal(lines.length, 1, JSON.stringify(lines))
  assert.deepEqual([lines[0]!.status, lines[0]!.reason], [401, 'credential_missing'])
})

test('the banner of a worker lists only what it serves', async () => {
  const GATEHOUSE_DATA_DIR = await usedDataDirectory()
  const { output } = await startService({ GATEHOUSE_DATA_DIR, GATEHOUSE_ROLE: 'worker' })
  assert.match(output.stdout, /Health .*\/readyz\n {2}Metrics .*\/metrics/)
  assert.doesNotMatch(output.stdout, /Portal|Console|Management API|API reference/)
})
