import type { Random } from '../insights/random.ts'

export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema | Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  minimum?: number
  maximum?: number
}

/** Values that a schema does not describe but that pass the first checks, by member name. */
const HINTS = new Map<string, readonly unknown[]>([
  ['service', [['all'], ['directory', 'sso']]],
  ['start_time', ['2026-01-01T00:00:00Z']],
  ['end_time', ['2026-02-01T00:00:00Z']],
  ['range', ['P7D', 'PT24H']],
  ['search_term', [{ and: [{ event_type: 'user_login' }] }, { or: [{ client_ip: ['10.0.0.1'] }] }]],
  ['search_after', [[1_767_225_600_000, '6afaa02b26e2088d1dd3022a']]],
  ['interval_unit', ['d', 'h']],
  ['interval_value', ['1', 2]],
  ['timezone', ['-0500']],
  ['limit', [10, '10']],
  ['skip', [0]],
  ['from', ['2026-01-01T00:00:00Z']],
  ['field', ['event_type', 'client_ip']],
  ['filter', [['name:$eq:x'], ['id:eq:x'], ['id:in:a|b'], ['created:gt:2020-01-01T00:00:00Z']]],
  ['searchFilter', [{ searchTerm: 'a', fields: ['name'] }]],
  ['sort', ['id', '-id', 'ASC']],
  ['sortIgnoreCase', ['id']],
  ['fields', ['name', 'id', ['event_type']]],
  ['search', ['a', '{"searchTerm":"a","fields":["name"]}']],
  ['targets', [['user'], ['system'], ['application'], ['user_group']]],
  ['launchType', ['manual', 'trigger', 'repeated']],
  ['schedule', ['0 4 * * *']],
  ['url', ['https://127.0.0.1:9/hook']],
  ['secret', ['whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0']],
  ['redirectUris', [['https://127.0.0.1:9/back']]],
  ['ssoUrl', ['https://127.0.0.1:9/start']],
  [
    'config',
    [
      {},
      {
        acsUrl: { value: 'https://127.0.0.1:9/acs' },
        spEntityId: { value: 'https://127.0.0.1:9' },
        constantAttributes: { value: [{ name: 'a', value: 'b' }] },
        authClaimConfiguration: { authnContextMode: { value: 'mapping' } },
      },
      { acsUrl: { value: '[{"index":1,"isDefault":"true","url":"https://127.0.0.1:9/acs"}]' } },
    ],
  ],
  [
    'memberQuery',
    [
      { queryType: 'Filter', filters: [{ field: 'id', operator: 'ne', value: '' }] },
      { queryType: 'Search', searchFilters: { searchTerm: 'a', fields: ['id'] } },
    ],
  ],
  ['memberQueryExemptions', [[]]],
  ['membershipMethod', ['STATIC', 'DYNAMIC_AUTOMATED']],
  ['scopes', [['users.readonly'], ['systems', 'groups']]],
  ['roleName', ['Read Only', 'Administrator']],
  ['roleNames', [['Read Only']]],
  ['role', [null]],
  ['password', ['Tangled-Orchard-58']],
  ['public_key', ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLE']],
  [
    'xml',
    [
      '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://127.0.0.1:9"><md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://127.0.0.1:9/acs" index="0"/><md:AttributeConsumingService index="0"><md:ServiceName xml:lang="en">x</md:ServiceName><md:RequestedAttribute Name="constructor"/></md:AttributeConsumingService></md:SPSSODescriptor></md:EntityDescriptor>',
    ],
  ],
])

const CANDIDATES = [
  'abc',
  '1',
  '10',
  '365d',
  'P30D',
  'linux',
  'https://127.0.0.1:9/x',
  '2999-01-01T00:00:00Z',
  '2026-01-01',
  '',
  'a1b2c3d4',
  '#aabbcc',
]

export interface Ids {
  /** Id of a record in the collection at this path. */
  own(path: string): string
  /** Id of a record of this graph type. */
  ofType(type: string): string
  any(): string
}

/** Members that reference a record of a collection. */
const REFERENCES: [RegExp, string][] = [
  [/^roleId$/, '/api/v2/roles'],
  [/^(user(_?ids?)?|users|manager|userIds)$/, '/api/systemusers'],
  [/^system(_?ids?|Ids?)?$/i, '/api/systems'],
  [/^systemGroups$/, '/api/v2/systemgroups'],
  [/^application(_id)?$/, '/api/applications'],
  [/^organization$/, '/api/organizations'],
  [/^object_ids$/, '/api/systems'],
]

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** Hints that the schema accepts. */
const hintsFor = (name: string, { type }: Schema): readonly unknown[] =>
  HINTS.get(name)?.filter((hint) => type === undefined || type === kindOf(hint)) ?? []

/** All valid in RFC 3339, but not all are real dates. */
const EXTREME_TIMES = [
  '2998-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '2999-01-01T00:00:00+23:59',
  '2999-01-01T00:00:00-15:59',
  '1969-12-31 23:59:59z',
]

/**
 * Generates valid values for a schema, with ids of existing records. `extreme` decides whether the next value may be
 * the smallest, largest or longest possible.
 */
export function maker(random: Random, ids: Ids, extreme: () => boolean) {
  const { below, pick, chance } = random
  const unique = () => `n${below(2 ** 40).toString(36)}`

  function text(schema: Schema, name: string): string {
    const { pattern, format, minLength = 0, maxLength = 1024 } = schema
    const collection = REFERENCES.find(([known]) => known.test(name))?.[1]
    if (collection !== undefined && chance(0.9)) return ids.own(collection)
    if (format === 'email') return `${unique()}@example.com`
    if (format === 'date-time' && extreme()) return pick(EXTREME_TIMES)
    if (format === 'date-time') return pick(['2999-01-01T00:00:00Z', '2026-05-01T10:00:00.123Z'])
    if (format === 'date') return extreme() ? '0000-01-01' : '2026-05-01'
    if (format === 'uri') return 'https://127.0.0.1:9/x'
    if (pattern !== undefined) {
      const fitting = [ids.any(), unique(), ...CANDIDATES].filter((one) =>
        new RegExp(pattern).test(one),
      )
      return fitting.length > 0 ? pick(fitting) : ''
    }
    const length = extreme() ? pick([minLength, Math.min(maxLength, 70_000)]) : minLength
    return unique()
      .padEnd(length, pick(['x', 'é', '\u{1f469}']))
      .slice(0, maxLength)
      .toWellFormed()
  }

  function number({ minimum = 0, maximum }: Schema, whole: boolean): number {
    if (extreme()) return pick([minimum, maximum ?? pick([2 ** 31, 2 ** 53, 1e21])])
    const end = maximum ?? 100
    const value = minimum + random.below(Math.max(1, Math.min(end - minimum, 50)))
    return whole ? value : value + 0.5
  }

  function object({ properties = {}, required = [] }: Schema, all: boolean): object {
    const members = Object.entries(properties).filter(
      ([name]) => required.includes(name) || all || chance(HINTS.has(name) ? 0.7 : 0.3),
    )
    const made = Object.fromEntries(
      members.map(([name, schema]) => [name, make(schema, name, all)]),
    )
    if (typeof made.type === 'string' && typeof made.id === 'string')
      made.id = ids.ofType(made.type)
    return made
  }

  /** `all`: optional members as well. */
  function make(schema: Schema, name = '', all = false): unknown {
    const hints = hintsFor(name, schema)
    if (hints.length > 0 && chance(0.9)) return structuredClone(pick(hints))
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return pick(schema.enum)
    if (schema.anyOf) return make(pick(schema.anyOf), name, all)
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => make(part, name, all)))
    const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type
    switch (type) {
      case 'string':
        return text(schema, name)
      case 'integer':
        return number(schema, true)
      case 'number':
        return number(schema, chance(0.5))
      case 'boolean':
        return chance(0.5)
      case 'null':
        return null
      case 'array': {
        const { items = {}, minItems = 0 } = schema
        if (Array.isArray(items)) return items.map((item) => make(item, name, all))
        return Array.from({ length: minItems + below(3) }, () => make(items, name, all))
      }
      case 'object':
        return object(schema, all)
      default:
        return schema.properties
          ? object(schema, all)
          : pick<unknown>(['x', 1, true, { a: 'b' }, ['a']])
    }
  }
  return make
}
