import type { Tx } from '../../platform/db/index.ts'
import { documentText, fold } from '../document.ts'
import type { OwnService } from '../services.ts'
import { insertEvent } from '../store.ts'

/** An event of the service itself, without its time: the database gives that. */
export interface OwnEvent {
  id: string
  event_type: string
  service: OwnService
}

let onWritten: (event: OwnEvent) => void = () => {}
/** Is told of committed events; the composition root connects it to the metrics. */
export const observeEvents = (observer: (event: OwnEvent) => void): void => {
  onWritten = observer
}

/** The text around the time, which the database fills in. */
function halvesOf(event: OwnEvent): { beforeTime: string; afterTime: string } {
  const text = documentText(fold(event))
  return { beforeTime: `${text.slice(0, -1)},"timestamp":"`, afterTime: '"}' }
}

/** The only way by which the service writes events, always in the transaction of what they tell of. */
export async function writeOwnEvent(
  tx: Tx,
  organizationId: string,
  event: OwnEvent,
): Promise<void> {
  const { id, service } = event
  await insertEvent(tx, organizationId, { id, service, ...halvesOf(event) })
  tx.afterCommit(() => onWritten(event))
}
