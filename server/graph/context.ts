import type { Actor } from '../insights/index.ts'
import type { Db, Queryable } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { Limits } from '../platform/limits.ts'
import type { NodeRef, NodeType } from './pairs.ts'
import type { GraphOperation } from './schema.ts'
import type { SudoGiver } from './sudo.ts'

/** The actor of a change: the caller of a request, or the service itself. */
export type GraphActor = Actor & { organizationId: string } & SudoGiver

export type Attributes = Record<string, unknown> | null

/** Display names by id. The graph stores none; the slices above look them up. */
export type NodeNames = (
  db: Queryable,
  organizationId: string,
  nodes: NodeRef[],
) => Promise<ReadonlyMap<string, string>>

/** Fields of commands by id, for traversals with `details=v1`. */
type CommandDetails = (
  db: Queryable,
  organizationId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, object>>

/** The state of a user now (null) or at a past instant; null when unknown. */
export type AccountStatusOf = (
  organizationId: string,
  userId: string,
  instant: Date | null,
) => Promise<{ state: 'STAGED' | 'ACTIVATED' | 'SUSPENDED'; locked: boolean } | null>

/** An edge was added, ended, or its attributes changed. */
interface EdgeChange {
  op: GraphOperation['op']
  /** In the stored direction, not that of the request: from a user or system to the resource, from a group to its member. */
  source: NodeRef
  target: NodeRef
  isMembership: boolean
  /** Its attributes. */
  before: Attributes
  after: Attributes
  /** The `association_change` event. */
  eventId: string
}

/** Dependencies of `changeEdge`. */
export interface EdgeContext {
  names: NodeNames
  /**
   * For single edges only. When a node is deleted or restored with its edges, the slice that owns it fires its own
   * `changed` hook: users, systems, groups and applications. (Commands have none, as nothing listens.)
   */
  edgeChanged: Hook<GraphActor, EdgeChange>
}

export interface GraphContext extends EdgeContext {
  db: Db
  limits: Limits
  accountStatus: AccountStatusOf
  /** Whether an application is inactive now, so that no path to it grants access. */
  isInactive: (db: Queryable, organizationId: string, applicationId: string) => Promise<boolean>
  commandDetails: CommandDetails
}

type NamesOfType = (
  db: Queryable,
  organizationId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, string>>

/** Asks the owning slice of each type; types without one have no names. */
export const namesBy =
  (sources: Partial<Record<NodeType, NamesOfType>>): NodeNames =>
  async (db, organizationId, nodes) => {
    const found = new Map<string, string>()
    for (const type of new Set(nodes.map((node) => node.type))) {
      const ids = nodes.filter((node) => node.type === type).map(({ id }) => id)
      const named = (await sources[type]?.(db, organizationId, [...new Set(ids)])) ?? []
      for (const [id, name] of named) found.set(id, name)
    }
    return found
  }
