import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import type { Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { readListV2 } from '../platform/list/query.ts'
import { sql } from '../platform/sql.ts'
import { chainsTo } from './actions.ts'
import { endEdge, insertEdge } from './edge-store.ts'
import { addNode, deleteNode, type NodeRef, type NodeType, restoreNode } from './index.ts'
import { pageOf, ReachedMemory } from './reached-memory.ts'
import { reachedResource, traverse } from './traverse-store.ts'

const app = await startApp()
const EVENT = '0190a000-0000-7000-8000-000000000000'
const chains = chainsTo('application', ['user'])

async function world() {
  const { organizationId } = await app.newOrganization()
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => app.db.tx(organizationId, work)
  const nodes = (type: NodeType, count: number): NodeRef[] =>
    Array.from({ length: count }, () => ({ type, id: newId() }))
  const users = nodes('user', 6)
  const groups = nodes('user_group', 3)
  const [application] = nodes('application', 1) as [NodeRef]
  await inTx(async (tx) => {
    for (const { type, id } of [...users, ...groups, application])
      await addNode(tx, organizationId, type, id)
  })
  return {
    inTx,
    users: users as [NodeRef, NodeRef, NodeRef, NodeRef, NodeRef, NodeRef],
    groups: groups as [NodeRef, NodeRef, NodeRef],
    application,
    add: (tx: Tx, from: NodeRef, to: NodeRef) =>
      insertEdge(tx, organizationId, from, to, null, EVENT),
    remove: (tx: Tx, from: NodeRef, to: NodeRef) => endEdge(tx, organizationId, from, to, EVENT),
    destroy: (tx: Tx, { type, id }: NodeRef) => deleteNode(tx, organizationId, type, id, EVENT),
    restore: (tx: Tx, { type, id }: NodeRef) => restoreNode(tx, organizationId, type, id, EVENT),
    addUp: (tx: Tx, { type, id }: NodeRef) =>
      tx.run(sql`select add_up_members(${organizationId}, ${type}, ${id})`),
    ask: async (memory: ReachedMemory, skip = 0, limit = 100) => {
      const list = readListV2(reachedResource, { skip, limit })
      const question = { start: application, chains, list, order: 'ascending' as const }
      const { total, results } = await inTx((tx) => traverse(tx, organizationId, question, memory))
      const ways = results.map(({ id, paths }) => [id, paths.length])
      return { total, ways }
    },
  }
}

test('whoever asks again hears of every change', async () => {
  const { inTx, users, groups, application, ask, ...change } = await world()
  const [ada, ben, cleo, dan, eve, fay] = users
  const [staff, guests, empty] = groups
  const { add, remove, destroy, restore, addUp } = change
  const memory = new ReachedMemory(0)
  const steps: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => add(tx, staff, application),
    (tx) => add(tx, staff, ada),
    (tx) => add(tx, staff, ben),
    // Bound by nobody yet.
    (tx) => add(tx, guests, cleo),
    (tx) => add(tx, guests, ben),
    (tx) => add(tx, guests, application),
    (tx) => add(tx, empty, application),
    (tx) => add(tx, dan, application),
    (tx) => add(tx, ada, application),
    // One goes, another one comes: as many as before.
    async (tx) => {
      await remove(tx, staff, ada)
      await add(tx, staff, eve)
    },
    (tx) => addUp(tx, staff),
    async (tx) => {
      await remove(tx, staff, eve)
      await add(tx, staff, fay)
      await addUp(tx, staff)
    },
    (tx) => remove(tx, ada, application),
    (tx) => remove(tx, empty, application),
    (tx) => destroy(tx, cleo),
    (tx) => restore(tx, cleo),
    (tx) => destroy(tx, guests),
    (tx) => restore(tx, guests),
    (tx) => remove(tx, staff, application),
  ]
  for (const step of steps) {
    await inTx(step)
    const wanted = await ask(new ReachedMemory(0))
    for (let time = 0; time < 4; time++) assert.deepEqual(await ask(memory), wanted)
    assert.deepEqual((await ask(memory, 1, 1)).ways, wanted.ways.slice(1, 2))
  }
})

test('a change leaves a trace even if it is added up while others hold the rest', async () => {
  const { inTx, users, groups, application, ask, add, remove, addUp } = await world()
  const [ada, ben] = users
  const [staff] = groups
  const memory = new ReachedMemory(0)
  await inTx(async (tx) => {
    await add(tx, staff, application)
    await add(tx, staff, ada)
  })
  for (let time = 0; time < 3; time++) assert.equal((await ask(memory)).ways[0]![0], ada.id)
  await inTx(async (outer) => {
    await addUp(outer, staff)
    await inTx(async (inner) => {
      await inner.run(sql`set local lock_timeout = '2s'`)
      await remove(inner, staff, ada)
      await add(inner, staff, ben)
      await addUp(inner, staff)
    })
    throw new Error('nothing has happened')
  }).catch((error: Error) => assert.match(error.message, /nothing/))
  assert.deepEqual(await ask(memory), { total: 1, ways: [[ben.id, 1]] })
})

test('what is found quickly anyway is not kept', () => {
  const memory = new ReachedMemory(10)
  memory.keep('a', { version: 'v', total: 10 })
  assert.equal(memory.find('a')?.total, 10)
  memory.keep('a', { version: 'w', total: 9 })
  assert.equal(memory.find('a'), undefined)
})

test('a page of what is remembered is that of the list', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(24))
  const all = Buffer.from(ids.join(''), 'hex')
  const pages = [
    { skip: 0, limit: 2 },
    { skip: 3, limit: 100 },
    { skip: Number.MAX_SAFE_INTEGER, limit: 100 },
  ]
  for (const { skip, limit } of pages) {
    assert.deepEqual(pageOf(all, { skip, limit }, 'ascending'), ids.slice(skip, skip + limit))
    const backwards = ids.toReversed().slice(skip, skip + limit)
    assert.deepEqual(pageOf(all, { skip, limit }, 'descending'), backwards)
  }
})
