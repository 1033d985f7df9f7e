import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newId } from '../ids.ts'
import { openDb, type Tx } from './index.ts'
import { sql } from './sql.ts'

const { service } = await newDatabase()
const organizationId = newId()
const addRole = (tx: Tx, name: string) =>
  tx.run(
    sql`insert into roles (organization_id, id, name, scopes) values (${organizationId}, ${newId()}, ${name}, '{}')`,
  )

for (const end of ['commit', 'rollback'] as const) {
  test(`a statement after the ${end} is rejected and changes nothing`, async (t) => {
    const db = openDb(service, { max: 1 })
    t.after(() => db.close())
    let late!: Tx
    const run = db.tx(organizationId, async (tx) => {
      late = tx
      if (end === 'rollback') throw new Error('no')
    })
    await (end === 'rollback' ? assert.rejects(run, /no/) : run)
    // By now the connection may serve another request.
    await db.tx(newId(), async (other) => {
      await assert.rejects(addRole(late, `late ${end}`), /ended/)
      await assert.rejects(late.execute('select 1'), /ended/)
      await other.one(sql`select 1`)
    })
    const found = await db.tenant(organizationId).many(sql`select name from roles`)
    assert.deepEqual(found, [])
  })
}

test('statements in flight when another one fails complete before the rollback', async (t) => {
  const db = openDb(service, { max: 1 })
  t.after(() => db.close())
  const failed = db.tx(organizationId, (tx) =>
    Promise.all([tx.one(sql`select 1 / ${0}::int`), addRole(tx, 'beside')]),
  )
  await assert.rejects(failed, /division by zero/)
  assert.deepEqual(await db.tenant(organizationId).many(sql`select name from roles`), [])
})

type Send = (...chunks: unknown[]) => void
type Stream = Record<'_write' | '_writev', Send>

test('statements that are sent together leave together', async (t) => {
  const db = openDb(service, { max: 1 })
  t.after(() => db.close())
  let writes = 0
  db.pool.once('connect', (client) => {
    const { stream } = (client as unknown as { connection: { stream: Stream } }).connection
    for (const name of ['_write', '_writev'] as const) {
      const send = stream[name]
      stream[name] = (...chunks) => {
        writes++
        Reflect.apply(send, stream, chunks)
      }
    }
  })
  await db.tx(null, async () => {})
  writes = 0
  await db.tx(null, (tx) => Promise.all([1, 2, 3].map((n) => tx.execute('select $1::int', [n]))))
  assert.equal(writes, 2, 'the begin with all statements, and the commit')
})
