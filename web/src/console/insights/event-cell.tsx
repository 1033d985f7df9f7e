import { Tag } from '../../ui/tag.tsx'
import { actorOf, type Event, eventWords, valueAt } from '../resource/event.ts'
import { shownValue } from './fields.ts'

const TARGETS = [
  'resource.name',
  'resource.username',
  'resource.email',
  'application.display_label',
  'application.name',
  'system.displayName',
  'system.hostname',
  'username',
  'resource.id',
]

const targetOf = (event: Event): string => {
  const field = TARGETS.find((name) => valueAt(event, name))
  return field ? shownValue(field, valueAt(event, field)) : ''
}

/** Columns that are no single field. */
const LABELS: Record<string, string> = {
  event_type: 'Event',
  actor: 'Actor',
  target: 'Target',
  client_ip: 'Address',
  success: 'Result',
}

export const columnLabel = (column: string): string => LABELS[column] ?? column

const WIDTHS: Record<string, string> = {
  event_type: 'minmax(9rem, 1.5fr)',
  success: '7.25rem',
  client_ip: 'minmax(8.25rem, 0.7fr)',
  service: '7rem',
}

export const columnWidth = (column: string): string => WIDTHS[column] ?? 'minmax(7rem, 1fr)'

export function EventCell({ event, column }: { event: Event; column: string }) {
  if (column === 'event_type') return eventWords(event.event_type)
  if (column === 'actor') return actorOf(event)
  if (column === 'target') return targetOf(event)
  if (column === 'success' && event.success !== undefined)
    return event.success ? <Tag tone="good">Succeeded</Tag> : <Tag tone="bad">Failed</Tag>
  return shownValue(column, valueAt(event, column))
}
