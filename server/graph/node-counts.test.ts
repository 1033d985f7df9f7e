import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { mulberry32 } from '../../test/insights/random.ts'
import type { Tx } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { addNode, deleteNode, restoreNode } from './index.ts'

const app = await startApp()
const EVENT = '0190a000-0000-7000-8000-000000000000'

/** Both numbers in one statement, so in one snapshot. */
const check = async (organizationId: string) => {
  const [row] = await app.db.tenant(organizationId).many<{ kept: number; counted: number }>(sql`
    select (select coalesce(sum(nodes), 0)::bigint from node_counts where type = 'user') as kept,
           (select count(*) from nodes where type = 'user' and deleted_at is null) as counted`)
  assert.equal(row!.kept, row!.counted)
  return row!.counted
}

test('the number of nodes is exact in every snapshot, with writers at once', async () => {
  const { organizationId } = await app.newOrganization()
  const random = mulberry32(7)
  const pick = (ids: string[]) => ids[Math.floor(random() * ids.length)]!
  const ids: string[] = []
  const step = async (tx: Tx) => {
    const kind = ids.length < 10 ? 0 : random()
    if (kind < 0.4) {
      const id = newId()
      await addNode(tx, organizationId, 'user', id)
      return id
    }
    const change = kind < 0.7 ? deleteNode : restoreNode
    await change(tx, organizationId, 'user', pick(ids), EVENT)
    return null
  }
  const writer = async () => {
    for (let i = 0; i < 60; i++) {
      const added: string[] = []
      const failing = random() < 0.2
      // One node of the others for each transaction: two in different orders could deadlock.
      const change = app.db.tx(organizationId, async (tx) => {
        const id = await step(tx)
        if (id) added.push(id)
        const another = newId()
        await addNode(tx, organizationId, 'user', another)
        added.push(another)
        if (failing) throw new Error('rolled back')
      })
      if (failing) await assert.rejects(change, /rolled back/)
      else {
        await change
        ids.push(...added)
      }
    }
  }
  let writing = true
  const reader = async () => {
    while (writing) await check(organizationId)
  }
  const reading = reader()
  await Promise.all(Array.from({ length: 6 }, writer)).finally(() => {
    writing = false
  })
  await reading
  assert.ok((await check(organizationId)) > 100)
  const rows = await app.db.tenant(organizationId).many(sql`select nr from node_counts`)
  assert.ok(rows.length <= 6, `${rows.length} rows`)
})

test('a writer does not wait for another, and finds its row again', async () => {
  const { organizationId } = await app.newOrganization()
  const add = (tx: Tx) => addNode(tx, organizationId, 'user', newId())
  await app.db.tx(organizationId, async (outer) => {
    await add(outer)
    await app.db.tx(organizationId, async (inner) => {
      await inner.run(sql`set local lock_timeout = '60s'`)
      await add(inner)
    })
    await add(outer)
  })
  await app.db.tx(organizationId, add)
  const rows = await app.db
    .tenant(organizationId)
    .many<{ nodes: number }>(sql`select nodes from node_counts order by nodes`)
  assert.equal(rows.length, 2)
  assert.equal(await check(organizationId), 4)
})

test('a recount corrects wrong counts', async () => {
  const { organizationId } = await app.newOrganization()
  await app.db.tx(organizationId, async (tx) => {
    await addNode(tx, organizationId, 'user', newId())
    await tx.run(sql`update node_counts set nodes = 7`)
  })
  await assert.rejects(check(organizationId))
  await app.db.tx(organizationId, (tx) => tx.run(sql`call recount_nodes()`))
  assert.equal(await check(organizationId), 1)
})
