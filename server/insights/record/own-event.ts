import type { Tx } from '../../platform/db/index.ts'
import { documentText, fold } from '../document.ts'
import type { OwnService } from '../services.ts'
import { insertEvent } from '../store.ts'

/** An event of the service itself, without its time, which the database sets. */
export interface OwnEvent {
  id: string
  event_type: string
  service: OwnService
}

let onWritten: (event: OwnEvent) => void = () => {}
/** Observes committed events; the composition root connects it to the metrics. */
export const observeEvents = (observer: (event: OwnEvent) => void): void => {
  onWritten = observer
}

/** The text before and after the time, which the database fills in. */
function halvesOf(event: OwnEvent): { beforeTime: string; afterTime: string } {
  const text = documentText(fold(event))
  return { beforeTime: `${text.slice(0, -1)},"timestamp":"`, afterTime: '"}' }
}

/** The only way for the service to write its own events, in the transaction of the change they record. */
export async function writeOwnEvent(
  tx: Tx,
  organizationId: string,
  event: OwnEvent,
): Promise<void> {
  const { id, service } = event
  await insertEvent(tx, organizationId, { id, service, ...halvesOf(event) })
  tx.afterCommit(() => onWritten(event))
}
