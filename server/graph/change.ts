import { type Change, changesBetween, recordEvent } from '../insights/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { conflict, notFound } from '../platform/errors.ts'
import type { Attributes, EdgeContext, GraphActor, NodeNames } from './context.ts'
import { endEdge, givesSudo, holdNodes, insertEdge, lockEdge, replaceEdge } from './edge-store.ts'
import { memberTypeOf, type NodeRef, type NodeType, ordered } from './pairs.ts'
import type { GraphOperation } from './schema.ts'
import { checkMayGiveSudo, checkSudoGrant, mayGiveSudo, readSudo, sudoEnabled } from './sudo.ts'

export const nodeNotFound = (type: NodeType) => notFound('node_not_found', `${type} not found`)
const edgeNotFound = () => notFound('edge_not_found', 'Not Found')

interface EdgeOperation {
  source: NodeRef
  target: NodeRef
  op: GraphOperation['op']
  attributes?: Attributes | undefined
  /** Made by a person, or by the membership rule of a group. */
  actionSource?: 'manual' | 'automatic'
}

const SYSTEMS: readonly NodeType[] = ['system', 'system_group']

/** The additional event of a change that grants or revokes administrator rights on systems. */
function sudoEvent({ source, target }: EdgeOperation, before: Attributes, after: Attributes) {
  const granted = sudoEnabled(after)
  if (granted === sudoEnabled(before)) return null
  const [holder, other] = SYSTEMS.includes(source.type) ? [target, source] : [source, target]
  if (!SYSTEMS.includes(other.type)) return null
  if (holder.type === 'user')
    return { event_type: granted ? 'user_admin_granted' : 'user_admin_revoked', holder }
  if (holder.type === 'user_group')
    return { event_type: granted ? 'user_group_admin_grant' : 'user_group_admin_revoke', holder }
  return null
}

/** The `association` object of the event, with the names of both ends. */
async function describe(tx: Tx, actor: GraphActor, names: NodeNames, change: EdgeOperation) {
  const { source, target, op, actionSource = 'manual' } = change
  const known = await names(tx, actor.organizationId, [source, target])
  const end = ({ type, id }: NodeRef) => ({ type, object_id: id, name: known.get(id) ?? '' })
  const named = ({ type, id }: NodeRef) => {
    const name = known.get(id)
    return { type, id, ...(name !== undefined && { name }) }
  }
  return {
    resource: named(source),
    named,
    association: {
      type: target.type,
      id: target.id,
      op,
      action_source: actionSource,
      connection: { from: end(source), to: end(target) },
    },
  }
}

/** Members inherit the sudo rights of a group, and a sign-in those of the user: opening either takes the right to grant sudo. */
export async function checkMayOpen(tx: Tx, actor: GraphActor, holder: NodeRef): Promise<void> {
  if (!mayGiveSudo(actor) && (await givesSudo(tx, actor.organizationId, holder)))
    checkMayGiveSudo(actor)
}

/**
 * Adds, ends or changes one edge, with its events and hooks, in the caller's transaction. The caller has checked that the
 * two types may be connected. Adding an existing edge is a conflict; changing or removing a missing one is 404.
 */
export async function changeEdge(
  { names, edgeChanged }: EdgeContext,
  tx: Tx,
  actor: GraphActor,
  change: EdgeOperation,
): Promise<void> {
  const { source, target, op, actionSource = 'manual' } = change
  const { organizationId } = actor
  const attributes = readSudo(change.attributes ?? null)
  const held = await holdNodes(tx, organizationId, [source, target])
  for (const { type, id } of [source, target])
    if (!held.some((node) => node.type === type && node.id === id)) throw nodeNotFound(type)
  const edge = await lockEdge(tx, organizationId, source, target)
  if (op === 'add' ? edge : !edge)
    throw op === 'add' ? conflict('edge_exists', 'Already Exists') : edgeNotFound()
  const before = edge?.attributes ?? null
  const after = op === 'remove' ? null : attributes
  const changes: Change[] = changesBetween({ attributes: before }, { attributes: after })
  if (op === 'update' && changes.length === 0) return
  // Rules are not checked here: the author of a rule was, when saving it.
  if (actionSource === 'manual') {
    checkSudoGrant(actor, before, after)
    if (op === 'add' && memberTypeOf(source.type) === target.type)
      await checkMayOpen(tx, actor, source)
  }

  const { resource, named, association } = await describe(tx, actor, names, change)
  const eventId = await recordEvent(tx, actor, {
    event_type: 'association_change',
    resource,
    association: { ...association, ...(after && { attributes: after }) },
    ...(changes.length > 0 && { changes }),
  })
  if (op === 'add') {
    // lockEdge() cannot lock a missing row, so another transaction may have inserted it since.
    if (!(await insertEdge(tx, organizationId, source, target, attributes, eventId)))
      throw conflict('edge_exists', 'Already Exists')
  } else if (op === 'remove') await endEdge(tx, organizationId, source, target, eventId)
  else await replaceEdge(tx, organizationId, source, target, attributes, eventId)

  const sudo = sudoEvent(change, before, after)
  if (sudo)
    await recordEvent(tx, actor, {
      event_type: sudo.event_type,
      resource: named(sudo.holder),
      association,
    })
  const { from, to } = ordered(source, target)
  await edgeChanged.fire(tx, actor, {
    op,
    source: from,
    target: to,
    isMembership: memberTypeOf(from.type) === to.type,
    before,
    after,
    eventId,
  })
}
