import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newId } from '../ids.ts'
import { openDb } from './index.ts'
import { identifier, sql } from './sql.ts'

const { service, owner } = await newDatabase()

test('rows have the same types as without a pipeline, on every run', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const read = (n: number) =>
    db.tenant(newId()).find(
      sql`select ${n}::int8 as big, null::text as nothing, '{"a":[1]}'::jsonb as json, true as yes,
                 timestamptz '2026-01-02 03:04:05.678+00' as at, array['x', 'y,z'] as list`,
    )
  for (const n of [1, 2, 3]) {
    assert.deepEqual(await read(n), {
      big: n,
      nothing: null,
      json: { a: [1] },
      yes: true,
      at: '2026-01-02T03:04:05.678Z',
      list: ['x', 'y,z'],
    })
  }
})

test('each statement sees its own tenant, also in a shared pipeline', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const ids = Array.from({ length: 50 }, newId)
  const tenant = () => sql`select current_setting('app.organization_id') as id`
  const seen = await Promise.all(ids.map((id) => db.tenant(id).find<{ id: string }>(tenant())))
  assert.deepEqual(
    seen.map((row) => row?.id),
    ids,
  )
})

test('a failing statement does not affect the others in its pipeline', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const expected = [{ result: 2 }, 'failed', { result: 3 }, 'failed', { result: 6 }]
  const shared = db.tenant(newId())
  for (const reader of [() => db.tenant(newId()), () => shared, () => db]) {
    const divide = (by: number) => reader().find(sql`select 6 / ${by}::int as result`)
    const outcomes = await Promise.allSettled([3, 0, 2, 0, 1].map(divide))
    assert.deepEqual(
      outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
      expected,
    )
  }
})

test('a failing statement does not affect those of other tenants sent with it', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const six = (reader: Pick<typeof db, 'find'>, by: number) =>
    reader.find(sql`select 6 / ${by}::int as result`)
  const readers = () => [db.tenant(newId()), db.tenant(newId()), db, db.tenant(newId())]
  for (const again of ['not prepared yet', 'prepared']) {
    const [bad, good, global, last] = readers()
    const outcomes = await Promise.allSettled([
      six(bad!, 0),
      six(good!, 1),
      six(good!, 0),
      six(global!, 2),
      six(last!, 3),
      six(bad!, 6),
    ])
    assert.deepEqual(
      outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
      ['failed', { result: 6 }, 'failed', { result: 3 }, { result: 2 }, { result: 1 }],
      again,
    )
  }
})

test('a value that cannot be sent fails alone, and later statements get their own results', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const tenant = db.tenant(newId())
  const circle: { self?: object } = {}
  circle.self = circle
  const say = (value: unknown) => tenant.find(sql`select ${value}::text as said`)
  const outcomes = await Promise.allSettled([say('a'), say(circle), say('b'), say('c')])
  assert.deepEqual(
    outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
    [{ said: 'a' }, 'failed', { said: 'b' }, { said: 'c' }],
  )
})

test('a change that fails at commit is rejected', async (t) => {
  const [db, asOwner] = [openDb(service), openDb(owner)]
  t.after(() => Promise.all([db.close(), asOwner.close()]))
  await asOwner.run(
    sql`create table late (id int unique deferrable initially deferred, organization text)`,
  )
  await asOwner.run(sql`grant select, insert on late to public`)
  const org = newId()
  const insert = () => sql`insert into late values (1, ${org})`
  await assert.rejects(
    db.together(org, async (tx) => Promise.all([tx.run(insert()), tx.run(insert())])),
    /duplicate key/,
  )
  await assert.rejects(db.tenant(org).run(sql`insert into late values (2), (2)`), /duplicate key/)
  assert.equal(await db.tenant(org).run(sql`select 1 from late`), 0)
  await db.together(org, (tx) => tx.run(insert()))
  assert.equal(await db.tenant(org).run(sql`select 1 from late`), 1)
})

test('a statement not prepared because of an earlier failure is prepared again', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const tenant = db.tenant(newId())
  const seven = () => tenant.find(sql`select 7 as result`)
  const failing = assert.rejects(tenant.find(sql`select 1 / ${0}::int`))
  const first = seven()
  // The next turn: this one is sent before the first failure is known.
  await new Promise(setImmediate)
  assert.deepEqual(await Promise.all([first, seven(), failing]), [
    { result: 7 },
    { result: 7 },
    undefined,
  ])
})

test('statements with a different text each time work', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const tenant = db.tenant(newId())
  const columns = ['a', 'b', 'c'].map((name) => sql`select ${1}::int as ${identifier(name)}`)
  assert.deepEqual(await Promise.all(columns.map((query) => tenant.find(query))), [
    { a: 1 },
    { b: 1 },
    { c: 1 },
  ])
})

test('the number of written rows is returned', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const org = newId()
  const add = () =>
    db.tenant(org).run(sql`
      insert into roles (organization_id, id, name, scopes)
      select ${org}, lpad(to_hex(n), 24, '0'), 'role ' || n, '{}' from generate_series(1, 3) n on conflict do nothing`)
  assert.equal(await add(), 3)
  assert.equal(await add(), 0)
})

test('a statement is prepared again after its table got a column', async (t) => {
  const [db, asOwner] = [openDb(service), openDb(owner)]
  t.after(() => Promise.all([db.close(), asOwner.close()]))
  await asOwner.run(sql`create table growing as select 1 as a`)
  await asOwner.run(sql`grant select on growing to public`)
  const read = () => db.tenant(newId()).find(sql`select * from growing`)
  assert.deepEqual(await read(), { a: 1 })
  await asOwner.run(sql`alter table growing add b int default 2`)
  assert.deepEqual(await read(), { a: 1, b: 2 })
})

test('of two deadlocked changes one gets a retryable error', async (t) => {
  const db = openDb(service)
  t.after(() => db.close())
  const org = newId()
  const lock = (key: number) => sql`select pg_advisory_xact_lock(${key})`
  const both = Promise.withResolvers<void>()
  let holding = 0
  const change = (first: number, second: number) =>
    db.tx(org, async (tx) => {
      await tx.run(lock(first))
      if (++holding === 2) both.resolve()
      await both.promise
      await tx.run(lock(second))
    })
  const outcomes = await Promise.allSettled([change(1, 2), change(2, 1)])
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.deepEqual(
    failed.map(({ reason }) => [reason.kind, reason.reason]),
    [['unavailable', 'conflicting_change']],
  )
})
