import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { newDatabase } from '../../test/harness.ts'
import { clientConfig } from './db.ts'
import { newId } from './ids.ts'
import { Lane } from './lane.ts'
import { sql } from './sql.ts'

const { service } = await newDatabase()

test('the same question is one until it has left', async (t) => {
  const lane = new Lane(clientConfig(service), { onConnect() {}, translate: (error) => error })
  t.after(() => lane.close())
  const ask = (key?: string) => lane.read(null, sql`select gen_random_uuid() as id`, key)
  const idOf = async (answer: ReturnType<typeof ask>) => (await answer).rows[0]
  const first = ask('a')
  const joined = ask('a')
  const other = ask('b')
  const alone = ask()
  // All of them leave, but none has arrived.
  await setImmediate()
  const later = ask('a')
  assert.deepEqual(await idOf(joined), await idOf(first))
  const ids = await Promise.all([first, other, alone, later].map(idOf))
  assert.equal(new Set(ids.map((row) => JSON.stringify(row))).size, 4)
})

test('the same question of another tenant is another one', async (t) => {
  const lane = new Lane(clientConfig(service), { onConnect() {}, translate: (error) => error })
  t.after(() => lane.close())
  const tenants = [newId(), newId()]
  const answers = await Promise.all(
    tenants.map((id) =>
      lane.read(
        `set local "app.organization_id" = '${id}'`,
        sql`select current_setting('app.organization_id') as id`,
        'a',
      ),
    ),
  )
  assert.deepEqual(
    answers.map(({ rows }) => rows[0]),
    tenants.map((id) => ({ id })),
  )
})

test('whoever joined a question that fails hears of it as well', async (t) => {
  const lane = new Lane(clientConfig(service), {
    onConnect() {},
    translate: () => new Error('translated'),
  })
  t.after(() => lane.close())
  const ask = () => lane.read(null, sql`select 1 / ${0}::int`, 'a')
  const outcomes = await Promise.allSettled([ask(), ask()])
  for (const outcome of outcomes)
    assert.match(String((outcome as PromiseRejectedResult).reason), /translated/)
})
