import type { Db, Queryable } from '../platform/db/index.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'
import type { Sealer } from '../platform/secrets.ts'

/** Login names of system users on systems, by user id. */
type Usernames = (
  db: Queryable,
  organizationId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, string>>

/** The id of the system user with this login name. */
type UserIdOf = (db: Queryable, organizationId: string, name: string) => Promise<string | undefined>

/** Dependencies of this slice's actions; built once by the composition root. */
export interface CommandContext {
  db: Db
  limits: Limits
  /** Opens the sealed key that signs orders for agents. */
  sealer: Sealer
  send: SendJob
  usernames: Usernames
  userIdOf: UserIdOf
}
