// Limits of what others may ask for at once, by the setting that changes them. They are read where they hold, as far
// down as a pure function goes, so they are one object of the process; the composition root sets it before anything runs.

interface Limit {
  fallback: number
  most: number
  about: string
}

interface LimitGroup {
  env: `GATEHOUSE_${string}_LIMITS`
  about: string
  of: Readonly<Record<string, Limit>>
}

const limit = (fallback: number, about: string, most = 1_000_000_000): Limit => ({
  fallback,
  most,
  about,
})

/** Of any XML document from outside. */
const xml = (bytes: number, elements: number, attributes: number, namespaces: number) => ({
  bytes: limit(bytes, 'Bytes of the document'),
  elements: limit(elements, 'Elements'),
  // The parser itself goes no deeper.
  depth: limit(32, 'Elements within elements', 256),
  attributes: limit(attributes, 'Attributes, declarations of namespaces among them'),
  elementAttributes: limit(50, 'Attributes of one element'),
  namespaces: limit(namespaces, 'Declarations of namespaces'),
  sections: limit(50, 'CDATA sections'),
  references: limit(1000, 'References such as `&lt;`'),
})

export const LIMITS = {
  list: {
    env: 'GATEHOUSE_LIST_LIMITS',
    about: 'One list or search of the directory; over them is 400',
    of: {
      comparisons: limit(200, "Comparisons in all filters, or conditions of a group's rule"),
      depth: limit(16, 'Filters within filters', 500),
      inValues: limit(10_000, 'Different values of one `in`'),
      valueLength: limit(1024, 'Characters of a name, a value or a term'),
      wildcards: limit(10, 'Wildcards of one value'),
      terms: limit(50, 'Terms of a search'),
      searchFields: limit(50, 'Fields that are searched'),
      lookups: limit(500, 'Terms of a search times its fields'),
      sorts: limit(10, 'Fields to sort by'),
      fields: limit(200, 'Names in `fields`'),
      regexLength: limit(512, 'Characters of a `$regex`'),
      // The database knows no larger count.
      regexRepetitions: limit(100, 'The count of a repetition in a `$regex`', 255),
      regexSize: limit(
        2000,
        'Characters and classes of a `$regex`, each as often as it is repeated',
      ),
    },
  },
  events: {
    env: 'GATEHOUSE_EVENT_LIMITS',
    about: 'One query of events, or one event; over them is 400',
    of: {
      services: limit(100, 'Names in `service`'),
      fields: limit(500, 'Names in `fields`'),
      terms: limit(10_000, 'Terms of a search, and groups of them'),
      depth: limit(32, 'Groups of terms within groups', 500),
      values: limit(50_000, 'Values of all terms; those of one list that are equal count once'),
      units: limit(
        10_000,
        'What the search costs: 20 for contains, startsWith and endsWith, 0.1 for a value of a list, 1 for any other term',
      ),
      valueLength: limit(32_768, 'Characters of a value'),
      fieldLength: limit(256, 'Characters of the name of a field'),
      buckets: limit(20_000, 'Steps of an interval query'),
      eventLength: limit(
        1_048_576,
        'Characters of one event that is ingested; a longer one is skipped and told',
        268_435_456,
      ),
    },
  },
  saml: {
    env: 'GATEHOUSE_SAML_LIMITS',
    about: 'One SAML message from a service provider; over them it is refused as unreadable (400)',
    of: {
      ...xml(32_768, 100, 200, 20),
      prefixes: limit(10, 'Prefixes of an InclusiveNamespaces'),
      valueLength: limit(1024, 'Characters of a value that we repeat'),
      values: limit(20, 'Values of a list, such as classes of authentication'),
      relayState: limit(16_384, 'Characters of RelayState'),
    },
  },
  metadata: {
    env: 'GATEHOUSE_METADATA_LIMITS',
    about: 'Metadata of a service provider to import; over them is 400, or 413',
    of: { ...xml(262_144, 1000, 2000, 200), comments: limit(200, 'Comments') },
  },
  forms: {
    env: 'GATEHOUSE_FORM_LIMITS',
    about: 'What browsers and clients send otherwise than as JSON; over them is 413',
    of: {
      bytes: limit(65_536, 'Bytes of a form: a SAML message by POST, a request for a token'),
      logoBytes: limit(1_048_576, 'Bytes of the logo of an application'),
    },
  },
  tenant: {
    env: 'GATEHOUSE_TENANT_LIMITS',
    about: 'One organization or provider',
    of: {
      forwarders: limit(20, 'Forwarders that it may have; more answer 409'),
      reports: limit(20, 'Reports that are being made; more answer 429'),
      largePages: limit(
        4,
        'Pages of 2000 events and more on their way at once in a process; more wait, then 429',
      ),
      streamReads: limit(2, 'Streams that read at once in a process; others wait their turn'),
      forwarding: limit(3, 'Forwarders that send at once in a process; others wait their turn'),
    },
  },
  process: {
    env: 'GATEHOUSE_PROCESS_LIMITS',
    about: 'Work at once in one process, of all organizations; what is more waits its turn',
    of: {
      largePages: limit(12, 'Pages of 2000 events and more on their way'),
      streamReads: limit(3, 'Streams that read'),
      forwarding: limit(8, 'Forwarders that send'),
    },
  },
  console: {
    env: 'GATEHOUSE_CONSOLE_LIMITS',
    about: "An administrator's session in the console",
    of: {
      idleMinutes: limit(60, 'Minutes without a request that end it', 1440),
      confirmedMinutes: limit(10, 'Minutes for which a password that was given again counts', 1440),
    },
  },
} as const satisfies Record<string, LimitGroup>

export type Limits = {
  [G in keyof typeof LIMITS]: { [L in keyof (typeof LIMITS)[G]['of']]: number }
}

export const mapValues = <T extends object, R>(object: T, map: (value: T[keyof T]) => R) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)])) as {
    [K in keyof T]: R
  }

export const defaultsOf = ({ of }: Pick<LimitGroup, 'of'>): Record<string, number> =>
  mapValues(of, ({ fallback }) => fallback)

/** As in `terms=20,fields=10`: those that are not named keep their defaults. */
export function parseLimits({ of }: Pick<LimitGroup, 'of'>, raw: string): Record<string, number> {
  const values = defaultsOf({ of })
  for (const part of raw.split(',')) {
    const [name = '', digits = ''] = part.split('=').map((word) => word.trim())
    const known = Object.hasOwn(of, name) ? of[name] : undefined
    if (!known) throw new Error(`has no limit "${name}", only ${Object.keys(of).join(', ')}`)
    const value = Number(digits)
    if (!/^\d+$/.test(digits) || value < 1 || value > known.most)
      throw new Error(
        `needs a whole number from 1 to ${known.most} for ${name}, as in ${name}=${known.fallback}`,
      )
    values[name] = value
  }
  return values
}

/** The limits in force. */
export const limits = mapValues(LIMITS, defaultsOf) as Limits

export const setLimits = (wanted: Limits): void => void Object.assign(limits, wanted)
