import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  ADMIN_PASSWORD,
  API_KEY,
  failToStart,
  finally_,
  newDataDirectory,
  type Settings,
  startService,
  usedDataDirectory,
} from './service.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** One line with the reason, and no stack trace. */
async function assertRefuses(settings: Settings, ...words: string[]): Promise<string> {
  const { code, stderr, stdout } = await failToStart(settings)
  assert.equal(code, 1)
  assert.match(stderr, /^[^\n]+\n$/, 'exactly one line')
  assert.doesNotMatch(stderr, /\bat .*:\d+:\d+|node:internal/)
  for (const word of words) assert.ok(stderr.includes(word), `"${word}" in ${stderr}`)
  return stdout + stderr
}

const data = () => ({ GATEHOUSE_DATA_DIR: newDataDirectory() })

async function takenPort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1')
  finally_(() => void taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

test('a port in use is told before anything is set up', async () => {
  const PORT = String(await takenPort())
  const settings = { ...data(), PORT }
  await assertRefuses(settings, PORT, 'in use')
  assert.deepEqual(readdirSync(settings.GATEHOUSE_DATA_DIR), [])
})

test('npm start tells of a port in use before it installs anything', async () => {
  const clone = newDataDirectory()
  for (const name of ['package.json', 'package-lock.json', 'scripts'])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true })
  const before = readdirSync(clone)
  const PORT = String(await takenPort())
  for (const [args, env] of [
    [['start', '--', '--port', PORT], {}],
    [['start'], { PORT }],
  ] as const) {
    const options = {
      cwd: clone,
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    } as const
    const { status, stderr } = spawnSync('npm', args, options)
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`^gatehouse: Port ${PORT} on 127\\.0\\.0\\.1 is in use`, 'm'))
    assert.deepEqual(readdirSync(clone), before)
  }
})

/** Container logs have many readers. */
test('secrets set by the operator are not printed', async () => {
  const started = await startService(data())
  const { stdout, stderr } = started.output
  assert.match(stdout, /password {6}\(as set\)\n {4}API key {7}\(as set\)/)
  assert.doesNotMatch(stdout, /token=/)
  for (const secret of [ADMIN_PASSWORD, API_KEY]) assert.ok(!`${stdout}${stderr}`.includes(secret))
  // Also from a file; the password is still chosen by a link.
  const file = join(newDataDirectory(), 'key')
  writeFileSync(file, `${API_KEY}\n`)
  const other = await startService({
    ...data(),
    GATEHOUSE_ADMIN_PASSWORD: '',
    GATEHOUSE_ADMIN_API_KEY: '',
    GATEHOUSE_ADMIN_API_KEY_FILE: file,
  })
  assert.match(other.output.stdout, /password {6}chosen by .*\n {4}API key {7}\(as set\)/)
  assert.ok(!other.output.stdout.includes(API_KEY))
})

test('a data directory that cannot be written', async () => {
  const file = join(newDataDirectory(), 'file')
  writeFileSync(file, '')
  const path = join(file, 'data')
  await assertRefuses({ GATEHOUSE_DATA_DIR: path }, path, 'cannot be written')
})

test('a database that cannot be reached; its password is not repeated', async () => {
  const DATABASE_URL = 'postgresql://somebody:hunter2hunter2@127.0.0.1:1/gatehouse'
  const words = ['DATABASE_URL', 'cannot be reached', 'ECONNREFUSED']
  const output = await assertRefuses({ ...data(), DATABASE_URL }, ...words)
  assert.doesNotMatch(output, /hunter2/)
})

test('a setting that does not exist', async () => {
  await assertRefuses(
    { ...data(), GATEHOUSE_DATADIR: '/data' },
    'GATEHOUSE_DATADIR',
    'not a setting',
  )
})

test('a setting with an invalid value', async () => {
  await assertRefuses({ ...data(), GATEHOUSE_ROLE: 'boss' }, 'GATEHOUSE_ROLE', 'all, web, worker')
})

test('a second process on the same data directory; the first one is not disturbed', async () => {
  const settings = { GATEHOUSE_DATA_DIR: await usedDataDirectory() }
  const first = await startService(settings)
  await assertRefuses(settings, 'Another Gatehouse', String(first.pid), settings.GATEHOUSE_DATA_DIR)
  assert.equal((await first.call('GET', '/api/organizations')).status, 200)
})
