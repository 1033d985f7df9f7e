import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../../test/blocked.ts'
import { startApp } from '../../../test/harness.ts'
import type { Tx } from '../db/index.ts'
import { sql } from '../db/sql.ts'
import { conflict, unavailable } from '../errors.ts'
import { newId } from '../ids.ts'
import { cancelBatch, confirmBatch, failBatch, holdBatch, retryBatch } from './control.ts'
import {
  appendRows,
  type BatchRow,
  countRows,
  listRows,
  pendingRows,
  rowSecretContext,
} from './row-store.ts'
import { type BatchHandler, runBatch } from './run.ts'
import { findBatch, insertBatch, listBatches, purgeBatches } from './store.ts'

const { db, newOrganization, sealer } = await startApp()

const KIND = 'test.rows'
const everything = { limit: 100 }
type Key = { organization_id: string; id: string }

const rowsOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => {
    const id = newId()
    return {
      id,
      input: { n: from + at },
      secret: sealer.seal(`secret ${from + at}`, rowSecretContext(id)),
    }
  })

/** A batch with rows that hold 1, 2, 3 and so on. */
async function newBatch(rows: number, input: object = {}, organizationId?: string): Promise<Key> {
  const organization_id = organizationId ?? (await newOrganization()).organizationId
  const key = { organization_id, id: newId() }
  await db.tx(organization_id, async (tx) => {
    await insertBatch(tx, { ...key, kind: KIND, input, started_by: { id: 'somebody' } })
    assert.equal(await appendRows(tx, key, rowsOf(1, rows)), rows)
  })
  return key
}

const read = async (key: Key) =>
  (await findBatch(db.tenant(key.organization_id), key.organization_id, key.id))!
const count = (key: Key) => countRows(db.tenant(key.organization_id), key)
const list = (key: Key, filter: Parameters<typeof listRows>[2] = {}, paging = everything) =>
  listRows(db.tenant(key.organization_id), key, filter, paging)
const inTx = <T>(key: Key, work: (tx: Tx, key: Key) => Promise<T>) =>
  db.tx(key.organization_id, (tx) => work(tx, key))
const numberOf = (row: BatchRow) => row.input.n as number

/** The effect of a row is a batch of another kind, inserted in the same transaction. */
const recorder = (before: (n: number) => unknown = () => {}): BatchHandler => ({
  handle: async (batch, row, finish) => {
    await before(numberOf(row))
    await db.tx(batch.organization_id, async (tx) => {
      const effect = { organization_id: batch.organization_id, id: newId(), kind: `of ${batch.id}` }
      await insertBatch(tx, { ...effect, input: { n: numberOf(row) }, started_by: {} })
      await finish(tx, 'done', { n: numberOf(row) })
    })
  },
})
const unexpected = (n: number) => assert.fail(`row ${n} ran`)
const run = (key: Key, handler: BatchHandler) => runBatch(db, key.organization_id, key.id, handler)

/** The numbers whose effects are committed, in ascending order. */
async function effects({ organization_id, id }: Key): Promise<number[]> {
  const rows = await db.tenant(organization_id).many<{ n: number }>(sql`
    select (input ->> 'n')::int as n from batches
     where organization_id = ${organization_id} and kind = ${`of ${id}`} order by 1`)
  return rows.map(({ n }) => n)
}
const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1)

test('a batch runs row by row, and a failed row does not stop the others', async () => {
  const key = await newBatch(5)
  assert.deepEqual(await count(key), { total: 5, pending: 5, failed: 0 })
  const order: number[] = []
  const told: object[] = []
  await run(key, {
    ...recorder((n) => {
      order.push(n)
      if (n === 2) throw conflict('taken', 'n: taken')
    }),
    finished: async (_tx, batch, summary) => void told.push({ id: batch.id, ...summary }),
  })
  assert.deepEqual(order, upTo(5))
  assert.deepEqual(await effects(key), [1, 3, 4, 5])
  const batch = await read(key)
  assert.equal(batch.state, 'finished')
  assert.deepEqual(batch.summary, { total: 5, failed: 1 })
  assert.ok(batch.started_at && batch.finished_at)
  assert.deepEqual(told, [{ id: key.id, total: 5, failed: 1 }])
  const { results } = await list(key)
  assert.deepEqual(
    results.map(({ position, status, status_msg, success, result, secret }) => [
      position,
      status,
      status_msg,
      success,
      result,
      secret,
    ]),
    upTo(5).map((n) =>
      n === 2
        ? [n, 'Finished', 'n: taken', false, { reason: 'taken' }, null]
        : [n, 'Finished', 'done', true, { n }, null],
    ),
  )
  await run(key, recorder(unexpected))
})

