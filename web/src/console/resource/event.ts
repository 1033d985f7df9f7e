import type { Change } from './diff.tsx'

// Audit events as pages show them.

export interface Event {
  /** Those of LDAP have none. */
  id?: string
  timestamp: string
  event_type: string
  service?: string
  success?: boolean
  initiated_by?: { email?: string; username?: string; type?: string }
  changes?: Change[]
  association?: { op?: string; connection?: { from?: End; to?: End } }
}

interface End {
  type: string
  object_id: string
  name?: string
}

interface Operation {
  connection_id?: string
  operation_number?: number
}

/** Tells events apart: by the id, or for LDAP by the time, the connection and the number of the operation. */
export const keyOf = (event: Event): string => {
  const { connection_id, operation_number } = event as Operation
  return event.id ?? [event.timestamp, connection_id, operation_number].join(' ')
}

/** Such as "User update" for systemuser_update. */
export function eventWords(type: string): string {
  const text = type
    .replace(/^systemuser_/, 'user_')
    .replaceAll('_', ' ')
    .replace(/\b(sso|mfa|totp|api|ip)\b/g, (name) => name.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const OPERATIONS: Record<string, string> = { add: 'Added', remove: 'Removed', update: 'Changed' }
const KINDS: Record<string, string> = {
  user_group: 'group',
  system: 'device',
  system_group: 'device group',
}

/** The other end of an association, such as "Added device group linux systems". */
export function associationWords({ association }: Event, id: string): string | undefined {
  const { from, to } = association?.connection ?? {}
  const other = from?.object_id === id ? to : from
  if (!other) return undefined
  const { type, name, object_id } = other
  const operation = OPERATIONS[association?.op ?? ''] ?? 'Changed'
  return `${operation} ${KINDS[type] ?? type.replaceAll('_', ' ')} ${name ?? object_id}`
}

export const actorOf = ({ initiated_by: by }: Event): string =>
  by?.email ?? by?.username ?? by?.type ?? 'Gatehouse'

/** The value of a dotted name; lists give the values of their elements. */
export function valueAt(document: unknown, field: string): unknown {
  let values: unknown[] = [document]
  for (const name of field.split('.'))
    values = values
      .flat()
      .map((value) => (value as Record<string, unknown> | null | undefined)?.[name])
      .filter((value) => value !== undefined)
  return values.length > 1 ? values : values[0]
}
