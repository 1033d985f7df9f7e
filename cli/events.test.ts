import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { callCli, runCli } from '../test/cli.ts'
import { tempDirectory } from '../test/database.ts'
import { startApp } from '../test/harness.ts'

const app = await startApp()
const url = await app.listen()
const directory = tempDirectory()

interface Key {
  apiKey: string
}

let files = 0
function newFile(content: string | Buffer = ''): string {
  const path = join(directory, `file-${++files}`)
  writeFileSync(path, content)
  return path
}

const targetOf = ({ apiKey }: Key): string[] => ['--url', url, '--key-file', newFile(`${apiKey}\n`)]
const events = (key: Key, ...args: string[]) => callCli({}, ['events', ...args, ...targetOf(key)])
const runEvents = (key: Key, ...args: string[]) => runCli({}, ['events', ...args, ...targetOf(key)])

/** For commands that need stdin, or are observed while they run. */
function start(key: Key, ...args: string[]): ChildProcess {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  return spawn(process.execPath, [main, 'events', ...args, ...targetOf(key)])
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
let serial = 0
const event = (members: object = {}) => ({
  id: `event-${++serial}`,
  service: 'directory',
  event_type: 'user_update',
  timestamp: minutesAgo(10),
  ...members,
})
const lines = (documents: object[]) => documents.map((one) => `${JSON.stringify(one)}\n`).join('')
const documents = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const ids = (stdout: string) => documents(stdout).map(({ id }) => id)

async function withEvents(...list: object[]) {
  const org = await app.newOrganization()
  const { code, stdout, stderr } = await events(org, 'import', newFile(lines(list)), '--json')
  assert.equal(code, 0, stderr)
  assert.equal(JSON.parse(stdout).stored, list.length)
  return org
}

test('query shows a readable table, or one document per line', async () => {
  const org = await withEvents(
    event({
      event_type: 'admin_create',
      success: true,
      initiated_by: { type: 'admin', email: 'ada@example.com' },
      resource: { type: 'admin', email: 'bob@example.com' },
      changes: [{ field: 'roleName', to: 'Reader' }],
    }),
    event({ service: 'sso', timestamp: minutesAgo(5), application: { name: 'evil \u001b[2J' } }),
  )
  const shown = await runEvents(org, 'query')
  assert.equal(shown.code, 0, shown.stderr)
  const [head, first = '', second = ''] = shown.stdout.split('\n')
  assert.match(head!, /^TIME +SERVICE +EVENT +WHO +WHAT +SUCCESS$/)
  assert.match(
    first,
    /^\d{4}-.*Z +directory +admin_create +ada@example\.com +admin bob@example\.com \(roleName\) +yes$/,
  )
  assert.ok(second.includes('evil \ufffd['), 'no control character reaches the terminal')

  const json = await events(org, 'query', '--json', '--service', 'sso', '--field', 'service')
  assert.deepEqual(documents(json.stdout), [{ service: 'sso' }])
})

test('query narrows by time, service and search, and sorts', async () => {
  const old = event({ timestamp: minutesAgo(3 * 24 * 60) })
  const recent = event({ timestamp: minutesAgo(20), event_type: 'user_create' })
  const other = event({ service: 'ldap', timestamp: minutesAgo(10) })
  const sso = event({ service: 'sso', timestamp: minutesAgo(5) })
  const org = await withEvents(old, recent, other, sso)
  const search = JSON.stringify({ and: [{ event_type: 'user_create' }] })
  const cases: [string[], { id: string }[]][] = [
    [[], [recent, other, sso]],
    [['--since', '7d', '--until', '1d'], [old]],
    [
      ['--since', old.timestamp, '--limit', '2'],
      [old, recent],
    ],
    [
      ['--sort', 'desc', '--since', '15m'],
      [sso, other],
    ],
    [
      ['--service', 'ldap', '--service', 'sso'],
      [other, sso],
    ],
    [
      ['--service', 'ldap,sso'],
      [other, sso],
    ],
    [['--search', search], [recent]],
  ]
  for (const [args, expected] of cases) {
    const { stdout, stderr } = await events(org, 'query', '--json', ...args)
    assert.deepEqual(
      ids(stdout),
      expected.map(({ id }) => id),
      `${args.join(' ')} ${stderr}`,
    )
  }
  const none = await events(org, 'query', '--since', '1s')
  assert.deepEqual([none.code, none.stdout], [0, ''])
  assert.match(none.stderr, /^No matching events since \d{4}-.*Z\.\n$/)
})

test('columns align, whatever the precision of a timestamp', async () => {
  const second = minutesAgo(10).slice(0, -5)
  const org = await withEvents(
    ...['Z', '.1Z', '.218593682Z'].map((end) => event({ timestamp: second + end })),
  )
  const [head, ...rows] = (await events(org, 'query')).stdout.trimEnd().split('\n')
  assert.equal(rows.length, 3)
  for (const row of rows) assert.equal(row.indexOf('directory'), head!.indexOf('SERVICE'), row)
})

test('export takes all stored events unless --since is given', async () => {
  const [old, recent] = [event({ timestamp: minutesAgo(80 * 24 * 60) }), event()]
  const org = await withEvents(old, recent)
  const exported = async (...args: string[]) =>
    ids((await events(org, 'export', '-', ...args)).stdout)
  assert.deepEqual(await exported(), [old.id, recent.id])
  assert.deepEqual(await exported('--since', '1h'), [recent.id])
})

test('several pages are read without loss or duplicates', async () => {
  const timestamp = minutesAgo(10)
  const list = Array.from({ length: 10_050 }, () => event({ timestamp }))
  const org = await withEvents(...list)
  const sorted = list.map(({ id }) => id).sort()
  const some = await events(org, 'query', '--json', '--limit', '10020', '--field', 'id')
  assert.equal(new Set(ids(some.stdout)).size, 10_020)

  const file = newFile()
  const done = await runEvents(org, 'export', file)
  assert.deepEqual([done.code, done.stdout], [0, `${file}: 10050 events.\n`])
  assert.deepEqual(ids(readFileSync(file, 'utf8')).sort(), sorted)
  assert.equal(existsSync(`${file}.partial`), false)
  const piped = await events(org, 'export', '-')
  assert.equal(piped.stdout, readFileSync(file, 'utf8'))
})

test('an export that fails leaves no file behind', async () => {
  const org = await withEvents(event())
  const file = join(directory, 'failed.ndjson')
  const { code, stderr } = await events(org, 'export', file, '--service', 'nonsense')
  assert.equal(code, 1)
  assert.match(stderr, /^gatehouse: The service responded 400: service: unknown service "nonsense"/)
  assert.ok(!existsSync(file) && !existsSync(`${file}.partial`))

  assert.equal((await events(org, 'export', file)).code, 0)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('export writes CSV, counted by rows', async () => {
  const org = await withEvents(
    event({ error_message: 'two\nlines, "quoted"' }),
    event({ timestamp: minutesAgo(5), error_message: '=1+1' }),
  )
  const file = join(directory, 'events.csv')
  const done = await events(org, 'export', file, '--format', 'csv')
  assert.deepEqual([done.code, done.stdout], [0, `${file}: 2 events.\n`], done.stderr)
  assert.match(readFileSync(file, 'utf8'), /^timestamp,service,event_type,.*,document\r\n/)
  const fields = ['--field', 'event_type', '--field', 'error_message']
  const piped = await events(org, 'export', '-', '--format', 'CSV', ...fields)
  const rows = ['event_type,error_message', 'user_update,"two\nlines, ""quoted"""']
  assert.equal(piped.stdout, [...rows, "user_update,'=1+1", ''].join('\r\n'))
  const empty = await events(org, 'export', file, '--format', 'csv', '--since', '1s')
  assert.equal(empty.stdout, `${file}: 0 events.\n`)
})

test('an interrupted export leaves no file behind', async () => {
  const org = await withEvents(...Array.from({ length: 3000 }, () => event()))
  // Stored by hand: the service would reject invalid JSON.
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute(
      `insert into events (organization_id, timestamp, id, service, document)
       values ($1, $2, gen_random_uuid(), 'directory', '{"a":nonsense}')`,
      [org.organizationId, minutesAgo(5)],
    ),
  )
  const file = join(directory, 'broken.csv')
  const { code, stdout, stderr } = await events(org, 'export', file, '--format', 'csv')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^gatehouse: The connection was lost before the export was complete: .*\n$/)
  assert.ok(!existsSync(file) && !existsSync(`${file}.partial`))
})

test('import takes lines, an array and gzip, from a file and from stdin', async () => {
  const org = await app.newOrganization()
  const bodies: (string | Buffer)[] = [
    lines([event(), event()]),
    JSON.stringify([event(), event()]),
    gzipSync(lines([event(), event()])),
  ]
  for (const body of bodies) {
    const child = start(org, 'import', '-')
    child.stdin!.end(body)
    const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)])
    assert.equal(stdout, '2 received, 2 stored, 0 already stored, 0 rejected\n', stderr)
    const again = await events(org, 'import', newFile(body))
    assert.equal(again.stdout, '2 received, 0 stored, 2 already stored, 0 rejected\n')
    assert.equal(again.code, 0)
  }
})

