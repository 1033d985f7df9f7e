import { type EventInput, recordEvents } from '../insights/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import type { ScimExchange, ScimFailure } from '../scim/index.ts'

/** The connection as events name it. */
export interface ConnectionRef {
  organizationId: string
  applicationId: string
  /** Display label of the application. */
  applicationName: string
  idmClientId: string
}

/** The requests of a step, shortest form: "POST /Users 201, GET /Users/… 200". */
const MAX_DETAILS = 1000

export function messageChain(
  exchanges: readonly ScimExchange[],
  failure?: ScimFailure,
): NonNullable<EventInput['message_chain']> {
  const last = exchanges.findLast(({ status }) => status !== null)
  const code = failure?.status ?? last?.status
  const details = exchanges
    .map(({ method, path, status }) => `${method} ${path} ${status ?? 'no response'}`)
    .join(', ')
  return {
    ...(code != null && { response_code: String(code) }),
    ...(failure && { response_message: failure.detail || failure.message }),
    ...(details !== '' && { message_details: details.slice(0, MAX_DETAILS) }),
  }
}

export type ProvisionEvent = Pick<
  EventInput,
  'event_type' | 'resource' | 'changes' | 'success' | 'error_message' | 'message_chain'
>

/** Written by the service itself, in the transaction that saves the outcome. */
export async function recordProvisions(
  tx: Tx,
  { organizationId, applicationId, applicationName, idmClientId }: ConnectionRef,
  events: readonly ProvisionEvent[],
): Promise<void> {
  if (events.length === 0) return
  const connection = {
    application: { id: applicationId, name: applicationName },
    idm_client_id: idmClientId,
  }
  const inputs = events.map((event) => ({ ...event, ...connection }))
  await recordEvents(tx, systemCaller(organizationId, 'provisioning'), inputs)
}

export const recordProvision = (tx: Tx, connection: ConnectionRef, event: ProvisionEvent) =>
  recordProvisions(tx, connection, [event])
