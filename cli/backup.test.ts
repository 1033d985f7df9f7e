import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import type pg from 'pg'
import { insertPastEvents, readEventQuery } from '../server/insights/index.ts'
import { readPage } from '../server/insights/query/page.ts'
import { sealOrganization } from '../server/insights/segments/seal.ts'
import { jobDefinitions } from '../server/jobs.ts'
import { type Connection, openDb } from '../server/platform/db/index.ts'
import { migrate, schemaVersion } from '../server/platform/db/migrate.ts'
import { sql } from '../server/platform/db/sql.ts'
import { newId, uuidv7 } from '../server/platform/ids.ts'
import { migrateQueue } from '../server/platform/jobs/queue.ts'
import { DEFAULT_LIMITS } from '../server/platform/limits.ts'
import { installation, runCli, runJsonCli } from '../test/cli.ts'
import { asOwner, onDatabase } from '../test/cluster.ts'
import { tempDirectory } from '../test/database.ts'
import { ownTables } from './archive/tables.ts'

type Place = Awaited<ReturnType<typeof installation>>

/** Row count and digest of every table, for comparison. */
async function contents(client: pg.Client): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  await client.query("set timezone = 'UTC'")
  for (const { name } of await ownTables(client)) {
    const { rows } = await client.query(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text collate "C")), '') as digest from ${name} t`,
    )
    found[name] = rows[0].digest
  }
  return found
}
const contentsOf = (place: { owner: Connection }) => asOwner(place.owner, contents)

/** Not in the archive; recomputed on restore. */
const countsOf = (place: Place) =>
  asOwner(place.owner, async (client) => {
    const { rows: members } = await client.query(
      'select organization_id, type, id, sum(change) from member_counts group by 1, 2, 3 order by 1, 2, 3',
    )
    const { rows: nodes } = await client.query(
      'select organization_id, type, sum(nodes) from node_counts group by 1, 2 order by 1, 2',
    )
    return [...members, ...nodes]
  })

const partitionsOf = (place: Place) =>
  asOwner(place.owner, async (client) => {
    const { rows } = await client.query(
      'select tableoid::regclass::text as name, count(*) from events group by 1 order by 1',
    )
    return rows
  })

const AWKWARD = 'tab\tline\nreturn\rback\\slash \\N \\. "quotes" ünïcode 🏰'

async function seed(client: pg.Client): Promise<void> {
  const [org, admin] = [newId(), newId()]
  await client.query('insert into organizations (id, name, settings) values ($1, $2, $3)', [
    org,
    AWKWARD,
    { text: AWKWARD },
  ])
  await client.query(
    `insert into administrators (id, organization, email, role_ids, recovery_code_hashes)
     values ($1, $2, 'ada@example.com', $3, '{}')`,
    [admin, org, ['000000000000000000000001', AWKWARD]],
  )
  await client.query(
    `insert into credentials (hash, kind, administrator_id, prefix) values ($1, 'api-key', $2, 'gh_')`,
    [randomBytes(32), admin],
  )
  await client.query("select create_event_partitions(now() - interval '200 days', now())")
  // One of them is so old that it is in the default partition.
  for (const age of ['0 days', '1 day', '150 days', '30 years'])
    await client.query(
      `insert into events select $1, now() - $2::interval, $3, 'directory', $4 from generate_series(1, 1)`,
      [org, age, uuidv7(), JSON.stringify({ text: AWKWARD })],
    )
  const [user, group] = [newId(), newId()]
  await client.query(
    `insert into nodes (organization_id, type, id) values ($1, 'user', $2), ($1, 'user_group', $3)`,
    [org, user, group],
  )
  await client.query(
    `insert into edges (organization_id, from_type, from_id, to_type, to_id) values ($1, 'user_group', $2, 'user', $3)`,
    [org, group, user],
  )
  await client.query('call recount_members()')
  await client.query('call recount_nodes()')
  for (const state of ['created', 'retry', 'active', 'completed', 'failed'])
    await client.query(
      `insert into pgboss.job (name, data, state) values ('platform.send-mail', $1, $2)`,
      [{ mailId: state }, state],
    )
}

const SEALED = newId()

/** Events of an organization that are in segments only. */
async function seedSegments({ owner }: Place): Promise<void> {
  const db = openDb(owner, { max: 2 })
  const start = Date.now() - 86_400_000
  const events = Array.from({ length: 50 }, (_, at) => {
    const timestamp = new Date(start + at * 1000).toISOString()
    const document = JSON.stringify({ text: AWKWARD, at })
    return { id: uuidv7(start + at * 1000), timestamp, service: 'directory', document }
  })
  await db.tx(SEALED, (tx) => insertPastEvents(tx, SEALED, events))
  await sealOrganization(db, SEALED, { size: 20, least: 1 })
  await db.close()
}

/** All of them, as a page. */
async function sealedEvents({ owner }: Place): Promise<string> {
  const db = openDb(owner, { max: 2 })
  const start_time = new Date(Date.now() - 2 * 86_400_000).toISOString()
  const query = readEventQuery({ service: ['all'], start_time }, Date.now(), DEFAULT_LIMITS.events)
  const page = await readPage(db.tenant(SEALED), [SEALED], query)
  await db.close()
  return page.json().toString()
}

/** A migrated database with rows in it, its master key, and a backup of it. */
async function source() {
  const place = await installation({ migrated: true })
  writeFileSync(join(place.dataDir, 'master.key'), randomBytes(32).toString('base64'))
  await place.runJson('org', 'list')
  await asOwner(place.owner, seed)
  await seedSegments(place)
  const file = join(tempDirectory(), 'all.backup')
  const summary = await place.runJson('backup', file)
  return { place, file, summary }
}
const shared = await source()

/** An empty database that has the master key of the source. */
async function target(): Promise<Place> {
  const place = await installation()
  copyFileSync(join(shared.place.dataDir, 'master.key'), join(place.dataDir, 'master.key'))
  return place
}

test('a restored database has the same rows, partitions and open jobs', async () => {
  const { place, file, summary } = shared
  const other = await target()
  const restored = await other.runJson('restore', file)
  assert.deepEqual(restored.tables, summary.tables)
  assert.equal(summary.tables['public.events'], 4)
  assert.equal(summary.tables['pgboss.job'], 3)
  assert.deepEqual(await contentsOf(other), await contentsOf(place))
  assert.deepEqual(await partitionsOf(other), await partitionsOf(place))
  assert.equal(summary.tables['public.event_segments'], 3)
  assert.equal(JSON.parse(await sealedEvents(other)).length, 50)
  assert.equal(await sealedEvents(other), await sealedEvents(place))
  assert.equal((await countsOf(other)).length, 3)
  assert.deepEqual(await countsOf(other), await countsOf(place))
  const { rows } = await asOwner(other.owner, (client) =>
    client.query("select state::text, data->>'mailId' as was from pgboss.job order by 2"),
  )
  assert.deepEqual(rows, [
    { state: 'retry', was: 'active' },
    { state: 'created', was: 'created' },
    { state: 'retry', was: 'retry' },
  ])
})

test('a backup is readable by its owner only, and no partial file is left', () => {
  assert.equal(statSync(shared.file).mode & 0o777, 0o600)
  assert.equal(existsSync(`${shared.file}.partial`), false)
})

test('the archive does not contain the master key', () => {
  const plain = gunzipSync(readFileSync(shared.file))
  const key = readFileSync(join(shared.place.dataDir, 'master.key'), 'utf8')
  assert.equal(plain.includes(key), false)
  assert.equal(plain.includes(Buffer.from(key, 'base64')), false)
})

test('another master key is refused and nothing changes', async () => {
  const other = await installation({ migrated: true })
  writeFileSync(join(other.dataDir, 'master.key'), randomBytes(32).toString('base64'))
  const before = await contentsOf(other)
  const { code, stderr } = await other.run('restore', shared.file, '--force')
  assert.equal(code, 1)
  assert.match(stderr, /^gatehouse: The archive was made under another master key; .*\n$/)
  assert.deepEqual(await contentsOf(other), before)
})

test('without a master key nothing is restored and none is created', async () => {
  const other = await installation()
  const { code, stderr } = await other.run('restore', shared.file)
  assert.equal(code, 1)
  assert.match(stderr, /There is no master key/)
  assert.equal(existsSync(join(other.dataDir, 'master.key')), false)
})

test('a database that is not empty is replaced only with --force', async () => {
  const other = await target()
  await other.runJson('org', 'create', '--name', 'Already here')
  const before = await contentsOf(other)
  const refused = await other.run('restore', shared.file)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /not empty \(1 organizations, 0 administrators\); use --force/)
  assert.deepEqual(await contentsOf(other), before)

  // Restore twice: the rows must be counted once.
  for (const _ of ['first', 'second']) await other.runJson('restore', shared.file, '--force')
  assert.deepEqual(await contentsOf(other), await contentsOf(shared.place))
  assert.deepEqual(await countsOf(other), await countsOf(shared.place))
})

test('an owner who is not a superuser can back up and restore', async () => {
  const other = await target()
  const role = `${other.name}_owner`
  await asOwner(other.owner, async (client) => {
    await client.query(`create role ${role} login password 'secret'`)
    await client.query(`grant gatehouse_service to ${role}`)
    await client.query(`alter database ${other.name} owner to ${role}`)
  })
  // Runs after the database is dropped.
  after(() =>
    asOwner(onDatabase(other.owner, 'postgres'), (client) => client.query(`drop role ${role}`)),
  )
  const url = new URL(other.env.DATABASE_URL)
  url.username = role
  url.password = 'secret'
  const env = { ...other.env, DATABASE_URL: url.toString() }
  await runJsonCli(env, ['restore', shared.file])
  assert.deepEqual(await contentsOf(other), await contentsOf(shared.place))
  const { tables } = await runJsonCli(env, ['backup', join(other.dataDir, 'mine.backup')])
  assert.deepEqual(tables, shared.summary.tables)
})

test('a database in use by a running process is not touched', async () => {
  const other = await target()
  const db = openDb(other.owner, { max: 1 })
  await db.run(sql`select`)
  const { code, stderr } = await other.run('restore', shared.file, '--force')
  await db.close()
  assert.equal(code, 1)
  assert.equal(stderr, 'gatehouse: Gatehouse is running on this database; stop it first\n')
})

/** Kinds of damage; each must be refused before the database is touched. */
const damages: [string, (bytes: Buffer) => Buffer][] = [
  ['cut off', (bytes) => bytes.subarray(0, bytes.length - 20)],
  ['truncated early', (bytes) => bytes.subarray(0, 40)],
  ['empty', () => Buffer.alloc(0)],
  ['another kind of file', () => Buffer.from('not a backup at all')],
  [
    'a flipped bit in the middle',
    (bytes) => {
      const copy = Buffer.from(bytes)
      copy[copy.length >> 1]! ^= 1
      return copy
    },
  ],
  [
    'a changed word with a valid gzip checksum',
    (bytes) => {
      const plain = gunzipSync(bytes).toString('latin1')
      return gzipSync(Buffer.from(plain.replace('ada@example.com', 'eve@example.com'), 'latin1'))
    },
  ],
  ['without its seal', (bytes) => gzipSync(gunzipSync(bytes).subarray(0, -37))],
  [
    'with data after its seal',
    (bytes) => gzipSync(Buffer.concat([gunzipSync(bytes), Buffer.from('S\0\0\0\0')])),
  ],
]

test('a damaged archive is refused and nothing changes', async (t) => {
  const other = await target()
  await other.runJson('org', 'create', '--name', 'Stays')
  const before = await contentsOf(other)
  const bytes = readFileSync(shared.file)
  for (const [name, damage] of damages) {
    await t.test(name, async () => {
      const file = join(tempDirectory(), 'damaged.backup')
      writeFileSync(file, damage(bytes))
      const { code, stderr } = await other.run('restore', file, '--force')
      assert.equal(code, 1)
      assert.match(stderr, /^gatehouse: .* is not a complete Gatehouse backup: .*\n$/)
    })
  }
  assert.deepEqual(await contentsOf(other), before)
})

test('an archive of another schema version says which program to use', async () => {
  const { place } = shared
  const newer = await installation({ migrated: true })
  copyFileSync(join(place.dataDir, 'master.key'), join(newer.dataDir, 'master.key'))
  await asOwner(newer.owner, (client) =>
    client.query("insert into schema_migrations values (9999, '9999_later.sql', '')"),
  )
  const file = join(tempDirectory(), 'newer.backup')
  await newer.runJson('backup', file)
  const { code, stderr } = await (await target()).run('restore', file)
  assert.equal(code, 1)
  assert.match(stderr, /schema version 9999, this program only has \d+: restore it with Gatehouse/)
})

test('an archive of an older version is migrated, but only into an empty database', async () => {
  const older = await target()
  const last = schemaVersion() - 1
  await migrate(older.owner, (owner) => migrateQueue(owner, jobDefinitions), last)
  const file = join(tempDirectory(), 'older.backup')
  await asOwner(older.owner, seed)
  await older.runJson('backup', file)

  const place = await target()
  await place.runJson('restore', file)
  assert.equal((await place.runJson('migrate')).version, last + 1)
  assert.deepEqual(await contentsOf(place), await contentsOf(older))
  const { code, stderr } = await place.run('restore', file, '--force')
  assert.equal(code, 1)
  assert.match(stderr, /an older archive needs a new database or an empty data directory\n$/)
})

test('a backup moves between a server and the embedded database', async () => {
  const dataDir = tempDirectory()
  // Under root the database's account must be able to enter, or its files would go elsewhere and stay.
  chmodSync(dataDir, 0o711)
  const env = { GATEHOUSE_DATA_DIR: dataDir }
  copyFileSync(join(shared.place.dataDir, 'master.key'), join(dataDir, 'master.key'))
  const restored = await runJsonCli(env, ['restore', shared.file])
  const file = join(dataDir, 'again.backup')
  const summary = await runJsonCli(env, ['backup', file])
  assert.deepEqual(summary.tables, restored.tables)
  const other = await target()
  await other.runJson('restore', file)
  assert.deepEqual(await contentsOf(other), await contentsOf(shared.place))
})

test('an empty database and an unwritable folder are refused with one line', async () => {
  const empty = await target()
  const nothing = await empty.run('backup', join(empty.dataDir, 'x'))
  assert.equal(nothing.code, 1)
  assert.match(nothing.stderr, /^gatehouse: There is nothing to back up: .*\n$/)
  const { code, stderr } = await runCli(shared.place.env, ['backup', '/nowhere/at/all'])
  assert.equal(code, 1)
  assert.equal(
    stderr,
    'gatehouse: /nowhere/at/all cannot be written: directory /nowhere/at does not exist\n',
  )
})
