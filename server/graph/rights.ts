import type { Caller } from '../platform/caller.ts'
import { checkScope } from '../platform/rights.ts'
import { ADDRESSES } from './addresses.ts'
import type { NodeType } from './pairs.ts'

/** Speak for the whole bond of an application, not for one end of it: so the specification has them. */
const BONDS = ['associations.applications', 'associations']

/** Who may write at the end of an edge that is of this type: one of these is enough. */
export const WRITE_SCOPES: Record<NodeType, readonly string[]> = {
  ...(Object.fromEntries(ADDRESSES.map(({ type, write }) => [type, write])) as Record<
    NodeType,
    readonly string[]
  >),
  application: ['applications', ...BONDS],
  // These have no address of their own.
  idp_routing_policy: ['authn'],
  password_manager_item: ['applications'],
}

/** Both ends count, from whichever an edge is written: to bind is to give something away and to let somebody in. */
export function checkBothEnds(caller: Caller, near: NodeType, far: NodeType): void {
  // A system that signs changes what it is bound to itself, and holds no scope of anything else.
  if (caller.systemId !== undefined) return
  const bonds = near === 'application' || far === 'application' ? BONDS : []
  for (const end of [near, far])
    checkScope(
      caller,
      [...new Set([...WRITE_SCOPES[end], ...bonds])],
      `an association of ${near} and ${far}`,
    )
}