test('rejected lines are listed and the exit code is 1', async () => {
  const org = await app.newOrganization()
  const file = newFile(`${lines([event()])}nonsense\n${lines([{ service: 'sso' }])}`)
  const { code, stdout } = await runEvents(org, 'import', file)
  assert.equal(code, 1)
  assert.match(stdout, /^3 received, 1 stored, 0 already stored, 2 rejected\n/)
  assert.match(stdout, /^line 2: not valid JSON/m)
  assert.match(stdout, /^line 3: event_type is missing/m)
})

test('an import is retried when the service is busy', async () => {
  const org = await app.newOrganization()
  const headers = { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' }
  const options = { method: 'POST', headers }
  const holders = Array.from({ length: 4 }, () =>
    request(`${url}/insights/directory/v1/ingest`, options),
  )
  const answers = holders.map((holder) => once(holder, 'response'))
  for (const holder of holders) holder.write(lines([event()]))
  // All four are running once a fifth is rejected.
  const child = start(org, 'import', newFile(lines([event(), event()])))
  const stdout = text(child.stdout!)
  const stderr = createInterface({ input: child.stderr! })
  for await (const line of stderr) {
    assert.match(line, /^The service is busy; retrying in 1 s$/)
    break
  }
  for (const holder of holders) holder.end()
  await Promise.all(answers)
  assert.equal(await stdout, '2 received, 2 stored, 0 already stored, 0 rejected\n')
})

test('organizations are chosen with --org, the provider with --provider', async () => {
  const provider = await app.newProvider(2)
  const [one, two] = provider.organizationIds as [string, string]
  const first = event()
  const second = event({ timestamp: minutesAgo(5) })
  await events(provider, 'import', newFile(lines([first])), '--org', one)
  await events(provider, 'import', newFile(lines([second])), '--org', two)
  const both = await events(provider, 'query', '--json', '--org', one, '--org', two)
  assert.deepEqual(ids(both.stdout), [first.id, second.id], both.stderr)
  const last = await events(provider, 'query', '--json', '--org', two)
  assert.deepEqual(ids(last.stdout), [second.id])
  await provider.post('/api/v2/roles', { name: 'Reader', scopes: ['users.readonly'] })
  const own = await events(provider, 'query', '--json', '--provider', provider.providerId)
  assert.deepEqual(
    documents(own.stdout).map(({ event_type }) => event_type),
    await provider.eventTypes(),
  )
})

test('without --url it calls the port of the service, as the settings name it', async () => {
  const { stderr } = await callCli({ PORT: '1' }, ['events', 'query', '--key', 'x'])
  assert.match(stderr, /Cannot reach http:\/\/localhost:1:/)
})

test('a usage error is one line', async () => {
  const org = await app.newOrganization()
  const file = newFile()
  const target = targetOf(org)
  const cases: [number, string[], RegExp][] = [
    [2, ['query', '--url', url], /either --key or --key-file/],
    [2, ['query', ...target, '--since', 'yesterday'], /--since must be a date/],
    [2, ['query', ...target, '--search', '{'], /--search must be JSON/],
    [2, ['query', ...target, '--limit', '0'], /--limit must be/],
    [2, ['query', ...target, '--sort', 'up'], /--sort must be/],
    [2, ['export', ...target, file, '--format', 'xml'], /--format must be ndjson or csv/],
    [2, ['query', '--url', 'ftp://x', '--key', 'x'], /--url must be/],
    [2, ['import', ...target, file, '--org', 'a', '--org', 'b'], /--org must be one/],
    [1, ['import', ...target, `${file}.missing`], /does not exist/],
    [1, ['query', '--url', url, '--key', 'wrong'], /responded 401: .*API key is not valid/],
    [1, ['query', '--url', 'http://127.0.0.1:1', '--key', 'x'], /Cannot reach http:/],
  ]
  for (const [expected, args, message] of cases) {
    const { code, stdout, stderr } = await callCli({}, ['events', ...args])
    assert.deepEqual([code, stdout], [expected, ''], stderr)
    assert.match(stderr, /^gatehouse: [^\n]*\n$/)
    assert.match(stderr, message)
  }
})
