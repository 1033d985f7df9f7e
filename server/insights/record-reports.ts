import type { Queryable, Tx } from '../platform/db.ts'
import { uuidv7 } from '../platform/ids.ts'
import { documentText, fold } from './document.ts'
import { locate } from './geoip.ts'
import { type Actor, countWritten } from './record.ts'
import { insertEvent } from './store.ts'
import { parseUserAgent } from './useragent.ts'

/** A report was asked for, downloaded, or given up. */
export interface ReportEvent {
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
  const geoip = locate(client.ip)
  const byService = initiator.type === 'system'
  const document = {
    id,
    service: 'reports',
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
  const text = documentText(fold(document))
  await insertEvent(tx as Queryable, organizationId, {
    id,
    service: 'reports',
    beforeTime: `${text.slice(0, -1)},"timestamp":"`,
    afterTime: '"}',
  })
  tx.afterCommit(() => countWritten('reports'))
}
