import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeds } from '../../test/effort.ts'
import { startApp } from '../../test/harness.ts'
import { systemCaller } from '../platform/caller.ts'
import { newId } from '../platform/ids.ts'
import { DEFAULT_LIMITS } from '../platform/limits.ts'
import { readListV2 } from '../platform/list/query.ts'
import { chainsTo } from './actions.ts'
import { ADDRESSES, SUB_PATHS } from './addresses.ts'
import { addNode, changeEdge, type NodeRef, type NodeType } from './index.ts'
import { canAssociate, memberTypeOf, NODE_TYPES } from './pairs.ts'
import { reachableResource, traverse } from './traverse-store.ts'

const app = await startApp()

/** A seeded generator: a failure names its seed and can be reproduced. */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const connects = (a: NodeType, b: NodeType) =>
  canAssociate(a, b) || memberTypeOf(a) === b || memberTypeOf(b) === a
const isMembership = (a: NodeType, b: NodeType) => memberTypeOf(a) === b || memberTypeOf(b) === a

interface Edge {
  a: NodeRef
  b: NodeRef
}

/**
 * The expected result, computed without chains: paths over undirected edges that cross exactly one association, with
 * only steps up into a group before it and only steps down into members after it.
 */
function reference(
  edges: Edge[],
  start: NodeRef,
  ends: readonly NodeType[],
): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const neighbours = ({ type, id }: NodeRef) =>
    edges.flatMap(({ a, b }) =>
      a.type === type && a.id === id ? [b] : b.type === type && b.id === id ? [a] : [],
    )
  function walk(at: NodeRef, way: string[], stage: 'up' | 'across' | 'down') {
    if (stage !== 'up' && ends.includes(at.type) && way.length > 0)
      found.set(at.id, [...(found.get(at.id) ?? []), way.join('>')])
    for (const next of neighbours(at)) {
      const on = [...way, next.id]
      if (!isMembership(at.type, next.type)) {
        if (stage === 'up') walk(next, on, 'across')
      } else if (stage === 'up' && memberTypeOf(next.type) === at.type && way.length === 0)
        walk(next, on, 'up')
      else if (stage === 'across' && memberTypeOf(at.type) === next.type) walk(next, on, 'down')
    }
  }
  walk(start, [], 'up')
  return found
}

for (const seed of seeds(4)) {
  test(`traversals of a random graph match a plain walk (seed ${seed})`, async () => {
    const org = await app.newOrganization()
    const { organizationId } = org
    const random = randomOf(seed)
    const nodes: NodeRef[] = NODE_TYPES.flatMap((type) =>
      Array.from({ length: 3 }, () => ({ type, id: newId() })),
    )
    const edges: Edge[] = []
    const actor = systemCaller(organizationId, 'test')
    await app.db.tx(organizationId, async (tx) => {
      for (const { type, id } of nodes) await addNode(tx, organizationId, type, id)
      for (const [at, a] of nodes.entries()) {
        for (const b of nodes.slice(at + 1)) {
          if (!connects(a.type, b.type) || random(100) >= 35) continue
          const [source, target] = random(2) === 0 ? [a, b] : [b, a]
          await changeEdge(app.contexts.graph, tx, actor, { source, target, op: 'add' })
          // Some are removed again.
          if (random(10) === 0)
            await changeEdge(app.contexts.graph, tx, actor, {
              source: target,
              target: source,
              op: 'remove',
            })
          else edges.push({ a, b })
        }
      }
    })
    let ways = 0
    for (const { type, traversals } of ADDRESSES) {
      for (const sub of traversals) {
        const ends = SUB_PATHS[sub].types
        for (const start of nodes.filter((node) => node.type === type)) {
          const list = readListV2(reachableResource, { limit: 100 }, DEFAULT_LIMITS.list)
          const chains = chainsTo(type, ends)
          const wanted = reference(edges, start, ends)
          const what = `${sub} of a ${type}`
          for (const plain of [false, true]) {
            const { known, total, results } = await app.db.tx(organizationId, (tx) =>
              traverse(tx, organizationId, { start, chains, list, plain }),
            )
            assert.equal(known, true)
            assert.equal(total, wanted.size, what)
            assert.deepEqual(
              results.map(({ id }) => id),
              [...wanted.keys()].sort(),
              what,
            )
            for (const { id, paths } of results) {
              const told = paths.map((path) => path.map(({ to }) => to.id).join('>'))
              assert.deepEqual(told.sort(), wanted.get(id)?.sort(), what)
              ways += told.length
            }
          }
        }
      }
    }
    assert.ok(ways > 100)
  })
}
