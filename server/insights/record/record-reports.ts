import type { Tx } from '../../platform/db/index.ts'
import { uuidv7 } from '../../platform/ids.ts'
import { writeOwnEvent } from './own-event.ts'
import type { Actor } from './record.ts'
import { parseUserAgent } from './useragent.ts'

/** A report was requested, downloaded, or failed. */
interface ReportEvent {
  event_type: 'report_run' | 'report_export' | 'report_delete'
  resource: { id: string; name: string; configuration?: object }
}

/** An event of the service `reports`, in the caller's transaction. */
export async function recordReportEvent(
  tx: Tx,
  actor: Actor & { organizationId: string },
  event: ReportEvent,
): Promise<void> {
  const id = uuidv7()
  const { organizationId, initiator, authMethod, client, providerId } = actor
  const geoip = tx.recording.locate(client.ip)
  const byService = initiator.type === 'system'
  const document = {
    id,
    service: 'reports' as const,
    organization: organizationId,
    provider: providerId,
    initiated_by: initiator,
    ...(!byService && { auth_method: authMethod === 'oauth' ? 'api-key' : authMethod }),
    client_ip: client.ip,
    ...(geoip && { geoip }),
    user_agent: parseUserAgent(client.userAgent),
    ...event,
    '@version': '1',
  }
  await writeOwnEvent(tx, organizationId, document)
}
