import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newId } from '../ids.ts'
import { isUniqueViolation, openDb, type Queryable } from './index.ts'
import { sql } from './sql.ts'

const { service, owner } = await newDatabase()
const organizationId = newId()

const addRole = (tx: Queryable, name: string, org = organizationId) =>
  tx.run(
    sql`insert into roles (organization_id, id, name, scopes) values (${org}, ${newId()}, ${name}, '{}')`,
  )
const names = async (db: Queryable, prefix: string) =>
  (
    await db.many<{ name: string }>(
      sql`select name from roles where name like ${`${prefix}%`} order by name`,
    )
  ).map(({ name }) => name)

function open(t: { after(work: () => Promise<void>): void }, connection = service) {
  const db = openDb(connection)
  t.after(() => db.close())
  return { db, tenant: db.tenant(organizationId) }
}

test('changes of many requests are committed, each with all its statements', async (t) => {
  const { db, tenant } = open(t)
  const others = newId()
  const change = (n: number) => {
    const org = n % 3 === 0 ? others : organizationId
    return db.together(org, (tx) =>
      Promise.all([addRole(tx, `many ${n} a`, org), addRole(tx, `many ${n} b`, org)]),
    )
  }
  const counts = await Promise.all(Array.from({ length: 200 }, (_, n) => change(n)))
  assert.ok(counts.flat().every((count) => count === 1))
  assert.equal((await names(tenant, 'many')).length, 266)
  assert.equal((await names(db.tenant(others), 'many')).length, 134)
})

test('changes share transactions', async (t) => {
  const { db } = open(t)
  const ids = await Promise.all(
    Array.from({ length: 50 }, () =>
      db.together(organizationId, (tx) =>
        tx.one<{ id: string }>(sql`select pg_current_xact_id()::text as id`),
      ),
    ),
  )
  assert.ok(new Set(ids.map((row) => row!.id)).size < 10)
})

test('a failing change is rolled back completely and does not affect the others', async (t) => {
  const { db, tenant } = open(t)
  await addRole(tenant, 'taken')
  const outcomes = await Promise.allSettled(
    ['fine a', 'fine b', 'taken', 'fine c'].map((name) =>
      db.together(organizationId, (tx) =>
        Promise.all([addRole(tx, `fine first of ${name}`), addRole(tx, name)]),
      ),
    ),
  )
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  const [, , refused] = outcomes as PromiseRejectedResult[]
  assert.ok(isUniqueViolation(refused!.reason))
  assert.deepEqual(await names(tenant, 'fine'), [
    'fine a',
    'fine b',
    'fine c',
    'fine first of fine a',
    'fine first of fine b',
    'fine first of fine c',
  ])
})

test('a change that fails before it is sent has no effect', async (t) => {
  const { db, tenant } = open(t)
  const failing = db.together(organizationId, async (tx) => {
    const added = addRole(tx, 'abandoned')
    if (tx) throw new Error('changed its mind')
    await added
  })
  await assert.rejects(failing, /changed its mind/)
  await db.together(organizationId, (tx) => addRole(tx, 'the next'))
  assert.deepEqual(await names(tenant, 'abandoned'), [])
})

test('a second round of statements is rejected', async (t) => {
  const { db } = open(t)
  const twice = db.together(organizationId, async (tx) => {
    await addRole(tx, 'first round')
    await addRole(tx, 'second round')
  })
  await assert.rejects(twice, /only one round/)
})

test('afterCommit callbacks run after the commit, and only then', async (t) => {
  const { db, tenant } = open(t)
  const called: string[] = []
  const change = (name: string) =>
    db.together(organizationId, (tx) => {
      tx.afterCommit(() => called.push(name))
      return addRole(tx, name)
    })
  await addRole(tenant, 'twice')
  await Promise.allSettled([change('told'), change('twice')])
  assert.deepEqual(called, ['told'])
})

test('a lost connection fails every pending change', async (t) => {
  const { db } = open(t, owner)
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map(() =>
      db.together(organizationId, (tx) =>
        tx.run(sql`select pg_terminate_backend(pg_backend_pid())`),
      ),
    ),
  )
  for (const outcome of outcomes) {
    assert.equal(outcome.status, 'rejected')
    assert.equal(outcome.reason.reason, 'database_unavailable')
  }
  assert.equal(await db.together(organizationId, (tx) => addRole(tx, 'back again')), 1)
})
