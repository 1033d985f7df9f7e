import type { Tx } from '../../platform/db/index.ts'
import { documentText, fold } from '../document.ts'
import type { OwnService } from '../services.ts'
import { insertEvent, insertEvents } from '../store.ts'

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

let textVersion = false
/** Some collectors accept `@version` as text only. */
export const writeVersionAsText = (wanted: boolean): void => {
  textVersion = wanted
}
const versioned = (event: OwnEvent): OwnEvent =>
  textVersion
    ? ({
        ...event,
        '@version': String((event as { '@version'?: unknown })['@version'] ?? 1),
      } as OwnEvent)
    : event

/** The text before and after the time, which the database fills in. */
function untimed(event: OwnEvent) {
  const { id, service } = event
  const text = documentText(fold(versioned(event)))
  return { id, service, beforeTime: `${text.slice(0, -1)},"timestamp":"`, afterTime: '"}' }
}

// The only ways for the service to write its own events, in the transaction of the change they record.

export async function writeOwnEvent(
  tx: Tx,
  organizationId: string,
  event: OwnEvent,
): Promise<void> {
  await insertEvent(tx, organizationId, untimed(event))
  tx.afterCommit(() => onWritten(event))
}

/** In one statement. */
export async function writeOwnEvents(
  tx: Tx,
  organizationId: string,
  events: readonly OwnEvent[],
): Promise<void> {
  await insertEvents(tx, organizationId, events.map(untimed))
  tx.afterCommit(() => events.forEach(onWritten))
}
