import type { Db } from '../../platform/db/index.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import type { Sealer } from '../../platform/secrets.ts'

/** Dependencies of the Workday import; built once by the composition root. */
export interface WorkdayContext {
  db: Db
  sealer: Sealer
  outbound: Outbound
}

/** Binds the sealed credentials to their row; must match platform/sealed-columns.ts. */
export const secretContext = (workdayId: string): string => `workday ${workdayId}`
