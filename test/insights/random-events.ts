import { fold } from '../../server/insights/document.ts'
import { kindsOf } from '../../server/insights/fields.ts'
import { OPERATORS } from '../../server/insights/query/search-tree.ts'
import { SERVICES, type Service } from '../../server/insights/services.ts'
import type { Random } from './random.ts'
import type { StoredDocument } from './reference.ts'

type Json = Record<string, unknown>

const SOME_SERVICES: Service[] = ['directory', 'ldap', 'systems', 'radius', 'genai', 'reports']

/** Strings that some layer might interpret as syntax. */
const PIECES = [
  'a',
  'B',
  'ab',
  'admin',
  '1',
  '1.0',
  'true',
  'null',
  ' ',
  '%',
  '_',
  '*',
  '?',
  '.',
  '"',
  "'",
  '\\',
  '\\\\',
  '\\n',
  '\\u0041',
  '\\x41',
  '\n',
  '\r\n',
  '\t',
  '\v',
  '\b',
  '\u0001',
  '\u007f',
  '\u2028',
  '^',
  '$',
  '(?i)',
  '***=',
  '[a-z]',
  '{2}',
  '|',
  '()',
  '$1',
  '@',
  '/',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'ı',
  'Σ',
  '日本',
  '😀',
  '\ud83d\udc4d\ud83c\udffd',
  '\ufeff',
  '\uffff',
  'long'.repeat(300),
]
const NUMBERS = [0, -0, 1, -1, 1.5, 49, 1e21, 1e-7, 1e308, 5e-324, 2 ** 53, -2.25e10]

const FIELDS: string[] = [
  'username',
  'event_type',
  'success',
  'mfa',
  'error_code',
  'operation_number',
  '@version',
  'resource.type',
  'resource.deep.er',
  'auth_context.policies_applied.name',
  'error_chain.error_code',
  'geoip.latitude',
  'windows_meta.elevated',
  'extra',
  'extra.er',
  'we"ird',
  "it's",
  'back\\slash',
  'sp ace.$.@',
  '日本.😀',
  '__proto__',
  'constructor',
  'toString.name',
]

const EVENT_TYPES = ['user_update', 'systemuser_update', 'systemuser_create', 'user_x', 'ldap_bind']

const randomText = (random: Random): string => random.times(3, () => random.pick(PIECES)).join('')

function randomScalar(random: Random): unknown {
  const kind = random.below(10)
  if (kind < 6) return randomText(random)
  if (kind < 8) return random.pick(NUMBERS)
  return kind === 8 ? random.chance(0.5) : null
}

function randomValue(random: Random, depth = 0): unknown {
  const kind = random.below(10)
  if (kind < 7 || depth > 2) return randomScalar(random)
  if (kind === 7) return { er: randomValue(random, depth + 1), name: randomScalar(random) }
  return random.times(3, () => randomValue(random, depth + 1))
}

/** Own members only: `__proto__` is an ordinary name. */
function put(target: Json, path: string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]]
  const own = Object.hasOwn(target, name) ? target[name] : undefined
  const inner = typeof own === 'object' && own !== null && !Array.isArray(own) ? (own as Json) : {}
  if (rest.length > 0) put(inner, rest, value)
  const member = rest.length > 0 ? inner : value
  Object.defineProperty(target, name, {
    value: member,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** A stored event, folded as by ingest, but also with values that no field list allows. */
export function randomEvent(random: Random, at: number, timestamp: number): StoredDocument {
  const service = random.pick(SOME_SERVICES)
  const document: Json = { id: `e${at}`, service, timestamp: new Date(timestamp).toISOString() }
  for (const field of random.some(FIELDS)) put(document, field.split('.'), randomValue(random))
  document.event_type = random.pick(EVENT_TYPES)
  return { service, timestamp, document: fold(document) as Json }
}

/** Every scalar of the events, so that terms have matches. */
export function scalarsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(scalarsOf)
}

export interface TermSources {
  scalars: unknown[]
  timestamps: number[]
}

function sought(random: Random, kind: string, sources: TermSources): unknown {
  if (kind === 'timestamp') return new Date(random.pick(sources.timestamps)).toISOString()
  if (kind === 'number') {
    const value = random.pick(NUMBERS)
    return random.chance(0.2) ? String(value) : value
  }
  if (kind === 'boolean') return random.pick([true, false, 'true', 'FALSE'])
  const seen = String(random.chance(0.7) ? random.pick(sources.scalars) : randomText(random))
  const mode = random.below(6)
  if (mode === 0) return seen.toUpperCase()
  if (mode === 1) return seen.slice(random.below(seen.length + 1))
  if (mode === 2) return seen.slice(0, random.below(seen.length + 1))
  if (mode === 3) return random.pick(PIECES)
  return mode === 4 && random.chance(0.2) ? `${seen}${random.pick(['\0', '\ud800'])}` : seen
}

const kindOf = (field: string): string =>
  [...kindsOf(SERVICES, field)].find((kind) => Object.hasOwn(OPERATORS, kind)) ?? 'string'

function randomLeaf(random: Random, field: string, sources: TermSources): Json {
  const known = kindOf(field)
  const kind =
    known === 'string' && field !== 'service' && random.chance(0.15)
      ? random.pick(['number', 'boolean'])
      : known
  // A field listed as a string stays one, whatever is sent.
  const operators = known === kind ? OPERATORS[known as 'string'] : (['eq', 'ne', 'in'] as const)
  const operator = random.pick<string>(operators)
  const one = () =>
    field === 'event_type' && random.chance(0.8)
      ? random.pick(EVENT_TYPES)
      : field === 'service'
        ? random.pick([...SOME_SERVICES, 'dir', 'ory', 's', '', 'ldap\0', '%'])
        : sought(random, kind, sources)
  const value = operator === 'in' || operator === 'not_in' ? random.times(4, one) : one()
  if (operator === 'eq' || operator === 'in') {
    if (random.chance(0.5)) return { [field]: value }
    if (random.chance(0.3)) return { field, value }
  }
  return { field, operator, value }
}

/** A list of terms or, if all of them allow it, the older map form. */
export function randomGroup(random: Random, sources: TermSources, depth = 0): Json {
  const fields = [...FIELDS, 'service', 'timestamp']
  const names = new Set(random.times(3, () => random.pick(fields)))
  const terms = [...names].map((field) => randomLeaf(random, field, sources))
  const key = random.pick(['and', 'and', 'or', 'or', 'not'])
  if (random.chance(0.2) && terms.every((term) => !('field' in term)))
    return { [key]: Object.fromEntries(terms.flatMap((term) => Object.entries(term))) }
  const groups = depth < 3 ? random.times(2, () => randomGroup(random, sources, depth + 1)) : []
  return { [key]: [...terms, ...groups] }
}
