import { recordSystemsEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import { getSystem } from './actions.ts'
import type { SystemContext } from './context.ts'
import type { AgentEvent } from './schema.ts'

/** Events that a system reports about itself. Its identity comes from the signature, never from the body. */
export async function recordAgentEvents(
  { db }: SystemContext,
  caller: Caller,
  events: AgentEvent[],
): Promise<void> {
  const { organizationId, id } = caller
  const row = await getSystem(db.tenant(organizationId), organizationId, id)
  const system = { id, hostname: row.hostname, displayName: row.display_name }
  await db.tx(organizationId, async (tx) => {
    for (const event of events) {
      await recordSystemsEvent(tx, organizationId, {
        event_type: event.event_type,
        system,
        client_ip: caller.client.ip,
        initiated_by: {
          type: 'system',
          id,
          ...(event.username !== undefined && { username: event.username }),
        },
        success: event.success ?? true,
        ...(event.username !== undefined && { username: event.username }),
        ...(event.process_name !== undefined && { process_name: event.process_name }),
        ...(event.message !== undefined && { message: event.message }),
        ...(event.src_ip !== undefined && { src_ip: event.src_ip }),
        ...(event.system_timestamp !== undefined && { system_timestamp: event.system_timestamp }),
      })
    }
  })
}
