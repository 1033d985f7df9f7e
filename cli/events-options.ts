import { readFileSync } from 'node:fs'
import { withoutTrailing } from '../server/platform/trailing.ts'
import { type Options, UsageError, type Values } from './command.ts'

// Options shared by the verbs of `gatehouse events`.

const several = 'may be repeated'

export const TARGET = {
  url: { type: 'string', value: 'URL', about: 'The service; http://localhost:$PORT by default' },
  key: { type: 'string', value: 'KEY', about: 'API key; visible to other users of this machine' },
  'key-file': { type: 'string', value: 'FILE', about: 'File that contains the API key' },
  org: {
    type: 'string',
    multiple: true,
    value: 'ID',
    about: `Organization, for keys with access to several; ${several}`,
  },
  provider: { type: 'string', value: 'ID', about: 'Events of the provider instead' },
} as const satisfies Options

export const FILTER = {
  service: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    about: `Service; all by default; ${several}`,
  },
  search: {
    type: 'string',
    value: 'JSON',
    about: 'Search term, such as {"and":[{"success":false}]}',
  },
  field: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    about: `Only this field, as a dotted path; ${several}`,
  },
} as const satisfies Options

export const TIMES = {
  since: { type: 'string', value: 'TIME', about: 'RFC 3339, or 15m, 2h, 7d ago; 1h by default' },
  until: { type: 'string', value: 'TIME', about: 'Same formats; now by default' },
} as const satisfies Options

export interface Target {
  baseUrl: string
  apiKey: string
  organizationIds: string[]
  providerId: string | undefined
}

function readKey(key: string | undefined, file: string | undefined): string {
  if ((key === undefined) === (file === undefined))
    throw new UsageError('either --key or --key-file must be given')
  const text = (key ?? readFileSync(file!, 'utf8')).trim()
  // An invalid header value would fail later, with a message that does not name the key.
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UsageError('The API key is empty or not one line')
  return text
}

export function readTarget(options: Values<typeof TARGET>): Target {
  const {
    url = `http://localhost:${process.env.PORT ?? 8080}`,
    key,
    'key-file': file,
    org: organizationIds,
    provider,
  } = options
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url must be an HTTP URL, not "${url}"`)
  if (provider !== undefined && organizationIds.length > 0)
    throw new UsageError('--org and --provider are mutually exclusive')
  return {
    baseUrl: withoutTrailing('/', url),
    apiKey: readKey(key, file),
    organizationIds,
    providerId: provider,
  }
}

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `15m` ago, or a date; returns milliseconds. */
export function readTime(name: string, text: string, now = Date.now()): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * UNITS[unit as keyof typeof UNITS] * 1000
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new UsageError(`--${name} must be a date such as 2026-01-31T12:00:00Z, or 15m, 2h, 7d`)
  return time
}

export interface Filter {
  service: string[]
  search_term?: unknown
  fields?: string[]
}

export function readFilter(options: Values<typeof FILTER>): Filter {
  const { service, field: fields, search } = options
  let term: unknown
  try {
    if (search !== undefined) term = JSON.parse(search)
  } catch {
    throw new UsageError('--search must be JSON, such as {"and":[{"success":false}]}')
  }
  return {
    service: service.length > 0 ? service : ['all'],
    ...(term !== undefined && { search_term: term }),
    ...(fields.length > 0 && { fields }),
  }
}

export interface Selection extends Filter {
  start_time: string
  end_time?: string
}

/** Without --since, begins at `start`. */
export function readSelection(
  options: Values<typeof TIMES> & Values<typeof FILTER>,
  start = '1h',
): Selection {
  const { since = start, until } = options
  return {
    ...readFilter(options),
    start_time: new Date(readTime('since', since)).toISOString(),
    ...(until !== undefined && { end_time: new Date(readTime('until', until)).toISOString() }),
  }
}
