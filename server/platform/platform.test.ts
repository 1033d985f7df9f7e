import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { test } from 'node:test'
import { newDatabase, tempDirectory } from '../../test/database.ts'
import { looksValid, newApiKey } from '../admins/api-key.ts'
import { describeConfig, loadConfig } from './config.ts'
import { openDb } from './db/index.ts'
import { identifier, join, literal, sql } from './db/sql.ts'
import { AppError } from './errors.ts'
import { deeperThan } from './http/json-body.ts'
import { isId, newId, uuidv7 } from './ids.ts'
import { hideSecrets } from './log.ts'
import { Sealer } from './secrets.ts'

test('sql: values become parameters, fragments are spliced in and renumbered', () => {
  const where = sql`a = ${1} and b = ${2}`
  const query = sql`select * from t where ${where} and c = ${3} order by ${identifier('c')}`
  assert.equal(query.text, 'select * from t where a = $1 and b = $2 and c = $3 order by c')
  assert.deepEqual(query.values, [1, 2, 3])
  const joined = join([sql`x = ${1}`, sql`y = ${2}`], ' or ')
  assert.equal(joined.text, 'x = $1 or y = $2')
  assert.throws(() => identifier('a; drop table b'))
  assert.equal(literal("o'clock").text, "'o''clock'")
})

test('sql: a constant statement has a name and is prepared once; one with fragments has none', () => {
  const make = (value: number) => sql`select ${value}::int as n`
  assert.equal(make(1).name, make(2).name)
  assert.notEqual(make(1).name, undefined)
  assert.equal(sql`select 1 where ${sql`true`}`.name, undefined)
})

test('log: secrets are hidden at any depth, and other lines are not copied', () => {
  const line = {
    route: '/x',
    headers: { 'x-api-key': 'k', accept: 'a' },
    password: 'p',
    deep: { er: { token: 't' } },
  }
  assert.deepEqual(hideSecrets(line), {
    route: '/x',
    headers: { 'x-api-key': '[hidden]', accept: 'a' },
    password: '[hidden]',
    deep: { er: { token: '[hidden]' } },
  })
  assert.equal(line.password, 'p')
  const plain = { status: 200, code: 7 }
  assert.equal(hideSecrets(plain), plain)
})