test('rows that others refer to come first, the others in their order', async () => {
  const key = await newBatch(2)
  await inTx(key, (tx) =>
    appendRows(
      tx,
      key,
      ['c', 'd', 'e'].map((name, at) => ({ id: newId(), key: name, input: { n: 3 + at } })),
    ),
  )
  const order: number[] = []
  const handler = recorder((n) => order.push(n))
  await run(key, { ...handler, first: async () => ['unknown', 'e', 'd'] })
  assert.deepEqual(order, [4, 5, 1, 2, 3])
  assert.deepEqual(await effects(key), upTo(5))
})

test('an interrupted run continues where it stopped, across chunks', async () => {
  const key = await newBatch(250)
  const handled: number[] = []
  // As when the process is killed: each run gets a little further.
  for (const stop of [1, 100, 101, 180])
    await assert.rejects(
      run(
        key,
        recorder((n) => {
          if (n === stop) throw new Error(`killed at ${n}`)
          handled.push(n)
        }),
      ),
      /killed/,
    )
  assert.equal((await read(key)).state, 'running')
  assert.deepEqual(await count(key), { total: 250, pending: 71, failed: 0 })
  const unreachable = recorder(() => Promise.reject(unavailable('gone', 'later')))
  await assert.rejects(run(key, unreachable), /later/)
  await run(
    key,
    recorder((n) => handled.push(n)),
  )
  assert.deepEqual(handled, upTo(250))
  assert.deepEqual(await effects(key), upTo(250))
  assert.deepEqual((await read(key)).summary, { total: 250, failed: 0 })
})

test('a failure after the row is finished undoes both', async () => {
  const key = await newBatch(1)
  await assert.rejects(
    run(key, {
      handle: (batch, _row, finish) =>
        db.tx(batch.organization_id, async (tx) => {
          await finish(tx, 'done', {})
          throw new Error('killed before the commit')
        }),
    }),
    /killed/,
  )
  assert.equal((await list(key)).results[0]!.status, 'Pending')
  assert.ok((await list(key)).results[0]!.secret)
})

test('the secret is there while the row is handled', async () => {
  const key = await newBatch(2)
  const seen: string[] = []
  await run(key, {
    handle: async (batch, row, finish) => {
      seen.push(await sealer.unseal(row.secret!, rowSecretContext(row.id)))
      await db.tx(batch.organization_id, (tx) => finish(tx, '', {}))
    },
  })
  assert.deepEqual(seen, ['secret 1', 'secret 2'])
})

test('two runs at once finish each row once, and the batch once', async () => {
  const key = await newBatch(230)
  let finished = 0
  const handler = { ...recorder(), finished: async () => void finished++ }
  await Promise.all([run(key, handler), run(key, handler)])
  assert.deepEqual(await effects(key), upTo(230))
  assert.equal(finished, 1)
  assert.deepEqual((await read(key)).summary, { total: 230, failed: 0 })
})

test('a batch is not finished while another run still holds a row', async () => {
  const key = await newBatch(1)
  let other: Promise<void> | undefined
  await run(key, {
    handle: (batch, _row, finish) =>
      db.tx(batch.organization_id, async (tx) => {
        await finish(tx, 'the first', {})
        other = run(key, recorder())
        await untilBlocked(db, tx)
      }),
  })
  await other
  assert.deepEqual(await effects(key), [])
  assert.equal((await list(key)).results[0]!.status_msg, 'the first')
})

test('a handler that does not finish its row is a fault, not an endless loop', async () => {
  const key = await newBatch(1)
  await assert.rejects(run(key, { handle: async () => {} }), /left unfinished/)
})

test('a cancelled batch stops at once, and its secrets are deleted', async () => {
  const key = await newBatch(10)
  await run(key, {
    ...recorder(async (n) => {
      if (n === 4) assert.equal(await inTx(key, cancelBatch), true)
      assert.ok(n <= 4, 'no row after the cancellation')
    }),
    finished: async () => assert.fail('not finished'),
  })
  assert.deepEqual(await effects(key), [1, 2, 3], 'the effect of the fourth is undone')
  const batch = await read(key)
  assert.equal(batch.state, 'cancelled')
  assert.ok(batch.finished_at)
  assert.ok((await list(key)).results.every(({ secret }) => secret === null))
  assert.equal((await list(key, { status: 'Pending' })).totalCount, 7)
  await run(key, recorder(unexpected))
  assert.equal(await inTx(key, cancelBatch), false)
  assert.equal(await inTx(key, retryBatch), false)
})

