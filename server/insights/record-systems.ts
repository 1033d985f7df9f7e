import type { Queryable, Tx } from '../platform/db.ts'
import { uuidv7 } from '../platform/ids.ts'
import { documentText, fold } from './document.ts'
import { insertEvent } from './store.ts'

/** An event of the service `systems`, told by a system that proved who it is; the time is that of its arrival. */
export async function recordSystemsEvent(
  tx: Tx,
  organizationId: string,
  event: { event_type: string; system: object; [member: string]: unknown },
): Promise<void> {
  const id = uuidv7()
  const document = { id, service: 'systems', organization: organizationId, ...event, '@version': 1 }
  const text = documentText(fold(document))
  await insertEvent(tx as Queryable, organizationId, {
    id,
    service: 'systems',
    beforeTime: `${text.slice(0, -1)},"timestamp":"`,
    afterTime: '"}',
  })
}
