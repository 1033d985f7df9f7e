import type { Db, Queryable } from '../platform/db.ts'
import type { NodeRef, NodeType } from './pairs.ts'

/** How the slices above call their records, by id. The graph itself knows no names. */
export type NodeNames = (
  db: Queryable,
  organizationId: string,
  nodes: NodeRef[],
) => Promise<ReadonlyMap<string, string>>

/** Members of the commands that a traversal shows when it is asked for `details=v1`, by id. */
export type CommandDetails = (
  db: Queryable,
  organizationId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, object>>

/** The state of a user, now (null) or at a past instant. Null when it is not known. */
export type UserStanding = (
  organizationId: string,
  userId: string,
  instant: Date | null,
) => Promise<{ state: 'STAGED' | 'ACTIVATED' | 'SUSPENDED'; locked: boolean } | null>

export interface GraphContext {
  db: Db
  names: NodeNames
  userStanding: UserStanding
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
