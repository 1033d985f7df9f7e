// Limits per request and on concurrent work, grouped by the setting that changes them. Functions take the group that they
// need as an argument: applications in one process may differ.

interface Limit {
  fallback: number
  max: number
  about: string
}

interface LimitGroup {
  env: `GATEHOUSE_${string}_LIMITS`
  about: string
  of: Readonly<Record<string, Limit>>
}

const limit = (fallback: number, about: string, max = 1_000_000_000): Limit => ({
  fallback,
  max,
  about,
})

/** For any untrusted XML document. */
const xml = (bytes: number, elements: number, attributes: number, namespaces: number) => ({
  bytes: limit(bytes, 'Document size in bytes'),
  elements: limit(elements, 'Elements'),
  // The parser's own maximum.
  depth: limit(32, 'Nesting depth of elements', 256),
  attributes: limit(attributes, 'Attributes, including namespace declarations'),
  elementAttributes: limit(50, 'Attributes per element'),
  namespaces: limit(namespaces, 'Namespace declarations'),
  sections: limit(50, 'CDATA sections'),
  references: limit(1000, 'References such as `&lt;`'),
})

export const LIMITS = {
  list: {
    env: 'GATEHOUSE_LIST_LIMITS',
    about: 'One list or search of the directory; exceeding one answers 400',
    of: {
      comparisons: limit(200, "Comparisons in all filters, or conditions in a group's rule"),
      depth: limit(16, 'Nesting depth of filters', 500),
      inValues: limit(10_000, 'Distinct values in one `in`'),
      valueLength: limit(1024, 'Characters in a name, a value or a term'),
      wildcards: limit(10, 'Wildcards per value'),
      terms: limit(50, 'Terms per search'),
      searchFields: limit(50, 'Fields searched'),
      lookups: limit(500, 'Terms of a search multiplied by its fields'),
      sorts: limit(10, 'Fields to sort by'),
      fields: limit(200, 'Names in `fields`'),
      regexLength: limit(512, 'Characters in a `$regex`'),
      // PostgreSQL's own maximum.
      regexRepetitions: limit(100, 'Repetition count in a `$regex`', 255),
      regexSize: limit(
        2000,
        'Characters and classes in a `$regex`, multiplied by their repetitions',
      ),
    },
  },
  events: {
    env: 'GATEHOUSE_EVENT_LIMITS',
    about: 'One event query, or one event; exceeding one answers 400',
    of: {
      services: limit(100, 'Names in `service`'),
      fields: limit(500, 'Names in `fields`'),
      terms: limit(10_000, 'Terms and groups of terms in a search'),
      depth: limit(32, 'Nesting depth of groups of terms', 500),
      values: limit(50_000, 'Values in all terms; duplicates in one list count once'),
      units: limit(
        10_000,
        'Cost of the search: 20 for contains, startsWith and endsWith, 0.1 per value in a list, 1 for any other term',
      ),
      valueLength: limit(32_768, 'Characters in a value'),
      fieldLength: limit(256, 'Characters in a field name'),
      buckets: limit(20_000, 'Buckets in an interval query'),
      eventLength: limit(
        1_048_576,
        'Characters in one ingested event; longer ones are skipped and reported',
        268_435_456,
      ),
    },
  },
  saml: {
    env: 'GATEHOUSE_SAML_LIMITS',
    about: 'One SAML message from a service provider; exceeding one answers 400',
    of: {
      ...xml(32_768, 100, 200, 20),
      prefixes: limit(10, 'Prefixes in an InclusiveNamespaces'),
      valueLength: limit(1024, 'Characters in a value that is echoed'),
      values: limit(20, 'Values in a list, such as authentication contexts'),
      relayState: limit(16_384, 'Characters in RelayState'),
    },
  },
  metadata: {
    env: 'GATEHOUSE_METADATA_LIMITS',
    about: 'Imported service provider metadata; exceeding one answers 400 or 413',
    of: { ...xml(262_144, 1000, 2000, 200), comments: limit(200, 'Comments') },
  },
  forms: {
    env: 'GATEHOUSE_FORM_LIMITS',
    about: 'Request bodies other than JSON; exceeding one answers 413',
    of: {
      bytes: limit(65_536, 'Bytes in a form: a SAML message by POST, a token request'),
      logoBytes: limit(1_048_576, 'Bytes in an application logo'),
    },
  },
  tenant: {
    env: 'GATEHOUSE_TENANT_LIMITS',
    about: 'Per organization or provider',
    of: {
      forwarders: limit(20, 'Forwarders; more answer 409'),
      reports: limit(20, 'Reports in progress; more answer 429'),
      largePages: limit(
        4,
        'Concurrent pages of 2000 or more events in a process; more wait, then answer 429',
      ),
      streamReads: limit(2, 'Streams reading at once in a process; others queue'),
      forwarding: limit(3, 'Forwarders sending at once in a process; others queue'),
      provisioning: limit(3, 'Connections provisioning at once in a process; others queue'),
    },
  },
  process: {
    env: 'GATEHOUSE_PROCESS_LIMITS',
    about: 'Concurrent work in one process, across all organizations; more is queued',
    of: {
      largePages: limit(12, 'Pages of 2000 or more events being sent'),
      streamReads: limit(3, 'Streams reading'),
      forwarding: limit(8, 'Forwarders sending'),
      provisioning: limit(8, 'Connections provisioning'),
    },
  },
  console: {
    env: 'GATEHOUSE_CONSOLE_LIMITS',
    about: "An administrator's session in the console",
    of: {
      idleMinutes: limit(60, 'Idle minutes after which it ends', 1440),
      confirmedMinutes: limit(10, 'Minutes for which a password confirmation is valid', 1440),
    },
  },
} as const satisfies Record<string, LimitGroup>

export type Limits = {
  [G in keyof typeof LIMITS]: { [L in keyof (typeof LIMITS)[G]['of']]: number }
}

export type EventLimits = Limits['events']
export type ListLimits = Limits['list']
export type SamlLimits = Limits['saml']

export const mapValues = <T extends object, R>(object: T, map: (value: T[keyof T]) => R) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)])) as {
    [K in keyof T]: R
  }

export const defaultsOf = ({ of }: Pick<LimitGroup, 'of'>): Record<string, number> =>
  mapValues(of, ({ fallback }) => fallback)

/** Parses `terms=20,fields=10`; limits not named keep their defaults. */
export function parseLimits({ of }: Pick<LimitGroup, 'of'>, raw: string): Record<string, number> {
  const values = defaultsOf({ of })
  for (const part of raw.split(',')) {
    const [name = '', digits = ''] = part.split('=').map((word) => word.trim())
    const known = Object.hasOwn(of, name) ? of[name] : undefined
    if (!known)
      throw new Error(`has no limit "${name}"; the limits are ${Object.keys(of).join(', ')}`)
    const value = Number(digits)
    if (!/^\d+$/.test(digits) || value < 1 || value > known.max)
      throw new Error(
        `requires a whole number from 1 to ${known.max} for ${name}, such as ${name}=${known.fallback}`,
      )
    values[name] = value
  }
  return values
}

/** For what runs without a configuration. */
export const DEFAULT_LIMITS = mapValues(LIMITS, defaultsOf) as Limits
