import type { Tx } from '../platform/db/index.ts'
import { insertArrivals } from './run-store.ts'
import { countForwarders } from './store.ts'

/**
 * A forwarder may have passed the places of events that other sources tell late, so these are noted for it, in the
 * transaction that stores them. Events that the service writes itself wait for the watermark and are never late.
 */
export async function noteArrivals(
  tx: Tx,
  { organizationId }: { organizationId: string },
  arriving: readonly { timestamp: string; id: string }[],
): Promise<void> {
  // Most organizations have none, and need not wait for a thousand places to be sent.
  if ((await countForwarders(tx, organizationId)) > 0)
    await insertArrivals(tx, organizationId, arriving)
}
