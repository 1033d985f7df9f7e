import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { callCli, installation, runCli, runJsonCli } from '../test/cli.ts'
import { asOwner } from '../test/cluster.ts'
import { tempDirectory } from '../test/database.ts'

const VERBS = [
  ...['serve', 'migrate', 'demo', 'backup', 'restore', 'mail', 'version'],
  ...['admin list', 'admin create', 'admin reset-key', 'admin reset-password', 'admin suspend'],
  ...[
    'admin unsuspend',
    'admin reset-totp',
    'org list',
    'org create',
    'keys rotate',
    'config print',
  ],
]

test('help lists every verb, and every verb has help', async () => {
  const { code, stdout } = await runCli({}, ['help'])
  assert.equal(code, 0)
  for (const name of new Set(VERBS.map((name) => name.split(' ')[0]!)))
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
  for (const name of VERBS) {
    const { code, stdout, stderr } = await callCli({}, [...name.split(' '), '--help'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(stdout.startsWith(`Usage: gatehouse ${name}`), stdout)
  }
  const [short, word] = [await callCli({}, ['backup', '-h']), await callCli({}, ['help', 'backup'])]
  assert.equal(short.stdout, word.stdout)
})

test('a usage error is one line on stderr and exit code 2', async () => {
  const cases: [string[], RegExp][] = [
    [[], /verb is missing/],
    [['frobnicate'], /Unknown verb "frobnicate"/],
    [['toString'], /Unknown verb "toString"/],
    [['admin'], /needs one of: list, create/],
    [['admin', 'constructor'], /Unknown verb "admin constructor"/],
    [['serve', '--frob'], /Unknown option '--frob'/],
    [['serve', '--json'], /Unknown option '--json'/],
    [['serve', '--port'], /'--port <value>' argument missing/],
    [['migrate', 'now'], /Unexpected argument 'now'/],
    [['backup'], /FILE is missing/],
    [['admin', 'suspend'], /EMAIL is missing/],
    [['admin', 'create', '--org', 'x'], /--email is missing/],
    [['admin', 'create', '--email', 'a@b.c'], /either --org or --provider/],
    [['admin', 'create', '--email', 'a@b.c', '--org', 'x', '--role', 'King'], /no role "King"/],
    [['org', 'create'], /--name is missing/],
    [['mail', '--limit', '0'], /--limit must be/],
    [['jobs', 'retry'], /JOB is missing/],
  ]
  for (const [at, [args, message]] of cases.entries()) {
    const { code, stdout, stderr } = await (at === 0 ? runCli : callCli)({}, args)
    assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, /^gatehouse: [^\n]*\n$/)
    assert.match(stderr, message)
  }
})

test('version and config print support --json, and secrets stay hidden', async () => {
  const version = await runCli({}, ['version', '--json'])
  assert.match(JSON.parse(version.stdout).gatehouse, /^\d+\.\d+\.\d+/)
  const env = { GATEHOUSE_ADMIN_PASSWORD: 'do-not-tell-anybody', PORT: '1234' }
  const config = await runCli(env, ['config', 'print', '--json'])
  assert.equal(JSON.parse(config.stdout).PORT, 1234)
  assert.equal(JSON.parse(config.stdout).GATEHOUSE_ADMIN_PASSWORD, '(set)')
  const text = await runCli(env, ['config', 'print'])
  assert.match(text.stdout, /^PORT +1234$/m)
  assert.ok(!text.stdout.includes('do-not-tell-anybody'))
})

test('migrate --dry-run lists pending migrations and changes nothing', async () => {
  const place = await installation()
  const first = '0001_foundation.sql'
  const before = await place.run('migrate', '--dry-run')
  assert.equal(before.code, 0)
  assert.ok(before.stdout.includes(first))
  const { rows } = await asOwner(place.owner, (client) =>
    client.query("select to_regclass('schema_migrations') as found"),
  )
  assert.equal(rows[0].found, null)

  assert.ok((await runJsonCli(place.env, ['migrate'])).applied.includes(first))
  assert.deepEqual((await place.runJson('migrate', '--dry-run')).pending, [])
  assert.deepEqual((await place.runJson('migrate')).applied, [])
  assert.match((await place.run('migrate', '--dry-run')).stdout, /^Nothing to do/)
})

test('migrate --dry-run sets up no embedded database', async () => {
  const dataDir = join(tempDirectory(), 'data')
  const { code, stdout } = await runCli({ GATEHOUSE_DATA_DIR: dataDir }, ['migrate', '--dry-run'])
  assert.equal(code, 0)
  assert.match(stdout, /0001_foundation\.sql/)
  assert.equal(existsSync(dataDir), false)
})

/** Starts that must fail with one line on stderr that says why. */
async function refusesToStart(env: Record<string, string>, args: string[], why: RegExp) {
  const { code, stdout, stderr } = await runCli(env, ['serve', ...args])
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^gatehouse: [^\n]*\n$/)
  assert.match(stderr, why)
  return stdout
}

test('a failed start gives the reason in one line', async () => {
  const dataDir = tempDirectory()
  const env = { GATEHOUSE_DATA_DIR: dataDir }
  await refusesToStart(env, ['--port', 'eighty'], /PORT must be a whole number/)
  await refusesToStart({ ...env, GATEHOUSE_COLOUR: 'red' }, [], /GATEHOUSE_COLOUR is not a setting/)
  const file = join(dataDir, 'file')
  writeFileSync(file, '')
  await refusesToStart({ GATEHOUSE_DATA_DIR: join(file, 'data') }, [], /cannot be written/)
  const nowhere = 'postgresql://nobody@127.0.0.1:1/nothing'
  await refusesToStart({ ...env, DATABASE_URL: nowhere }, [], /DATABASE_URL cannot be reached/)
})

test('a port in use is reported in one line, before anything is set up', async () => {
  const place = await installation({ migrated: true })
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const { port } = busy.address() as { port: number }
  const args = ['--port', String(port)]
  const why = /Port \d+ on 127\.0\.0\.1 is in use/
  const stdout = await refusesToStart(place.env, args, why)
  assert.equal(stdout, '')
  busy.close()
})

test('a broken database setting is one line for every verb', async () => {
  const dataDir = join(tempDirectory(), 'data')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'master.key'), Buffer.alloc(32).toString('base64'))
  const env = { GATEHOUSE_DATA_DIR: dataDir, DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/x' }
  const verbs = [
    ['org', 'list'],
    ['migrate'],
    ['keys', 'rotate'],
    ['backup', 'x'],
    ['mail'],
    ['jobs', 'list'],
  ]
  for (const args of verbs) {
    const { code, stdout, stderr } = await callCli(env, args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^gatehouse: The database of DATABASE_URL cannot be reached[^\n]*\n$/)
  }
})
