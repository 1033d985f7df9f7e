import type { Client, Initiator } from '../../platform/caller.ts'
import type { Tx } from '../../platform/db/index.ts'
import { uuidv7 } from '../../platform/ids.ts'
import { writeOwnEvent } from './own-event.ts'
import { parseUserAgent } from './useragent.ts'

/** A sign-in to an application, successful or not. */
interface SsoEvent {
  initiated_by: Initiator
  application: { display_label: string; id: string; name: string; sso_url: string }
  /** Started at the identity provider, not the service provider. */
  idp_initiated: boolean
  mfa: boolean
  /** Why no assertion was issued; undefined on success. */
  error_message?: string | undefined
}

/** Members beyond the specification's list are those from which consumers of this service read the outcome. */
export async function recordSsoEvent(
  tx: Tx,
  organizationId: string,
  client: Client,
  { error_message, ...event }: SsoEvent,
): Promise<string> {
  const id = uuidv7()
  const geoip = tx.recording.locate(client.ip)
  const success = error_message === undefined
  const document = {
    id,
    event_type: 'sso_auth',
    service: 'sso' as const,
    organization: organizationId,
    ...event,
    client_ip: client.ip,
    ...(geoip && { geoip }),
    useragent: parseUserAgent(client.userAgent),
    success,
    sso_token_success: success,
    ...(!success && { error_message }),
    '@version': 1,
  }
  await writeOwnEvent(tx, organizationId, document)
  return id
}
