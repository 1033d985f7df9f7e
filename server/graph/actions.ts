import type { Caller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import type { Page } from '../platform/list/page.ts'
import { readListV2 } from '../platform/list/query.ts'
import { type Chain, chainsBetween } from './chains.ts'
import { changeEdge, nodeNotFound } from './change.ts'
import { compileAttributes } from './compiled-attributes.ts'
import type { GraphContext } from './context.ts'
import { holdNodes } from './edge-store.ts'
import { associableWith, type NodeRef, type NodeType } from './pairs.ts'
import { checkBothEnds } from './rights.ts'
import type { GraphConnection, GraphObjectWithPaths, GraphOperation } from './schema.ts'
import { reachableResource, type Traversal, traverse } from './traverse-store.ts'

type Query = Record<string, unknown>

/** One page of a traversal. An unknown start is 404, or an empty page where `unknownIsEmpty`. */
async function reach(
  { db, limits }: GraphContext,
  caller: Caller,
  start: NodeRef,
  chains: readonly Chain[],
  query: Query,
  unknownIsEmpty = false,
): Promise<Traversal> {
  const { organizationId } = caller
  const { limit, skip, filter, sort } = query
  const asked = { limit, skip, filter, sort }
  const list = readListV2(reachableResource, asked, limits.list)
  const plain = filter === undefined && [undefined, 'object_id', 'id'].includes(sort as string)
  const found = await db.tx(
    organizationId,
    (tx) => traverse(tx, organizationId, { start, chains, list, plain }),
    'listing',
  )
  if (!found.known && !unknownIsEmpty) throw nodeNotFound(start.type)
  return found
}

/** Direct neighbours, with the attributes of the edges to them. */
export async function listConnections(
  context: GraphContext,
  caller: Caller,
  start: NodeRef,
  types: readonly NodeType[],
  query: { limit?: number; skip?: number },
): Promise<Page<GraphConnection>> {
  const chains = types.map((type): Chain => [start.type, type])
  const { limit, skip } = query
  const { total, results } = await reach(context, caller, start, chains, { limit, skip })
  return { totalCount: total, results: results.map(({ paths }) => paths[0]![0]!) }
}

/** `targets`: one type, several separated by commas, or the parameter repeated. */
export function readTargets(start: NodeType, targets: string[]): NodeType[] {
  const allowed = associableWith(start)
  const names = new Set(targets.flatMap((text) => text.split(',')).filter((name) => name !== ''))
  const unknown = [...names].find((name) => !allowed.includes(name as NodeType))
  if (names.size === 0 || unknown !== undefined)
    throw invalid(
      'bad_targets',
      `targets: ${unknown === undefined ? 'name at least one type' : `"${unknown}" cannot be associated with ${start}`}; the types are ${allowed.join(', ')}`,
    )
  return [...names] as NodeType[]
}

interface TraverseOptions {
  unknownIsEmpty?: boolean
}

/** The nodes at the ends of the chains, each with all of its paths. */
export async function listReachable(
  context: GraphContext,
  caller: Caller,
  start: NodeRef,
  chains: readonly Chain[],
  query: Query,
  { unknownIsEmpty = false }: TraverseOptions = {},
): Promise<Page<GraphObjectWithPaths>> {
  const { total, results } = await reach(context, caller, start, chains, query, unknownIsEmpty)
  return {
    totalCount: total,
    results: results.map(({ id, type, paths }) => ({
      id,
      type,
      compiledAttributes: compileAttributes(paths),
      paths,
    })),
  }
}

/** Adds the fields of the command records, for `details=v1`. */
export async function withCommandDetails(
  { db, commandDetails }: GraphContext,
  { organizationId }: Caller,
  page: Page<GraphObjectWithPaths>,
): Promise<Page<GraphObjectWithPaths>> {
  const ids = page.results.map(({ id }) => id)
  const details = await commandDetails(db.tenant(organizationId), organizationId, ids)
  return { ...page, results: page.results.map((found) => ({ ...found, ...details.get(found.id) })) }
}

export const chainsTo = (start: NodeType, ends: readonly NodeType[]): Chain[] =>
  ends.flatMap((end) => chainsBetween(start, end))

export async function changeAssociation(
  context: GraphContext,
  caller: Caller,
  source: NodeRef,
  { op, type, id, attributes }: GraphOperation,
): Promise<void> {
  const target = { type: type as NodeType, id }
  checkBothEnds(caller, source.type, target.type)
  return context.db.tx(caller.organizationId, (tx) =>
    changeEdge(context, tx, caller, { source, target, op, attributes }),
  )
}

/** Several associations with records of one type, all of them or none. The route requires rights on both ends. */
export async function changeBindings(
  context: GraphContext,
  caller: Caller,
  source: NodeRef,
  type: NodeType,
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
): Promise<void> {
  const changes = [
    ...[...new Set(remove)].map((id) => ({ op: 'remove', id }) as const),
    ...[...new Set(add)].map((id) => ({ op: 'add', id }) as const),
  ]
  await context.db.tx(caller.organizationId, async (tx) => {
    const [known] = await holdNodes(tx, caller.organizationId, [source])
    if (!known) throw nodeNotFound(source.type)
    // In one order, so that two requests do not deadlock.
    for (const { op, id } of changes.sort((a, b) => (a.id < b.id ? -1 : 1)))
      await changeEdge(context, tx, caller, { source, target: { type, id }, op })
  })
}
