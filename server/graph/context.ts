import type { Db, Queryable } from '../platform/db.ts'
import type { NodeRef } from './pairs.ts'

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

export interface GraphContext {
  db: Db
  names: NodeNames
  commandDetails: CommandDetails
}