/** Handles rows in one transaction; `during` runs before they are finished, `after` before the commit. */
const together = (
  during: (numbers: number[]) => unknown = () => {},
  after: (numbers: number[]) => unknown = () => {},
): NonNullable<BatchHandler['together']> => ({
  fits: (row) => numberOf(row) % 10 !== 0,
  handle: (batch, rows, finish) =>
    db.tx(batch.organization_id, async (tx) => {
      for (const row of rows) {
        const effect = { organization_id: batch.organization_id, id: newId() }
        const input = { n: numberOf(row) }
        await insertBatch(tx, { ...effect, kind: `of ${batch.id}`, input, started_by: {} })
      }
      await during(rows.map(numberOf))
      await finish(
        tx,
        rows.map((row) => ({ message: 'done', result: { n: numberOf(row) } })),
      )
      await after(rows.map(numberOf))
    }),
})

const outcomes = async (key: Key) =>
  (await list(key, {}, { limit: 1000 })).results.map((row) => [
    row.position,
    row.status,
    row.status_msg,
    row.success,
    row.result,
    row.secret,
  ])

test('rows that fit are handled together, with the same results as one by one', async () => {
  const [one, all] = [await newBatch(575), await newBatch(575)]
  const bad = (n: number) => {
    if (n === 342) throw conflict('taken', 'n: taken')
  }
  await run(one, recorder(bad))
  const chunks: number[] = []
  const alone: number[] = []
  await run(all, {
    ...recorder((n) => {
      alone.push(n)
      bad(n)
    }),
    together: together((numbers) => {
      numbers.forEach(bad)
      chunks.push(numbers.length)
    }),
  })
  assert.deepEqual(
    new Set(chunks),
    new Set([250, 18]),
    'the rows that fit, of the chunks without a failure',
  )
  assert.deepEqual(
    alone,
    upTo(575).filter((n) => n % 10 === 0 || (n > 277 && n <= 555)),
  )
  assert.deepEqual(await effects(all), await effects(one))
  assert.deepEqual(await outcomes(all), await outcomes(one))
  assert.deepEqual((await read(all)).summary, { total: 575, failed: 1 })
})

test('a crash while rows are handled together leaves nothing of them', async () => {
  const key = await newBatch(150)
  for (const step of [0, 1]) {
    const crash = () => {
      throw new Error('killed')
    }
    const steps = [() => {}, () => {}]
    steps[step] = crash
    await assert.rejects(run(key, { ...recorder(crash), together: together(...steps) }), /killed/)
    assert.deepEqual(await effects(key), [])
    assert.equal((await count(key)).pending, 150)
  }
  await run(key, { ...recorder(), together: together() })
  assert.deepEqual(await effects(key), upTo(150))
})

test('a cancellation while rows are handled together undoes all of them', async () => {
  const key = await newBatch(1150)
  await run(key, {
    ...recorder(),
    together: together(async (numbers) => {
      if (numbers[0]! > 833) await inTx(key, cancelBatch)
    }),
  })
  const done = await effects(key)
  assert.ok(done.at(-1)! <= 833, 'none of those that were being handled')
  assert.equal(done.length % 250, 0, 'the others wholly or not at all')
  assert.equal((await list(key, { status: 'Pending' })).totalCount, 1150 - done.length)
})

test('two runs at once that handle rows together finish each row once', async () => {
  const key = await newBatch(575)
  const handler = { ...recorder(), together: together() }
  await Promise.all([run(key, handler), run(key, handler)])
  assert.deepEqual(await effects(key), upTo(575))
  assert.deepEqual((await read(key)).summary, { total: 575, failed: 0 })
})

test('failed rows are tried again, and only they', async () => {
  const key = await newBatch(6)
  const fail = recorder((n) => {
    if (n % 2 === 0) throw conflict('taken', 'taken')
  })
  assert.equal(await inTx(key, retryBatch), false, 'not before it is finished')
  await run(key, fail)
  assert.equal((await list(key, { success: false })).totalCount, 3)
  assert.equal(await inTx(key, retryBatch), true)
  const again = await read(key)
  assert.deepEqual([again.state, again.summary, again.finished_at], ['queued', null, null])
  assert.deepEqual(await count(key), { total: 6, pending: 3, failed: 0 })
  await run(
    key,
    recorder((n) => assert.equal(n % 2, 0)),
  )
  assert.deepEqual(await effects(key), upTo(6))
  assert.deepEqual((await read(key)).summary, { total: 6, failed: 0 })
  assert.equal(await inTx(key, retryBatch), false, 'nothing has failed')
})

test('a batch that failed as a whole continues after a retry', async () => {
  const key = await newBatch(3)
  assert.equal(await inTx(key, (tx) => failBatch(tx, key, 'the source is gone')), true)
  const failed = await read(key)
  assert.deepEqual([failed.state, failed.error], ['failed', 'the source is gone'])
  await run(key, recorder(unexpected))
  assert.equal(await inTx(key, retryBatch), true)
  await run(key, recorder())
  const { state, error } = await read(key)
  assert.deepEqual([state, error], ['finished', null])
})

