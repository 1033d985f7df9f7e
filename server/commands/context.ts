import type { Db, Queryable } from '../platform/db/index.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Sealer } from '../platform/secrets.ts'

/** The names that system users have on systems, by id. */
type Usernames = (
  db: Queryable,
  organizationId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, string>>

/** What the actions of this slice work with; made once by the composition root. */
export interface CommandContext {
  db: Db
  /** Orders for agents are signed with a sealed key. */
  sealer: Sealer
  send: SendJob
  usernames: Usernames
}
