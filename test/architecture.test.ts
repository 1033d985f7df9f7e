import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { readMigrations } from '../server/platform/db/migrate.ts'
import { cyclesIn } from './architecture/cycles.ts'
import { unusedExports } from './architecture/exports.ts'
import { unassertedReasons } from './architecture/reasons.ts'
import { IMPORTS, type Import } from './architecture/source.ts'
import { tableAccess, tableLines } from './architecture/tables.ts'

/** From the bottom; a slice may call lower ones, through their index.ts. */
const SLICES = [
  'insights',
  'organizations',
  'admins',
  'forwarding',
  'graph',
  'users',
  'systems',
  'groups',
  'applications',
  'commands',
  'reports',
  'portal',
  'signon',
  'sso',
  'oidc',
  'scim',
  'provisioning',
  'imports',
  'overview',
]

const imports = IMPORTS.filter(
  ({ from }) => from.startsWith('server/') && !from.endsWith('.test.ts'),
)

const sliceOf = (path: string): string | undefined =>
  SLICES.find((slice) => path.startsWith(`server/${slice}/`))
const show = ({ from, to }: Import) => `${from} → ${to}`

test('the platform imports no slice', () => {
  assert.deepEqual(
    imports.filter(({ from, to }) => from.startsWith('server/platform/') && sliceOf(to)).map(show),
    [],
  )
})

test('a slice calls only lower slices, and only through their index.ts', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [own, other] = [sliceOf(from), sliceOf(to)]
    if (!own || !other || own === other) return false
    // A schema may use lower ones, so that a shape is defined once.
    const door = from.endsWith('/schema.ts') ? '/schema.ts' : '/index.ts'
    return SLICES.indexOf(other) > SLICES.indexOf(own) || !to.endsWith(door)
  })
  assert.deepEqual(wrong.map(show), [])
})

test('only the composition root and its entry points are above the slices', () => {
  const above = new Set(
    imports.filter(({ from, to }) => sliceOf(to) && !sliceOf(from)).map(({ from }) => from),
  )
  assert.deepEqual(
    [...above].sort(),
    ['app', 'contexts', 'jobs', 'routes', 'runtime'].map((name) => `server/${name}.ts`),
  )
})

test('each kind of file imports what its role allows', () => {
  const wrong = imports.filter(({ from, to }) => {
    const slice = sliceOf(from)
    if (!slice) return false
    const own = to.startsWith(`server/${slice}/`)
    if (from.endsWith('/schema.ts'))
      return !(to === 'typebox' || to.endsWith('/schema.ts') || to.endsWith('/settings.ts'))
    if (/store\.ts$/.test(from))
      return !(to.startsWith('server/platform/') || own || to === 'typebox')
    // Only routes know Fastify; authenticate.ts reads the credential off the request.
    if (to === 'fastify' || to.startsWith('@fastify/'))
      return !(/routes\.ts$/.test(from) || from.endsWith('authenticate.ts'))
    return false
  })
  assert.deepEqual(wrong.map(show), [])
})

test('SQL is only in store files and query compilers', () => {
  const users = globSync(`server/{${SLICES.join(',')}}/**/*.ts`).filter(
    (file) => !/(store|-sql|test)\.ts$/.test(file) && /sql`/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(users, [])
})

test('each table is written by one slice, and read by others only where tables.txt says so', () => {
  const shared = Object.entries(tableAccess()).filter(([, { writers }]) => writers.length > 1)
  assert.deepEqual(shared, [], 'another slice calls the one that owns the table')
  assert.equal(
    tableLines(),
    readFileSync('test/architecture/tables.txt', 'utf8'),
    'If this is meant: node test/architecture/tables.ts > test/architecture/tables.txt, and say why in the commit',
  )
})

/** Rules shared by the pages and the server; they import nothing that needs Node. */
const PURE_FOR_WEB = ['server/portal/continue.ts', 'server/users/passwords/checks.ts']

test('a migration does not change: databases that have run it could not be upgraded', () => {
  const listed = readFileSync('test/architecture/migrations.txt', 'utf8')
  const found = readMigrations().map(({ name, checksum }) => `${checksum} ${name}\n`)
  assert.equal(found.join(''), listed, 'write a new migration, and add its line to migrations.txt')
})

test('web/ imports only schema types and listed pure files from the server', () => {
  const wrong = IMPORTS.filter(({ from, to, typeOnly }) => {
    if (!from.startsWith('web/') || !to.startsWith('server/')) return false
    return !(PURE_FOR_WEB.includes(to) || (typeOnly && to.endsWith('/schema.ts')))
  })
  assert.deepEqual(wrong.map(show), [])
  const below = IMPORTS.filter(({ from }) => PURE_FOR_WEB.includes(from))
  assert.deepEqual(below.map(show), [])
})

test('there are no import cycles, not even of types', () => {
  assert.deepEqual(cyclesIn(IMPORTS), [])
})

test('every export is used: by another file, or for an index.ts by another slice', () => {
  assert.deepEqual(unusedExports(), [], 'take `export` away, or the name out of index.ts')
})

test('a test asserts every new error reason', () => {
  const known = readFileSync('test/architecture/unasserted-reasons.txt', 'utf8')
  assert.equal(
    unassertedReasons()
      .map((reason) => `${reason}\n`)
      .join(''),
    known,
    'Assert the new one. When one got its test: node test/architecture/reasons.ts > test/architecture/unasserted-reasons.txt',
  )
})

test('process.env is read in config.ts only', () => {
  const users = globSync(['server/**/*.ts']).filter(
    (file) => !file.endsWith('.test.ts') && /process\.env/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(users.sort(), ['server/main.ts', 'server/platform/config.ts'])
})

test('every folder of the server and the repository is on the map', () => {
  const map = readFileSync('docs/ARCHITECTURE.md', 'utf8')
  const folders = globSync(['*/', 'server/*/', 'server/platform/*/']).filter(
    (path) => !/^(node_modules|data|\.)/.test(path),
  )
  for (const folder of folders)
    assert.ok(
      map.includes(`${folder.split('/').at(-1)}/`),
      `${folder} is missing in docs/ARCHITECTURE.md`,
    )
})

test('links between documents resolve', () => {
  for (const page of globSync(['*.md', 'docs/**/*.md', 'deploy/*.md'])) {
    for (const [, target = ''] of readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (/^https?:/.test(target)) continue
      assert.ok(existsSync(join(dirname(page), target)), `${page} links to ${target}`)
    }
  }
})
