import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../../test/cluster.ts'
import { startApp } from '../../test/harness.ts'
import type { Tx } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { DEFAULT_LIMITS } from '../platform/limits.ts'
import { readListV2 } from '../platform/list/query.ts'
import { chainsTo } from './actions.ts'
import { endEdge, insertEdge, replaceEdge } from './edge-store.ts'
import { addUpMemberCounts, deleteEndedEdges, deleteForgottenNodes } from './history-store.ts'
import { addNode, deleteNode, type NodeRef, type NodeType, restoreNode } from './index.ts'
import { addUpMembers } from './jobs.ts'
import { reachableResource, traverse } from './traverse-store.ts'

const app = await startApp({ alone: true })
const EVENT = '0190a000-0000-7000-8000-000000000000'

const told = (tx: Tx) =>
  tx.many<object>(sql`
    select type, id, sum(change)::bigint as count from member_counts
     group by type, id having sum(change) <> 0 order by type, id`)

/** The same, counted. */
const counted = (tx: Tx) =>
  tx.many<object>(sql`
    select from_type as type, from_id as id, count(*) from edges
     where valid_until is null and from_type || '>' || to_type in ('user_group>user', 'system_group>system')
     group by from_type, from_id
    order by type, id`)

async function world(types: NodeType[]) {
  const { organizationId } = await app.newOrganization()
  const nodes = types.map((type): NodeRef => ({ type, id: newId() }))
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => app.db.tx(organizationId, work)
  await inTx(async (tx) => {
    for (const { type, id } of nodes) await addNode(tx, organizationId, type, id)
  })
  const add = (tx: Tx, group: NodeRef, member: NodeRef) =>
    insertEdge(tx, organizationId, group, member, null, EVENT)
  const check = () => inTx(async (tx) => assert.deepEqual(await told(tx), await counted(tx)))
  return { organizationId, nodes, inTx, add, check }
}

test('counts follow every change of memberships, by hand and with the nodes', async () => {
  const types: NodeType[] = ['user', 'user', 'user_group', 'user_group', 'system', 'system_group']
  const { organizationId, nodes, inTx, add, check } = await world([...types, 'application'])
  const [ada, ben, staff, all, laptop, laptops, application] = nodes as [NodeRef, ...NodeRef[]]
  await check()
  const steps: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => add(tx, staff!, ada),
    (tx) => add(tx, staff!, ada),
    (tx) => add(tx, all!, ada),
    (tx) => add(tx, all!, ben!),
    (tx) => add(tx, laptops!, laptop!),
    (tx) => add(tx, staff!, application!),
    (tx) => replaceEdge(tx, organizationId, all!, ada, { a: 1 }, EVENT),
    (tx) => endEdge(tx, organizationId, all!, ben!, EVENT),
    (tx) => deleteNode(tx, organizationId, 'user', ada.id, EVENT),
    (tx) => deleteNode(tx, organizationId, 'user', ada.id, EVENT),
    (tx) => restoreNode(tx, organizationId, 'user', ada.id, EVENT),
    (tx) => restoreNode(tx, organizationId, 'user', ada.id, EVENT),
    (tx) => deleteNode(tx, organizationId, 'user_group', all!.id, EVENT),
    (tx) => deleteNode(tx, organizationId, 'system', laptop!.id, EVENT),
    (tx) => deleteEndedEdges(tx, organizationId, new Date(Date.now() + 1000), 100),
    (tx) => deleteForgottenNodes(tx, organizationId, new Date(Date.now() + 1000), 100),
  ]
  for (const step of steps) {
    await inTx(step)
    await check()
  }
  assert.deepEqual(await inTx(told), [{ type: 'user_group', id: staff!.id, count: 1 }])
})

test('a rolled-back change is not counted', async () => {
  const { inTx, add, nodes, check } = await world(['user_group', 'user'])
  const failed = inTx(async (tx) => {
    await add(tx, nodes[0]!, nodes[1]!)
    throw new Error('no')
  })
  await assert.rejects(failed, /no/)
  await check()
})

test('members can be added to a group while its counts are compacted, without waiting', async () => {
  const { organizationId, inTx, add, nodes, check } = await world([
    'user_group',
    ...Array.from({ length: 4 }, (): NodeType => 'user'),
  ])
  const [group, ada, ben, cleo, dora] = nodes as [NodeRef, ...NodeRef[]]
  await inTx((tx) => add(tx, group, cleo!))
  await inTx((tx) => add(tx, group, dora!))
  // The outer transaction has deleted the rows of cleo and dora when the inner one inserts a row.
  await inTx(async (outer) => {
    await add(outer, group, ada!)
    await addUpMemberCounts(outer, organizationId)
    await inTx(async (inner) => {
      await inner.run(sql`set local lock_timeout = '60s'`)
      await add(inner, group, ben!)
    })
  })
  await check()
  await Promise.all([addUpMembers(app.db), addUpMembers(app.db)])
  await check()
  const rows = await inTx((tx) =>
    tx.many(sql`select change from member_counts where id = ${group.id}`),
  )
  assert.deepEqual(rows, [{ change: 4 }])
})

test('counts stay right under concurrent changes', async () => {
  const many = Array.from({ length: 300 }, (): NodeType => 'user')
  const { inTx, add, nodes, check } = await world(['user_group', ...many])
  const [group, ...users] = nodes as [NodeRef, ...NodeRef[]]
  await Promise.all(users.map((user) => inTx((tx) => add(tx, group, user))))
  await check()
})

