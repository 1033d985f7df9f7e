import type { Schema } from './reads.ts'

/** The fields an investigation needs first, in reading order. */
const LEAD = [
  'event_type',
  'service',
  'success',
  'initiated_by.email',
  'initiated_by.username',
  'client_ip',
  'geoip.country_code',
  'resource.type',
  'resource.name',
  'resource.username',
  'application.name',
  'application.display_label',
  'system.hostname',
  'error_message',
]

export interface FieldInfo {
  name: string
  kinds: string[]
}

/** The fields by which the services can be searched, those needed first in front. */
export function searchableFields(schema: Schema | undefined, services: string[]): FieldInfo[] {
  const kinds = new Map<string, Set<string>>(LEAD.map((name) => [name, new Set()]))
  const all = services.includes('all')
  for (const { name: service, fields } of schema?.services ?? [])
    if (all || services.includes(service))
      for (const { name, kind, searchable } of fields)
        if (searchable && kind !== 'object' && kind !== 'list')
          kinds.set(name, (kinds.get(name) ?? new Set()).add(kind))
  const found = [...kinds].filter(([, list]) => list.size > 0)
  const rank = ([name]: [string, unknown]) => {
    const at = LEAD.indexOf(name)
    return at < 0 ? LEAD.length : at
  }
  return found
    .sort((a, b) => rank(a) - rank(b) || a[0].localeCompare(b[0]))
    .map(([name, list]) => ({ name, kinds: [...list] }))
}

const regions = new Intl.DisplayNames('en', { type: 'region' })

/** Codes of countries as names, other values as they are. */
export function shownValue(field: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (!field.endsWith('country_code')) return text
  try {
    return regions.of(text.toUpperCase()) ?? text
  } catch {
    return text
  }
}
