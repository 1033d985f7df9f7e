import type { Tx } from '../server/platform/db/index.ts'
import { isId } from '../server/platform/ids.ts'

/** Row-level security lets a transaction write for one tenant at a time; the load switches between several. */
export async function actAs(tx: Tx, tenantId: string): Promise<void> {
  if (!isId(tenantId)) throw new Error('A tenant id must be 24 hex characters')
  await tx.execute(`set local "app.organization_id" = '${tenantId}'`)
}
