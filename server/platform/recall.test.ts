import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../test/harness.ts'
import { clientConfig, openDb, type Queryable } from './db.ts'
import { newId } from './ids.ts'
import { sql } from './sql.ts'

const { service, owner } = await newDatabase()

interface Note {
  id: string
  body: { words: string[] }
}

async function asOwner(...statements: string[]): Promise<void> {
  const client = new pg.Client(clientConfig(owner))
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

await asOwner(
  `create table notes (organization_id text collate "C" not null, id text collate "C" not null, body jsonb not null,
                       hidden_at timestamptz not null default 'infinity', primary key (organization_id, id))`,
  `call protect_tenant_table('notes')`,
  'grant select, insert, update, delete on notes to gatehouse_service',
)

const recall = (db: Queryable, organizationId: string, id: string) =>
  db.recall<Note>({
    columns: 'id, body',
    version: 'xmin',
    from: sql`notes where organization_id = ${organizationId} and id = ${id} and hidden_at > now()`,
  })

const write = (db: Queryable, organizationId: string, id: string, ...words: string[]) =>
  db.run(sql`
    insert into notes (organization_id, id, body) values (${organizationId}, ${id}, ${JSON.stringify({ words })})
    on conflict (organization_id, id) do update set body = excluded.body, hidden_at = 'infinity'`)

const setUp = (after: (close: () => Promise<void>) => void) => {
  const db = openDb(service)
  after(() => db.close())
  const organizationId = newId()
  return { db, organizationId, tenant: db.tenant(organizationId) }
}

test('a row is the same until it changes, and another one from then on', async (t) => {
  const { organizationId, tenant } = setUp((close) => t.after(close))
  assert.equal(await recall(tenant, organizationId, 'a'), undefined)
  await write(tenant, organizationId, 'a', 'one')
  const first = await recall(tenant, organizationId, 'a')
  assert.deepEqual(first?.body, { words: ['one'] })
  assert.equal(await recall(tenant, organizationId, 'a'), first)
  for (const word of ['two', 'three', 'three']) {
    await write(tenant, organizationId, 'a', word)
    const read = await Promise.all([1, 2, 3].map(() => recall(tenant, organizationId, 'a')))
    for (const note of read) assert.deepEqual(note?.body, { words: [word] })
  }
})

test('what is gone, or no longer meets the conditions, is not found', async (t) => {
  const { organizationId, tenant } = setUp((close) => t.after(close))
  await write(tenant, organizationId, 'a', 'one')
  assert.ok(await recall(tenant, organizationId, 'a'))
  await tenant.run(
    sql`update notes set hidden_at = now() where organization_id = ${organizationId}`,
  )
  assert.equal(await recall(tenant, organizationId, 'a'), undefined)
  await write(tenant, organizationId, 'a', 'back')
  assert.deepEqual((await recall(tenant, organizationId, 'a'))?.body, { words: ['back'] })
  await tenant.run(sql`delete from notes where organization_id = ${organizationId}`)
  assert.equal(await recall(tenant, organizationId, 'a'), undefined)
})

test('another tenant finds nothing, whatever is remembered', async (t) => {
  const { db, organizationId, tenant } = setUp((close) => t.after(close))
  await write(tenant, organizationId, 'a', 'one')
  assert.ok(await recall(tenant, organizationId, 'a'))
  const other = newId()
  assert.equal(await recall(db.tenant(other), organizationId, 'a'), undefined)
  assert.equal(await recall(db.tenant(other), other, 'a'), undefined)
  assert.ok(await recall(tenant, organizationId, 'a'))
})

test('nobody can change it for the others', async (t) => {
  const { organizationId, tenant } = setUp((close) => t.after(close))
  await write(tenant, organizationId, 'a', 'one')
  const note = await recall(tenant, organizationId, 'a')
  assert.throws(() => note!.body.words.push('two'), TypeError)
  assert.throws(() => Object.assign(note!, { id: 'b' }), TypeError)
})

test('a transaction sees what it has written itself', async (t) => {
  const { db, organizationId, tenant } = setUp((close) => t.after(close))
  await write(tenant, organizationId, 'a', 'one')
  await recall(tenant, organizationId, 'a')
  await db.tx(organizationId, async (tx) => {
    await write(tx, organizationId, 'a', 'two')
    assert.deepEqual((await recall(tx, organizationId, 'a'))?.body, { words: ['two'] })
    assert.deepEqual((await recall(tenant, organizationId, 'a'))?.body, { words: ['one'] })
  })
  assert.deepEqual((await recall(tenant, organizationId, 'a'))?.body, { words: ['two'] })
})

test('with the connection everything is forgotten: the next one may lead to another database', async (t) => {
  const { db, organizationId, tenant } = setUp((close) => t.after(close))
  await write(tenant, organizationId, 'a', 'one')
  const first = await recall(tenant, organizationId, 'a')
  const { pid } = (await db.find<{ pid: number }>(sql`select pg_backend_pid() as pid`))!
  await asOwner(`select pg_terminate_backend(${pid}, 5000)`)
  // One that is sent before the loss is noticed may fail.
  await recall(tenant, organizationId, 'a').catch(() => {})
  const second = await recall(tenant, organizationId, 'a')
  assert.deepEqual(second, { ...first })
  assert.notEqual(second, first)
})

test('a question for a row is never taken for one about the version of another', async (t) => {
  const { organizationId, tenant } = setUp((close) => t.after(close))
  await write(tenant, organizationId, 'a', 'one')
  await write(tenant, organizationId, 'a whole', 'two')
  // What is read while the connection is made is not remembered.
  await recall(tenant, organizationId, 'b')
  await recall(tenant, organizationId, 'a whole')
  const [known, unknown] = await Promise.all([
    recall(tenant, organizationId, 'a whole'),
    recall(tenant, organizationId, 'a'),
  ])
  assert.deepEqual(known?.body, { words: ['two'] })
  assert.deepEqual(unknown?.body, { words: ['one'] })
})
