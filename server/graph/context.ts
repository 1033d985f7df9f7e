import type { Actor } from '../insights/index.ts'
import type { Db, Queryable } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { NodeRef, NodeType } from './pairs.ts'
import type { GraphOperation } from './schema.ts'
import type { SudoGiver } from './sudo.ts'

/** Who changes an edge: a request's caller, or the service itself. */
export type GraphActor = Actor & { organizationId: string } & SudoGiver

export type Attributes = Record<string, unknown> | null

/** How the slices above call their records, by id. The graph itself knows no names. */
export type NodeNames = (
  db: Queryable,
  organizationId: string,
  nodes: NodeRef[],
) => Promise<ReadonlyMap<string, string>>

/** Members of the commands that a traversal shows when it is asked for `details=v1`, by id. */
type CommandDetails = (
  db: Queryable,
  organizationId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, object>>

/** The state of a user, now (null) or at a past instant. Null when it is not known. */
export type AccountStatusOf = (
  organizationId: string,
  userId: string,
  instant: Date | null,
) => Promise<{ state: 'STAGED' | 'ACTIVATED' | 'SUSPENDED'; locked: boolean } | null>

/** An edge came, ended, or has other attributes. */
interface EdgeChange {
  op: GraphOperation['op']
  /** As the edge is stored, whoever was named first: from who gains to what is gained, from a group to its member. */
  source: NodeRef
  target: NodeRef
  isMembership: boolean
  /** The attributes. */
  before: Attributes
  after: Attributes
  /** The event that tells of it. */
  eventId: string
}

/** What it takes to change an edge. */
export interface EdgeContext {
  names: NodeNames
  /**
   * Single edges only. Those that end with a node or come back with it are told by the hook of its slice: `changed` of
   * users, systems, groups and applications. (Commands have none: nobody above them listens.)
   */
  edgeChanged: Hook<GraphActor, EdgeChange>
}

export interface GraphContext extends EdgeContext {
  db: Db
  accountStatus: AccountStatusOf
  /** Whether nobody can use an application now, whoever reaches it. */
  isInactive: (db: Queryable, organizationId: string, applicationId: string) => Promise<boolean>
  commandDetails: CommandDetails
}

type NamesOfType = (
  db: Queryable,
  organizationId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, string>>

/** Names from the slice that knows each type; those of other types stay unknown. */
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