test('a recount corrects wrong counts', async () => {
  const { organizationId, inTx, add, nodes, check } = await world(['user_group', 'user'])
  await inTx((tx) => add(tx, nodes[0]!, nodes[1]!))
  await inTx((tx) =>
    tx.run(
      sql`insert into member_counts (organization_id, type, id, change)
      values (${organizationId}, 'user_group', ${newId()}, 7), (${organizationId}, 'user_group', ${nodes[0]!.id}, 1)`,
    ),
  )
  await assert.rejects(check())
  await inTx((tx) => tx.run(sql`call recount_members()`))
  await check()
})

/** Groups by the numbers of their members among 5,000 users, and users that are bound directly. */
const LARGE_WORLDS: [string, [number, number][], [number, number]][] = [
  [
    'everybody, and groups within',
    [
      [1, 5000],
      [10, 30],
      [25, 60],
    ],
    [1, 3],
  ],
  [
    'all but some, and a few of them elsewhere',
    [
      [1, 4900],
      [4895, 4910],
      [4905, 4920],
    ],
    [4990, 4995],
  ],
  [
    'all but some, and many elsewhere',
    [
      [500, 4999],
      [1, 600],
      [400, 450],
    ],
    [0, 5],
  ],
  [
    'two large ones',
    [
      [1, 4500],
      [400, 4990],
      [4995, 5000],
    ],
    [4992, 4993],
  ],
  [
    'none is large',
    [
      [1, 300],
      [200, 500],
      [4000, 4100],
    ],
    [4999, 5000],
  ],
  ['a large one alone', [[100, 4700]], [0, -1]],
  [
    'hundreds, some of them empty',
    Array.from({ length: 510 }, (_, n) => [n * 8 + 1, n % 9 === 0 ? n * 8 : n * 8 + 12]),
    [4500, 4600],
  ],
]
for (const [name, groups, direct] of LARGE_WORLDS) {
  test(`a traversal through large groups finds every user once: ${name}`, async () => {
    const { organizationId } = await app.newOrganization()
    const application = newId()
    const idOf = (n: number) => n.toString(16).padStart(24, '0')
    await app.db.tx(organizationId, async (tx) => {
      await addNode(tx, organizationId, 'application', application)
      const id = `lpad(to_hex(n), 24, '0')`
      await tx.execute(
        `insert into nodes (organization_id, type, id) select $1, 'user', ${id} from generate_series(0, 5000) n where n > 0`,
        [organizationId],
      )
      const bindings = [...groups, [1, 5000] as const].map(async ([first, last], at) => {
        const group = newId()
        await addNode(tx, organizationId, 'user_group', group)
        await tx.execute(
          `insert into edges (organization_id, from_type, from_id, to_type, to_id)
           select $1, 'user_group', $2, 'user', ${id} from generate_series($3::int, $4::int) n
           union all select $1, 'user_group', $2, 'application', $5 where $6`,
          // The last group is not bound to the application.
          [organizationId, group, first, last, application, at < groups.length],
        )
      })
      await Promise.all(bindings)
      await tx.execute(
        `insert into edges (organization_id, from_type, from_id, to_type, to_id)
         select $1, 'user', ${id}, 'application', $4 from generate_series($2::int, $3::int) n where n > 0`,
        [organizationId, ...direct, application],
      )
      await tx.execute('call recount_members()')
    })
    // As autovacuum would after a while.
    await asOwner(app.owner, (client) => client.query('analyze edges, nodes, member_counts'))
    const wanted = Array.from({ length: 5000 }, (_, n) => n + 1)
      .filter((n) => [...groups, direct].some(([first, last]) => n >= first && n <= last))
      .map(idOf)
    const start = { type: 'application', id: application } as const
    const chains = chainsTo('application', ['user'])
    const pages = [
      [0, 100],
      [0, 1],
      [350, 100],
      [1900, 100],
      [4880, 100],
      [Number.MAX_SAFE_INTEGER, 100],
    ] as const
    for (const [at, [skip, limit]] of [...pages, ...pages].entries()) {
      const plain = at < pages.length
      const list = readListV2(
        reachableResource,
        {
          skip,
          limit,
          sort: plain ? undefined : '-object_id',
        },
        DEFAULT_LIMITS.list,
      )
      const { total, results } = await app.db.tx(organizationId, (tx) =>
        traverse(tx, organizationId, { start, chains, list, plain }),
      )
      assert.equal(total, wanted.length)
      assert.deepEqual(
        results.map(({ id }) => id),
        (plain ? wanted : wanted.toReversed()).slice(skip, skip + limit),
      )
    }
    for (const id of [idOf(0), ...wanted.slice(0, 2), idOf(4950), wanted.at(-1)!]) {
      const list = readListV2(
        reachableResource,
        { filter: `object_id:$eq:${id}` },
        DEFAULT_LIMITS.list,
      )
      const { total, results } = await app.db.tx(organizationId, (tx) =>
        traverse(tx, organizationId, { start, chains, list, plain: false }),
      )
      const found = wanted.filter((one) => one === id)
      assert.deepEqual([total, results.map(({ id }) => id)], [found.length, found])
    }
  })
}
