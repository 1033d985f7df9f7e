import type { Caller } from '../../platform/caller.ts'
import type { Tx } from '../../platform/db/index.ts'
import { uuidv7 } from '../../platform/ids.ts'
import type { Change } from '../document.ts'
import { type OwnEvent, writeOwnEvent, writeOwnEvents } from './own-event.ts'
import { parseUserAgent } from './useragent.ts'

/** The part of an event that an action provides; actor, time, client and method are added here. */
export interface EventInput {
  event_type: string
  resource?: { type: string; id?: string; [member: string]: unknown }
  changes?: Change[]
  success?: boolean
  error_message?: string
  mfa?: boolean
  correlation?: { id: string; type: string }
  association?: Record<string, unknown>
  /** The methods of a sign-in and their results. */
  auth_context?: { auth_methods: Record<string, { success: boolean }> }
  mfa_meta?: { type: string }
  target_resource?: { type: string }
  /** Provisioning: the application, its connection, and the last response of the provider. */
  application?: { id: string; name: string }
  idm_client_id?: string
  message_chain?: { response_code?: string; response_message?: string; message_details?: string }
  /** The organization the event is about, if that is not the tenant it is stored under. */
  organization?: string | null
}

/** The administrator or system behind a change, as far as known. */
export type Actor = Pick<Caller, 'initiator' | 'authMethod' | 'providerId' | 'client' | 'mfa'> & {
  /** Work that consists of many changes, such as an import: part of every event it causes. */
  correlation?: { id: string; type: string }
}

function directoryEvent(
  tx: Tx,
  actor: Actor,
  organizationId: string,
  input: EventInput,
  id: string,
): OwnEvent {
  const { event_type, organization, ...rest } = input
  const portal = actor.providerId !== null && organizationId === actor.providerId
  const geoip = tx.recording.locate(actor.client.ip)
  return {
    id,
    event_type,
    service: 'directory',
    organization: organization !== undefined ? organization : portal ? null : organizationId,
    provider: actor.providerId,
    initiated_by: portal ? { ...actor.initiator, provider: actor.providerId } : actor.initiator,
    ...(actor.initiator.type !== 'system' && {
      auth_method: actor.authMethod === 'oauth' ? 'api-key' : actor.authMethod,
    }),
    client_ip: actor.client.ip,
    ...(geoip && { geoip }),
    useragent: parseUserAgent(actor.client.userAgent),
    success: true,
    mfa: actor.mfa,
    ...(actor.correlation && { correlation: actor.correlation }),
    ...rest,
    '@version': 1,
  } as OwnEvent
}

/**
 * Writes an audit event in the caller's transaction, so that it commits with the change or not at all. The tenant is
 * the caller's, which is the provider for events of the multi-tenant portal. Returns the event's id.
 */
export async function recordEvent(
  tx: Tx,
  actor: Actor & { organizationId: string },
  input: EventInput,
  id = uuidv7(),
): Promise<string> {
  const { organizationId } = actor
  await writeOwnEvent(tx, organizationId, directoryEvent(tx, actor, organizationId, input, id))
  return id
}

/** Many events of one caller, in one statement. Returns their ids. */
export async function recordEvents(
  tx: Tx,
  actor: Actor & { organizationId: string },
  inputs: readonly EventInput[],
): Promise<string[]> {
  const { organizationId } = actor
  const events = inputs.map((input) => directoryEvent(tx, actor, organizationId, input, uuidv7()))
  await writeOwnEvents(tx, organizationId, events)
  return events.map(({ id }) => id)
}
