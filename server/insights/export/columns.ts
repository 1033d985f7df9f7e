import { SHAPES } from '../fields.ts'
import type { Service } from '../services.ts'

/** The whole event as JSON: the other columns are a selection, and nothing should be lost. */
export const DOCUMENT = 'document'

/** The fields an investigation needs first, in reading order: when, what, who, from where, to what, why. */
const LEAD = [
  'timestamp',
  'service',
  'event_type',
  'success',
  'initiated_by.type',
  'initiated_by.id',
  'initiated_by.email',
  'initiated_by.username',
  'initiated_by.name',
  'username',
  'client_ip',
  'src_ip',
  'geoip.country_code',
  'geoip.region_name',
  'geoip.city',
  'resource.type',
  'resource.id',
  'resource.name',
  'resource.username',
  'resource.email',
  'application.id',
  'application.name',
  'application.display_label',
  'system.id',
  'system.hostname',
  'system.displayName',
  'changes.field',
  'auth_method',
  'mfa',
  'mfa_meta.type',
  'message',
  'error_message',
]
const TAIL = ['organization', 'id', DOCUMENT]
const APART = new Set([...LEAD, ...TAIL, '@version'])

/**
 * The columns of an export without `fields`. They depend on the services alone: the header is written before any event
 * is read, and two exports of the same query stay comparable. A single service also shows the plain fields that only
 * it has.
 */
export function defaultColumns(services: readonly Service[]): string[] {
  const common = LEAD.filter(
    (name) => name === 'service' || services.some((service) => name in SHAPES[service].fields),
  )
  const [only, another] = services
  const own =
    only === undefined || another !== undefined
      ? []
      : Object.entries(SHAPES[only].fields)
          .filter(([name, { kind }]) => !/\./.test(name) && !['object', 'list'].includes(kind))
          .map(([name]) => name)
          .filter((name) => !APART.has(name))
  return [...common, ...own, ...TAIL]
}

/** The value at a path; inside a list, the values of all its elements. */
export function valueAt(value: unknown, path: readonly string[], at = 0): unknown {
  if (at === path.length) return value
  if (Array.isArray(value)) {
    const values = value.map((one) => valueAt(one, path, at)).filter((one) => one !== undefined)
    return values.length > 0 ? values.flat() : undefined
  }
  const name = path[at]!
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return valueAt((value as Record<string, unknown>)[name], path, at + 1)
}
