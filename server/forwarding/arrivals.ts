import type { Tx } from '../platform/db/index.ts'
import { insertArrivals } from './run-store.ts'
import { countForwarders } from './store.ts'

/**
 * Late events of other sources may lie behind a forwarder's cursor, so they are recorded as arrivals in the transaction
 * that stores them. Events of the service itself are read up to the watermark and are never late.
 */
export async function noteArrivals(
  tx: Tx,
  { organizationId }: { organizationId: string },
  arriving: readonly { timestamp: string; id: string }[],
): Promise<void> {
  // Most organizations have no forwarders; this saves sending a thousand cursors.
  if ((await countForwarders(tx, organizationId)) > 0)
    await insertArrivals(tx, organizationId, arriving)
}
