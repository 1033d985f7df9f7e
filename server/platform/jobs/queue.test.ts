import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { startApp } from '../../../test/harness.ts'
import { jobDefinitions } from '../../jobs.ts'
import { openDb } from '../db/index.ts'
import { sql } from '../db/sql.ts'
import { createLog } from '../log.ts'
import { defineJob, handle, type JobDefinition } from './definition.ts'
import { migrateQueue, openQueue } from './queue.ts'

const app = await startApp({ alone: true })
const count = defineJob({
  name: 'test.count',
  payload: Type.Object({ by: Type.Integer() }),
  retry: { limit: 2, backoffSeconds: 0 },
})
const gather = defineJob({
  name: 'test.gather',
  payload: Type.Object({ by: Type.Integer() }),
  retry: { limit: 2, backoffSeconds: 0 },
  singleton: true,
})
const definitions = [count] as unknown as JobDefinition[]
await migrateQueue(app.owner, [
  ...jobDefinitions,
  ...definitions,
  gather as unknown as JobDefinition,
])

async function queueWith(run: (payload: { by: number }) => Promise<void>) {
  return openQueue(app.db, createLog('silent'), definitions, [handle(count, run)])
}

test('start fails when a job has no handler', async () => {
  await assert.rejects(
    openQueue(app.db, createLog('silent'), definitions, []),
    /No handler for job test.count/,
  )
})

test('a job exists if and only if its transaction committed', async (t) => {
  const ran: number[] = []
  const queue = await queueWith(async ({ by }) => void ran.push(by))
  t.after(() => queue.stop())
  await assert.rejects(
    app.db.tx(null, async (tx) => {
      await queue.send(tx, count, { by: 1 })
      throw new Error('rolled back')
    }),
  )
  await app.db.tx(null, (tx) => queue.send(tx, count, { by: 2 }))
  assert.equal(await queue.runDue(), 1)
  assert.deepEqual(ran, [2])
  assert.equal(await queue.runDue(), 0)
})

test('a failed job is retried; a delayed one waits', async (t) => {
  let attempts = 0
  const queue = await queueWith(async () => {
    attempts++
    if (attempts === 1) throw new Error('not yet')
  })
  t.after(() => queue.stop())
  await app.db.tx(null, (tx) =>
    queue.send(tx, count, { by: 1 }, { startAfter: new Date(Date.now() + 3_600_000) }),
  )
  assert.equal(await queue.runDue(), 0)
  await app.db.tx(null, (tx) =>
    tx.execute(
      "update pgboss.job set start_after = now() where name = 'test.count' and state = 'created'",
    ),
  )
  await queue.runDue()
  await app.db.tx(null, (tx) =>
    tx.execute(
      "update pgboss.job set start_after = now() where name = 'test.count' and state = 'retry'",
    ),
  )
  await queue.runDue()
  assert.equal(attempts, 2)
  const depth = (await queue.depths()).find(({ name }) => name === 'test.count')
  assert.equal(depth?.waiting, 0)
})

test('of singleton jobs one waits per key; once it runs, the next may wait', async (t) => {
  const ran: number[] = []
  const sendOne = (by: number, key: string) =>
    app.db.tx(null, (tx) => queue.send(tx, gather, { by }, { key }))
  const queue = await openQueue(
    app.db,
    createLog('silent'),
    [gather as unknown as JobDefinition],
    [
      handle(gather, async ({ by }) => {
        ran.push(by)
        if (by === 1) await sendOne(4, 'a')
      }),
    ],
  )
  t.after(() => queue.stop())
  for (const [by, key] of [
    [1, 'a'],
    [2, 'a'],
    [3, 'b'],
  ] as const)
    await sendOne(by, key)
  await queue.runDue()
  assert.deepEqual(ran.sort(), [1, 3, 4])
})

test('a payload that does not fit its definition never reaches the handler', async (t) => {
  let ran = false
  const queue = await queueWith(async () => {
    ran = true
  })
  t.after(() => queue.stop())
  await app.db.tx(null, (tx) => queue.send(tx, count, { by: 'many' } as unknown as { by: number }))
  await queue.runDue()
  assert.equal(ran, false)
})

test('a worker runs sent jobs and registers its schedules', async () => {
  const db = openDb(app.service, { max: 4 })
  let done = (_: number) => {}
  const ran = new Promise<number>((resolve) => {
    done = resolve
  })
  const queue = await openQueue(db, createLog('silent'), definitions, [
    handle(count, async ({ by }) => done(by)),
  ])
  await db.run(sql`delete from pgboss.job where name = 'test.count'`)
  await queue.work(app.service)
  await db.tx(null, (tx) => queue.send(tx, count, { by: 42 }))
  assert.equal(await ran, 42)
  await queue.stop()
  await db.close()
})

test('a worker fetches the next job immediately', {
  timeout: 100_000,
}, async () => {
  const db = openDb(app.service, { max: 4 })
  const total = 300
  let left = total
  let done = () => {}
  const all = new Promise<void>((resolve) => {
    done = resolve
  })
  const queue = await openQueue(db, createLog('silent'), definitions, [
    handle(count, async () => {
      if (--left === 0) done()
    }),
  ])
  await db.tx(null, async (tx) => {
    for (let by = 0; by < total; by++) await queue.send(tx, count, { by })
  })
  await queue.work(app.service)
  // With one fetch per second this would take five minutes.
  await all
  await queue.stop()
  await db.close()
})
