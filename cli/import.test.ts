import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generatePeople } from '../lab/generated-people.ts'
import { row } from '../server/platform/csv.ts'
import { callCli, runCli } from '../test/cli.ts'
import { tempDirectory } from '../test/database.ts'
import { startApp } from '../test/harness.ts'
import { ok, usersOf } from '../test/imports/world.ts'
import type { Org } from '../test/sso/world.ts'

const app = await startApp()
const url = await app.listen()
await app.queue.work(app.service)
const directory = tempDirectory()

let files = 0
function newFile(content: string | Buffer, name = `file-${++files}`): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

const targetOf = ({ apiKey }: Org): string[] => ['--url', url, '--key-file', newFile(apiKey)]
const importFile = (org: Org, ...args: string[]) =>
  callCli({}, ['import', ...args, ...targetOf(org)])
const csv = (rows: string[][]): string => rows.map((cells) => row(cells)).join('')

/** As a person exports it from a spreadsheet. */
const HEADER = [
  ...['First Name', 'Last Name', 'Work Email', 'Job Title', 'Department', 'Mobile Phone'],
  ...['Employee ID', 'Manager Email', 'Status', 'Notes'],
]
const people = generatePeople(50)
const emailOf = (id: string | null) => people.find((one) => one.id === id)?.email ?? ''
const rowsOf = (list = people) =>
  list.map(({ firstName, lastName, email, title, department, id, managerId, status }) => [
    ...[firstName, ` ${lastName} `, email, title, department, '+44 20 7946 0000'],
    ...[id, emailOf(managerId), status === 'terminated' ? 'Terminated' : 'Active', 'none'],
  ])

test('fifty people come from a CSV file with one command, and leave with another', async () => {
  const org = await app.newOrganization()
  const file = newFile(`\ufeff${csv([HEADER, ...rowsOf()])}`, 'people.csv')
  const planned = await importFile(org, file, '--dry-run')
  assert.equal(planned.code, 0, planned.stderr)
  assert.match(planned.stdout, /^ACTION +WHO +WHAT\ncreate +ada\.abara1 +email: ada\.abara1@/)
  assert.match(planned.stdout, /\nand 30 more; --json prints all\n/)
  assert.equal((await usersOf(org)).size, 0)

  const { code, stdout, stderr } = await runCli({}, [
    ...['import', file, '--no-emails'],
    ...targetOf(org),
  ])
  assert.equal(code, 0, stderr)
  assert.match(
    stdout,
    /^CREATED {2}UPDATED {2}SUSPENDED {2}UNCHANGED {2}PARKED {2}FAILED\n50 +0 +0 +0 +0 +0\n/,
  )
  const users = await usersOf(org)
  assert.equal(users.size, 50)
  for (const { username, firstName, lastName, managerId, id, status } of people) {
    const user = users.get(username)!
    assert.deepEqual([user.firstname, user.lastname], [firstName, lastName])
    assert.equal(user.employeeIdentifier, id)
    assert.equal(user.state, status === 'terminated' ? 'SUSPENDED' : 'ACTIVATED')
    assert.equal(user.creationSource, 'gatehouse:bulk')
    const manager = people.find((one) => one.id === managerId)
    assert.equal(user.manager, manager ? users.get(manager.username)!.id : null)
  }
  const again = await importFile(org, file)
  assert.match(again.stdout, /\n0 +0 +0 +50 +0 +0\n/)
  const applications = ok(await org.get('/api/v2/applications')).json()
  assert.deepEqual(
    applications.map(({ displayLabel }: { displayLabel: string }) => displayLabel),
    ['File import'],
  )

  const [, job = ''] = /gatehouse import --undo (\w+)/.exec(stdout) ?? []
  const undone = await importFile(org, '--undo', job)
  assert.equal(undone.code, 0, undone.stderr)
  assert.match(undone.stdout, /^50 of 50 rows undone\n$/)
  assert.equal((await usersOf(org)).size, 0)
})

test('rows that cannot be imported are named with their reasons; the others go on', async () => {
  const org = await app.newOrganization()
  const file = newFile(
    'Name;Email;Groups\nAda Lovelace;ada@example.com;Staff\nNobody;;\nBob;bob at example;\nCut;short\n',
  )
  const { code, stdout } = await runCli({}, ['import', file, ...targetOf(org)])
  assert.equal(code, 1)
  assert.match(stdout, /\n1 +0 +0 +0 +3 +0\n/)
  assert.match(stdout, /\n\?: parked: has no externalId, email or username\n/)
  assert.match(stdout, /\nbob at example: parked: username: must/)
  assert.match(stdout, /\n\?: parked: line 5 has 2 fields instead of 3\n/)
  const [user] = [...(await usersOf(org)).values()]
  assert.equal(user!.displayname, 'Ada Lovelace')
})

test('a plan shows from and to, in JSON every row', async () => {
  const org = await app.newOrganization()
  const json = (title: string) =>
    newFile(
      JSON.stringify({ next: null, staff: people.slice(0, 3).map((one) => ({ ...one, title })) }),
    )
  assert.equal((await importFile(org, json('Engineer'), '--no-emails')).code, 0)
  const text = await importFile(org, json('Fellow'), '--dry-run')
  assert.match(text.stdout, /\nupdate +ada\.abara1 +jobTitle: Engineer → Fellow\n/)
  const { stdout, stderr } = await importFile(org, json('Fellow'), '--dry-run', '--json')
  const { job, rows } = JSON.parse(stdout)
  assert.deepEqual([job.dryRun, job.planned.update, rows.length], [true, 3, 3])
  // A short job may be done before the first look at it.
  assert.match(stderr, /^((waiting for a worker|reading: \d+ rows)\n)*$/)
})