test('ids are 24 hex characters and sort by time; uuid v7 carries its millisecond', () => {
  assert.ok(isId(newId()))
  assert.ok(newId(1_000_000) < newId(2_000_000))
  for (const bad of ['', 'A'.repeat(24), 'a'.repeat(23), 7, null]) assert.equal(isId(bad), false)
  const now = 1_790_000_000_123
  assert.equal(Number.parseInt(uuidv7(now).replaceAll('-', '').slice(0, 12), 16), now)
  assert.match(uuidv7(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('uuids of one process ascend, even within a millisecond', () => {
  const made = Array.from({ length: 20_000 }, () => uuidv7())
  assert.deepEqual(made, made.toSorted())
  assert.equal(new Set(made).size, made.length)
})

test('API keys carry a checksum', () => {
  const key = newApiKey()
  assert.ok(looksValid(key))
  assert.equal(looksValid(`${key.slice(0, 10)}x${key.slice(11)}`) && key[10] !== 'x', false)
  assert.ok(looksValid('a key that an operator chose'))
})

test('depth of JSON is counted outside strings', () => {
  assert.equal(deeperThan('[[[]]]', 2), true)
  assert.equal(deeperThan('[[[]]]', 3), false)
  assert.equal(deeperThan('["[[[[", {"a":"\\"[[["}]', 2), false)
})

test('config: defaults, files, and a one-line error for invalid values', () => {
  const config = loadConfig({})
  assert.equal(config.port, 8080)
  assert.equal(config.publicUrl, 'http://localhost:8080')
  assert.equal(config.development, true)
  assert.equal(config.drainSeconds, 0, 'no other process could take over')
  const shared = { DATABASE_URL: 'postgres://db/gatehouse' }
  assert.equal(loadConfig(shared).drainSeconds, 5)
  assert.equal(loadConfig({ ...shared, GATEHOUSE_ROLE: 'worker' }).drainSeconds, 0)
  assert.equal(loadConfig({ ...shared, GATEHOUSE_DRAIN_SECONDS: '0' }).drainSeconds, 0)
  const file = joinPath(tempDirectory(), 'secret')
  writeFileSync(file, 'postgres://user:hidden@db/gatehouse\n')
  const fromFile = loadConfig({
    DATABASE_URL_FILE: file,
    GATEHOUSE_PUBLIC_URL: 'https://id.example.com/',
  })
  assert.equal(fromFile.databaseUrl, 'postgres://user:hidden@db/gatehouse')
  assert.equal(fromFile.publicUrl, 'https://id.example.com')
  assert.equal(fromFile.development, false)
  assert.ok(!JSON.stringify(describeConfig(fromFile)).includes('hidden'))
  const { ingestSeconds, drainSeconds } = loadConfig({
    GATEHOUSE_INGEST_SECONDS: '0.1',
    GATEHOUSE_DRAIN_SECONDS: '2.5',
  })
  assert.deepEqual([ingestSeconds, drainSeconds], [0.1, 2.5])
  const { streams } = loadConfig({ GATEHOUSE_STREAMS: '1, 2,3' })
  assert.deepEqual(streams, { principal: 1, tenant: 2, process: 3 })
  const { list } = loadConfig({ GATEHOUSE_LIST_LIMITS: 'terms=7, fields = 8' }).limits
  assert.deepEqual([list.terms, list.fields, list.sorts], [7, 8, 10])
  const wrong: [NodeJS.ProcessEnv, RegExp][] = [
    [
      { GATEHOUSE_LIST_LIMITS: 'words=7' },
      /^GATEHOUSE_LIST_LIMITS has no limit "words"; the limits are comp/,
    ],
    [{ GATEHOUSE_LIST_LIMITS: '7' }, /^GATEHOUSE_LIST_LIMITS has no limit "7"/],
    [{ GATEHOUSE_LIST_LIMITS: 'terms=0' }, /from 1 to 1000000000 for terms, such as terms=50/],
    [{ GATEHOUSE_SAML_LIMITS: 'depth=257' }, /^GATEHOUSE_SAML_LIMITS .* from 1 to 256 for depth/],
    [{ GATEHOUSE_PROT: '1' }, /GATEHOUSE_PROT is not a setting/],
    [{ PORT: 'http' }, /^PORT must be a whole number/],
    [{ PORT: '70000' }, /^PORT/],
    [{ GATEHOUSE_HEAD_SECONDS: '0' }, /^GATEHOUSE_HEAD_SECONDS must be .* from 0.1 to 300, with/],
    [{ GATEHOUSE_HEAD_SECONDS: '300.1' }, /^GATEHOUSE_HEAD_SECONDS .* not "300.1"/],
    [{ GATEHOUSE_BODY_SECONDS: '0.25' }, /^GATEHOUSE_BODY_SECONDS .* at most one decimal/],
    [{ GATEHOUSE_BODY_SECONDS: '1e3' }, /^GATEHOUSE_BODY_SECONDS .* not "1e3"/],
    [{ GATEHOUSE_ADMIN_API_KEY: 'a'.repeat(15) }, /^GATEHOUSE_ADMIN_API_KEY .*at least 16 char/],
    [{ GATEHOUSE_ADMIN_PASSWORD: 'sevench' }, /^GATEHOUSE_ADMIN_PASSWORD .*at least 8 char/],
    [{ GATEHOUSE_METRICS_TOKEN: 'short' }, /^GATEHOUSE_METRICS_TOKEN must have at least 16 char/],
    [{ GATEHOUSE_ROLE: 'boss' }, /^GATEHOUSE_ROLE must be one of all, web, worker/],
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL must be a URL/],
    [{ GATEHOUSE_MASTER_KEY: 'abc' }, /^GATEHOUSE_MASTER_KEY must be 32 bytes/],
    [{ GATEHOUSE_MASTER_KEY_FILE: '/no/such/file' }, /^GATEHOUSE_MASTER_KEY_FILE/],
    [{ GATEHOUSE_STREAMS: '20' }, /^GATEHOUSE_STREAMS must be three whole numbers/],
    [{ GATEHOUSE_EXPORTS: '4,2,8' }, /^GATEHOUSE_EXPORTS .* in ascending order/],
    [{ DATABASE_URL: 'postgres://a', DATABASE_URL_FILE: file }, /both set/],
  ]
  for (const [env, message] of wrong)
    assert.throws(() => loadConfig(env), { name: 'OperatorError', message })
})

test('sealed values open only with their context, survive a new data key, and need the master key', async (t) => {
  const { service } = await newDatabase()
  const db = openDb(service, { max: 2 })
  t.after(() => db.close())
  const master = randomBytes(32)
  const sealer = await Sealer.open(master, db)
  const sealed = sealer.seal('seed', 'administrator 1')
  assert.ok(!sealed.includes('seed'))
  assert.equal(await sealer.unseal(sealed, 'administrator 1'), 'seed')
  await assert.rejects(sealer.unseal(sealed, 'administrator 2'))
  await sealer.addKey()
  const another = await Sealer.open(master, db)
  assert.equal(await another.unseal(sealed, 'administrator 1'), 'seed')
  assert.notEqual(another.seal('seed', 'x').split('.')[0], sealed.split('.')[0])
  await assert.rejects(Sealer.open(randomBytes(32), db), /master key is not the one/)
})

test('a transaction that fails rolls back; an unreachable database is unavailable, not an internal error', async (t) => {
  const { service } = await newDatabase()
  const db = openDb(service, { max: 2 })
  t.after(() => db.close())
  const org = newId()
  await assert.rejects(
    db.tx(org, async (tx) => {
      await tx.run(
        sql`insert into roles (organization_id, id, name, scopes) values (${org}, ${newId()}, 'x', '{}')`,
      )
      throw new Error('no')
    }),
    /no/,
  )
  assert.deepEqual(await db.tenant(org).many(sql`select 1 from roles`), [])
  assert.throws(() => db.tenant("x'; drop table roles; --"), /24 hex/)
  const away = openDb({ host: '127.0.0.1', port: 1, user: 'x', database: 'x' })
  t.after(() => away.close())
  await assert.rejects(
    away.one(sql`select 1`),
    (error) => error instanceof AppError && error.reason === 'database_unavailable',
  )
})
