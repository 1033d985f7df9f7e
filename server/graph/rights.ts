import type { Caller } from '../platform/caller.ts'
import { checkScope } from '../platform/rights.ts'
import { ADDRESSES } from './addresses.ts'
import type { NodeType } from './pairs.ts'

/** By the specification, these cover an association of an application as a whole, both ends included. */
const BONDS = ['associations.applications', 'associations']

/** Scopes to change an edge with this type at one end; any of them is enough. */
export const WRITE_SCOPES: Record<NodeType, readonly string[]> = {
  ...(Object.fromEntries(ADDRESSES.map(({ type, write }) => [type, write])) as Record<
    NodeType,
    readonly string[]
  >),
  application: ['applications', ...BONDS],
  // These have no routes of their own.
  idp_routing_policy: ['authn'],
  password_manager_item: ['applications'],
}

/** Requires rights on both ends: an association grants access to the one and admits the other. */
export function checkBothEnds(caller: Caller, near: NodeType, far: NodeType): void {
  // A system that signs its requests may change its own associations, and holds no other scopes.
  if (caller.systemId !== undefined) return
  const bonds = near === 'application' || far === 'application' ? BONDS : []
  for (const end of [near, far])
    checkScope(
      caller,
      [...new Set([...WRITE_SCOPES[end], ...bonds])],
      `an association of ${near} and ${far}`,
    )
}
