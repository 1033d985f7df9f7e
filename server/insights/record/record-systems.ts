import type { Tx } from '../../platform/db/index.ts'
import { uuidv7 } from '../../platform/ids.ts'
import { writeOwnEvent } from './own-event.ts'

/** An event of the service `systems`, reported by an authenticated system; its time is that of arrival. */
export async function recordSystemsEvent(
  tx: Tx,
  organizationId: string,
  event: { event_type: string; system: object; [member: string]: unknown },
): Promise<void> {
  const id = uuidv7()
  const document = {
    id,
    service: 'systems' as const,
    organization: organizationId,
    ...event,
    '@version': 1,
  }
  await writeOwnEvent(tx, organizationId, document)
}