test('a batch that waits for confirmation does not run', async () => {
  const key = await newBatch(3)
  await run(
    key,
    recorder(async (n) => {
      if (n === 2) assert.equal(await inTx(key, holdBatch), true)
    }),
  )
  assert.equal((await read(key)).state, 'waiting')
  assert.deepEqual(await effects(key), [1])
  await run(key, recorder(unexpected))
  assert.equal(await inTx(key, confirmBatch), true)
  assert.equal(await inTx(key, confirmBatch), false)
  await run(key, recorder())
  assert.deepEqual(await effects(key), [1, 2, 3])
})

test('rows are appended while the batch runs, by several at once, and not after its end', async () => {
  const key = await newBatch(2)
  const append = (from: number, to: number) =>
    inTx(key, (tx) => appendRows(tx, key, rowsOf(from, to)))
  await run(
    key,
    recorder(async (n) => {
      if (n === 2) assert.deepEqual(await Promise.all([append(3, 50), append(51, 120)]), [48, 70])
    }),
  )
  assert.deepEqual(await effects(key), upTo(120))
  const batch = await read(key)
  assert.deepEqual([batch.state, batch.total], ['finished', 120])
  assert.equal(await append(121, 121), 0)
  assert.equal((await count(key)).total, 120)
})

test('rows appended while the last one is finished are not left behind', async () => {
  const key = await newBatch(1)
  let appended: Promise<void> | undefined
  const open = Promise.withResolvers<void>()
  await run(
    key,
    recorder(async (n) => {
      if (n !== 1) return
      appended = inTx(key, async (tx) => {
        await appendRows(tx, key, rowsOf(2, 2))
        open.resolve()
        // The run now wants to finish the batch.
        await untilBlocked(db, tx)
      })
      await open.promise
    }),
  )
  await appended
  assert.deepEqual(await effects(key), [1, 2])
})

test('batches are listed newest first, rows in their order, both in pages', async () => {
  const { organizationId } = await newOrganization()
  const tenant = db.tenant(organizationId)
  const keys: Key[] = []
  for (const source of ['a', 'b', 'a']) keys.push(await newBatch(12, { source }, organizationId))
  for (const [age, { id }] of keys.reverse().entries())
    await db.tx(organizationId, (tx) =>
      tx.run(sql`
        update batches set created = now() - make_interval(hours => ${age})
         where organization_id = ${organizationId} and id = ${id}`),
    )
  const page = async (input: object, paging: object) => {
    const { totalCount, results } = await listBatches(
      tenant,
      organizationId,
      { kind: KIND, input },
      paging,
    )
    return [totalCount, ...results.map(({ id }) => keys.findIndex((key) => key.id === id))]
  }
  assert.deepEqual(await page({}, {}), [3, 0, 1, 2])
  assert.deepEqual(await page({}, { limit: 1, skip: 1 }), [3, 1])
  assert.deepEqual(await page({ source: 'a' }, {}), [2, 0, 2])
  assert.deepEqual(await page({}, { skip: 5 }), [3])
  const rows = await list(keys[0]!, {}, { limit: 5, skip: 10 } as typeof everything)
  assert.deepEqual([rows.totalCount, ...rows.results.map(numberOf)], [12, 11, 12])

  const before = new Date(Date.now() - 90 * 60_000)
  await db.tx(organizationId, async (tx) => {
    assert.equal(await purgeBatches(tx, organizationId, 'another.kind', before), 0)
    assert.equal(await purgeBatches(tx, organizationId, KIND, before), 1)
  })
  assert.deepEqual(await page({}, {}), [2, 0, 1])
  assert.equal((await list(keys[2]!)).totalCount, 0, 'with its rows')
})

test('another organization sees and changes nothing', async () => {
  const key = await newBatch(2)
  const { organizationId } = await newOrganization()
  const other = db.tenant(organizationId)
  // Once with its own id, once with the other one, which row-level security hides.
  for (const organization_id of [organizationId, key.organization_id]) {
    const wrong = { ...key, organization_id }
    assert.equal(await findBatch(other, organization_id, key.id), undefined)
    assert.equal((await listBatches(other, organization_id, { kind: KIND }, {})).totalCount, 0)
    assert.equal((await listRows(other, wrong, {}, {})).totalCount, 0)
    assert.deepEqual(await pendingRows(other, wrong, { after: 0 }, 10), [])
    await db.tx(organizationId, async (tx) => {
      assert.equal(await cancelBatch(tx, wrong), false)
      assert.equal(await appendRows(tx, wrong, rowsOf(3, 3)), 0)
    })
  }
  await runBatch(db, organizationId, key.id, recorder(unexpected))
  assert.deepEqual(await count(key), { total: 2, pending: 2, failed: 0 })
})
