import assert from 'node:assert/strict'
import { EventEmitter, on, once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { Type } from 'typebox'
import { asOwner } from '../../../test/cluster.ts'
import { startApp } from '../../../test/harness.ts'
import { type Db, openDb } from '../db/index.ts'
import { createLog } from '../log.ts'
import { defineJob, handle, type JobDefinition } from './definition.ts'
import { migrateQueue, openQueue } from './queue.ts'

/** No polling during a test: only a notification can start a job. */
const NEVER_MS = 3_600_000
const LONG = { timeout: 60_000 }

const app = await startApp()
const define = (name: string) =>
  defineJob({
    name,
    payload: Type.Object({ by: Type.Integer() }),
    retry: { limit: 0, backoffSeconds: 1 },
  })
const count = define('test.count')
const other = define('test.other')
const definitions = [count, other] as unknown as JobDefinition[]
await migrateQueue(app.owner, definitions)

const POLL = 'poll'

/** Emits the name of a queue for each fetch from it, and POLL for each poll of all queues. */
function observed(db: Db, fetches: EventEmitter): Db {
  const query = async (text: string, values?: unknown[]) => {
    const result = await db.pool.query(text, values)
    const queue = /SKIP LOCKED/.test(text) ? /j\.name = '([^']+)'/.exec(text)?.[1] : undefined
    if (queue !== undefined) fetches.emit(queue, result.rows.length)
    return result
  }
  const many: Db['many'] = async (question) => {
    const rows = await db.many<never>(question)
    fetches.emit(POLL)
    return rows
  }
  return { ...db, many, pool: { query } as unknown as Db['pool'] }
}

/** Starts a second worker process; it is idle when this resolves. */
async function startWorker(t: TestContext, ran = new EventEmitter()) {
  const db = openDb(app.service, { max: 4 })
  const fetches = new EventEmitter()
  const run =
    (name: string) =>
    async ({ by }: { by: number }) =>
      void ran.emit(name, by)
  const queue = await openQueue(observed(db, fetches), createLog('silent'), definitions, [
    handle(count, run('count')),
    handle(other, run('other')),
  ])
  t.after(async () => {
    await queue.stop()
    await db.close()
  })
  const idle = Promise.all([count.name, other.name, POLL].map((name) => once(fetches, name)))
  await queue.work(app.service, NEVER_MS)
  await idle
  return { fetches, ran }
}

const send = (definition: typeof count, by: number, startAfter?: Date) =>
  app.db.tx(null, (tx) => app.queue.send(tx, definition, { by }, startAfter ? { startAfter } : {}))

test(
  'a job that one process sends starts in another without waiting for a poll',
  LONG,
  async (t) => {
    const { ran } = await startWorker(t)
    const started = once(ran, 'count')
    await send(count, 1)
    assert.deepEqual(await started, [1])
  },
)

test('a send that is rolled back wakes no worker', LONG, async (t) => {
  const { fetches, ran } = await startWorker(t)
  let fetched = 0
  fetches.on(count.name, () => fetched++)
  const failed = app.db.tx(null, async (tx) => {
    await app.queue.send(tx, count, { by: 2 })
    throw new Error('rolled back')
  })
  await assert.rejects(failed, /rolled back/)
  // Notifications arrive in commit order, so one for the first queue would be here before this one.
  const started = once(ran, 'other')
  await send(other, 3)
  assert.deepEqual(await started, [3])
  assert.equal(fetched, 0)
})

test('a listener that loses its connection reconnects and catches up', LONG, async (t) => {
  const { ran } = await startWorker(t)
  const started = on(ran, 'count')
  const { rows } = await asOwner(app.owner, (client) =>
    client.query(`select pg_terminate_backend(pid, 60000) from pg_stat_activity
                   where datname = current_database() and query like 'listen pgboss%'`),
  )
  assert.deepEqual(rows, [{ pg_terminate_backend: true }])
  // Sent while no process listens.
  await send(count, 4)
  assert.deepEqual((await started.next()).value, [4])
  await send(count, 5)
  assert.deepEqual((await started.next()).value, [5])
})

test('a delayed job starts when it is due', LONG, async (t) => {
  const ran = new EventEmitter()
  const started = once(ran, 'other')
  // The worker finds it at its first poll; the second one is an hour away.
  await send(other, 6, new Date(Date.now() + 500))
  await startWorker(t, ran)
  assert.deepEqual(await started, [6])
})
