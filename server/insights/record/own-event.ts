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

const withTextVersion = (event: OwnEvent): OwnEvent =>
  ({
    ...event,
    '@version': String((event as { '@version'?: unknown })['@version'] ?? 1),
  }) as OwnEvent

/** The text before and after the time, which the database fills in. */
function untimed({ recording }: Tx, event: OwnEvent) {
  const { id, service } = event
  const text = documentText(fold(recording.versionAsText ? withTextVersion(event) : event))
  return { id, service, beforeTime: `${text.slice(0, -1)},"timestamp":"`, afterTime: '"}' }
}

// The only ways for the service to write its own events, in the transaction of the change they record.

export async function writeOwnEvent(
  tx: Tx,
  organizationId: string,
  event: OwnEvent,
): Promise<void> {
  await insertEvent(tx, organizationId, untimed(tx, event))
  tx.afterCommit(() => tx.recording.recorded(event))
}

/** In one statement. */
export async function writeOwnEvents(
  tx: Tx,
  organizationId: string,
  events: readonly OwnEvent[],
): Promise<void> {
  const untimedEvents = events.map((event) => untimed(tx, event))
  await insertEvents(tx, organizationId, untimedEvents)
  tx.afterCommit(() => {
    for (const event of events) tx.recording.recorded(event)
  })
}