test('too many changes need --yes', async () => {
  const org = await app.newOrganization()
  const active = people.slice(0, 20).map((one) => ({ ...one, status: 'active' as const }))
  const lines = (list: object[]) => newFile(list.map((one) => `${JSON.stringify(one)}\n`).join(''))
  assert.equal((await importFile(org, lines(active), '--no-emails')).code, 0)
  const gone = lines(active.map((one) => ({ ...one, status: 'terminated' })))
  const held = await importFile(org, gone)
  assert.deepEqual([held.code, held.stdout], [1, ''])
  assert.match(held.stderr, /gatehouse: The job would suspend 20 of 20 users\. Nothing was changed/)
  const done = await importFile(org, gone, '--yes')
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stdout, /\n0 +0 +20 +0 +0 +0\n/)
  const kept = await importFile(org, lines(active), '--no-reactivate')
  assert.match(kept.stdout, /\n0 +0 +0 +20 +0 +0\n/)
})

test('a mapping, an application, operations and a state are as given', async () => {
  const org = await app.newOrganization()
  const { id } = ok(
    await org.post('/api/applications', {
      name: 'bookmark',
      displayLabel: 'Contractors',
      ssoUrl: 'https://example.com/',
      active: true,
    }),
  ).json()
  const mapping = newFile(
    JSON.stringify([
      { target: 'email', value: { source: 'Contact' }, required: true },
      { target: 'username', value: { source: 'Nick' } },
      { target: 'company', value: { constant: 'Acme' } },
    ]),
  )
  const file = newFile(Buffer.from('Nick,Contact\nzoë,zoe@example.com\n', 'latin1'))
  const named = ['--application', 'Contractors', '--no-emails']
  const refused = await importFile(org, file, ...named)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(
    refused.stderr,
    /^gatehouse: file-\d+ is not utf-8; name its encoding with --charset/,
  )
  const args = [...named, '--charset', 'windows-1252', '--state', 'staged']
  const done = await importFile(org, file, ...args, '--mapping', mapping)
  assert.equal(done.code, 0, done.stderr)
  const user = (await usersOf(org)).get('zoë')!
  assert.deepEqual([user.company, user.state], ['Acme', 'STAGED'])
  // The application keeps its mapping.
  const more = newFile('Nick,Contact\nzoe,zoe@example.com\namy,amy@example.com\n')
  const created = await importFile(org, more, '--application', id, '--operations', 'create')
  assert.match(created.stdout, /SKIPPED.*\n1 +0 +0 +0 +1 +0 +0\n/)
  assert.deepEqual([...(await usersOf(org)).keys()].sort(), ['amy', 'zoë'])
})

test('stdin is read with -', async () => {
  const org = await app.newOrganization()
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, 'import', '-', '--json', ...targetOf(org)])
  child.stdin.end('email,first_name\namy@example.com,Amy\n')
  const { job } = JSON.parse(await text(child.stdout))
  assert.deepEqual([job.succeeded, job.failed], [1, 0])
  assert.equal((await usersOf(org)).get('amy')!.firstname, 'Amy')
})

test('mistakes are one line', async () => {
  const org = await app.newOrganization()
  const people = newFile('email\namy@example.com\n')
  const { id } = ok(
    await org.post('/api/applications', { name: 'oidc', displayLabel: 'API', active: true }),
  ).json()
  const source = { kind: 'rest', baseUrl: 'http://127.0.0.1:1/', auth: { type: 'none' } }
  ok(await org.put(`/api/v2/applications/${id}/import/config`, { source }))
  const cases: [string[], number, RegExp][] = [
    // First, since an import creates it.
    [['--undo', id], 1, /There is no application "File import"/],
    [[], 2, /either FILE or --undo must be given/],
    [[people, '--undo', id], 2, /either FILE or --undo must be given/],
    [[people, '--operations', 'delete'], 2, /--operations must be create, update or both/],
    [[people, '--state', 'GONE'], 2, /--state must be one of STAGED, ACTIVATED, SUSPENDED/],
    [[people, '--emails', '--no-emails'], 2, /--emails and --no-emails are mutually exclusive/],
    [[people, '--mapping', people], 2, /is not valid JSON/],
    [[join(directory, 'absent')], 1, /absent cannot be read: the file does not exist/],
    [[newFile('')], 1, /is empty/],
    [[newFile('[{"email": ')], 1, /is not valid JSON/],
    [[newFile('{\n"a": 1}')], 1, /must be a list of people, or an object with one such list/],
    [[people, '--mapping', newFile('[]')], 1, /The service responded 400: mapping/],
    [[people, '--application', 'Nowhere'], 1, /There is no application "Nowhere"/],
    [[people, '--application', 'API'], 1, /imports from rest, not from files/],
    [['--undo', id, '--application', 'API'], 1, /The service responded 404: .*no such import job/],
    [
      [newFile('email,email\na,b\n')],
      1,
      /^gatehouse: Job \w+ failed: The header row has the name email twice/m,
    ],
  ]
  for (const [args, code, message] of cases) {
    const outcome = await importFile(org, ...args)
    assert.deepEqual([outcome.code, outcome.stdout], [code, ''], args.join(' '))
    assert.match(outcome.stderr, message)
  }
  const wrong = await callCli({}, ['import', people, '--url', url, '--key', 'gh_wrong'])
  assert.match(wrong.stderr, /^gatehouse: The service responded 401: .*\n$/)
})
