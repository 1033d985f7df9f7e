import type { Db } from '../../platform/db/index.ts'
import type { Limits } from '../../platform/limits.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import type { Sealer } from '../../platform/secrets.ts'
import type { UserContext } from '../../users/index.ts'

/** Dependencies of the Workday import; built once by the composition root. */
export interface WorkdayContext {
  db: Db
  limits: Limits
  sealer: Sealer
  outbound: Outbound
  users: UserContext
}

/** Binds the sealed credentials to their row; must match platform/sealed-columns.ts. */
export const secretContext = (workdayId: string): string => `workday ${workdayId}`
