import { addNode } from '../graph/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { publicKeyIn } from './enrolment.ts'
import { insertSystemKey } from './key-store.ts'
import { insertSystem, type NewSystem } from './store.ts'

/** A system without an event, for the demo world. */
export async function seedSystem(
  tx: Tx,
  organizationId: string,
  row: Omit<NewSystem, 'organization_id'>,
  publicKey: string,
): Promise<void> {
  await insertSystem(tx, { ...row, organization_id: organizationId })
  await addNode(tx, organizationId, 'system', row.id)
  await insertSystemKey(tx, organizationId, row.id, publicKeyIn(publicKey))
}
