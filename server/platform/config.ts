import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf, OperatorError } from './errors.ts'
import { defaultsOf, LIMITS, type Limits, mapValues, parseLimits } from './limits.ts'
import { Allowlist } from './outbound/allowlist.ts'
import type { Shares } from './quota.ts'
import { withoutTrailing } from './trailing.ts'

/** One setting. `parse` throws the message that follows the name of the setting. */
interface Setting<T> {
  env: string
  parse: (raw: string) => T
  /** The default as shown in the docs; the value itself is `fallback`. */
  fallback: T
  default: string
  about: string
  secret?: true
}

const setting = <T>(definition: Setting<T>): Setting<T> => definition

const text = (raw: string): string => raw
const optionalText = (raw: string): string | undefined => raw
function integer(minimum: number, maximum: number) {
  return (raw: string): number => {
    const value = Number(raw)
    if (!/^\d+$/.test(raw) || value < minimum || value > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}, not "${raw}"`)
    }
    return value
  }
}
/** With a fraction, down to a tenth: 0.5 is half a second. */
function seconds(minimum: number, maximum: number) {
  return (raw: string): number => {
    const value = Number(raw)
    if (!/^\d+(\.\d)?$/.test(raw) || value < minimum || value > maximum) {
      throw new Error(
        `must be a number of seconds from ${minimum} to ${maximum}, with at most one decimal, not "${raw}"`,
      )
    }
    return value
  }
}
function oneOf<const T extends string>(...values: T[]) {
  return (raw: string): T => {
    const found = values.find((value) => value === raw)
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${raw}"`)
    return found
  }
}
function url(...protocols: string[]) {
  return (raw: string): string => {
    const parsed = URL.parse(raw)
    if (!parsed || !protocols.includes(parsed.protocol)) {
      // The value may contain a password: do not repeat it.
      throw new Error(
        `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      )
    }
    return withoutTrailing('/', raw)
  }
}
/** Not parsed further: WHATWG URL rejects addresses with a socket in the query (user@/name?host=/run/…). */
function databaseAddress(raw: string): string | undefined {
  if (!/^postgres(ql)?:\/\/./.test(raw))
    throw new Error('must be a URL that starts with postgres://')
  return raw
}
function email(raw: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(raw)) throw new Error('must be an e-mail address')
  return raw
}
function atLeast(length: number) {
  return (raw: string): string => {
    if (raw.length < length) throw new Error(`must have at least ${length} characters`)
    return raw
  }
}
/** 16 random characters cannot be guessed through a throttled API; shorter keys tend to be words. */
const MIN_KEY_LENGTH = 16
const MIN_PASSWORD_LENGTH = 8
const MIN_TOKEN_LENGTH = 16

function masterKey(raw: string): Buffer {
  const key = Buffer.from(raw, 'base64')
  if (key.length !== 32) throw new Error('must be 32 bytes in base64')
  return key
}
const list = (raw: string): string[] =>
  raw
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function outboundAllow(raw: string): string[] {
  const entries = list(raw)
  new Allowlist(entries)
  return entries
}

export const DEFAULT_DRAIN_SECONDS = 5

/** Three nested limits, the narrowest first. */
function shares(raw: string): Shares {
  const [principal = 0, tenant = 0, process = 0, ...more] = raw
    .split(',')
    .map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : 0))
  if (principal < 1 || tenant < principal || process < tenant || more.length > 0)
    throw new Error(`must be three whole numbers in ascending order, such as 2,4,8, not "${raw}"`)
  return { principal, tenant, process }
}
const SHARES = 'per administrator or service account, per organization or provider, in total'

/** Every setting of the process. docs/settings.md is generated from this table. */
export const settings = {
  port: setting({
    env: 'PORT',
    parse: integer(0, 65535),
    fallback: 8080,
    default: '8080',
    about: 'Port to listen on; 0 picks a free one',
  }),
  host: setting({
    env: 'HOST',
    parse: text,
    fallback: '127.0.0.1',
    default: '127.0.0.1',
    about: 'Address to listen on',
  }),
  dataDir: setting({
    env: 'GATEHOUSE_DATA_DIR',
    parse: text,
    // Not of the working directory: the command line works on the same data from every folder.
    fallback: fileURLToPath(new URL('../../data', import.meta.url)),
    default: '`data` in the installation',
    about: 'Directory of the embedded PostgreSQL, the master key and the demo credentials',
  }),
  databaseUrl: setting({
    env: 'DATABASE_URL',
    parse: databaseAddress,
    fallback: undefined,
    default: 'unset: embedded PostgreSQL',
    about: 'Use this PostgreSQL (15 or newer) instead of the embedded one',
    secret: true,
  }),
  databaseOwnerUrl: setting({
    env: 'GATEHOUSE_DATABASE_OWNER_URL',
    parse: databaseAddress,
    fallback: undefined,
    default: 'DATABASE_URL',
    about:
      'Login that owns the tables, used for migrations only; DATABASE_URL can then be a restricted login that is a member of gatehouse_service',
    secret: true,
  }),
  databasePool: setting({
    env: 'GATEHOUSE_DATABASE_POOL',
    parse: integer(2, 500),
    fallback: 10,
    default: '10',
    about: 'Database connections per process',
  }),
  tenantShare: setting({
    env: 'GATEHOUSE_TENANT_SHARE',
    parse: integer(1, 100),
    fallback: 60,
    default: '60',
    about:
      'Percentage of the database connections that one organization may use at once; its further requests wait for up to 10 seconds',
  }),
  listTimeout: setting({
    env: 'GATEHOUSE_LIST_TIMEOUT_MS',
    parse: integer(100, 600_000),
    fallback: 5000,
    default: '5000',
    about:
      'Statement timeout of lists, searches and traversals of the directory; after that the response is 503',
  }),
  publicUrl: setting({
    env: 'GATEHOUSE_PUBLIC_URL',
    parse: url('http:', 'https:') as (raw: string) => string | undefined,
    fallback: undefined,
    default: 'http://localhost:$PORT',
    about: 'Base URL that users and service providers see',
  }),
  region: setting({
    env: 'GATEHOUSE_REGION',
    parse: oneOf('us', 'eu', 'in'),
    fallback: 'us',
    default: 'us',
    about:
      'Region of this installation: us, eu or in; shown in the contract, on /readyz and by `gatehouse version`',
  }),
  role: setting({
    env: 'GATEHOUSE_ROLE',
    parse: oneOf('all', 'web', 'worker'),
    fallback: 'all',
    default: 'all',
    about: 'Role of this process: serve requests (web), run jobs (worker), or both (all)',
  }),
  adminEmail: setting({
    env: 'GATEHOUSE_ADMIN_EMAIL',
    parse: email,
    fallback: 'admin@gatehouse.local',
    default: 'admin@gatehouse.local',
    about: 'E-mail address of the first administrator, who is created if there is none',
  }),
  adminPassword: setting({
    env: 'GATEHOUSE_ADMIN_PASSWORD',
    parse: atLeast(MIN_PASSWORD_LENGTH) as (raw: string) => string | undefined,
    fallback: undefined,
    default: 'chosen by a link that the start prints',
    about: `Password of the first administrator, ${MIN_PASSWORD_LENGTH} characters or more`,
    secret: true,
  }),
  adminApiKey: setting({
    env: 'GATEHOUSE_ADMIN_API_KEY',
    parse: atLeast(MIN_KEY_LENGTH) as (raw: string) => string | undefined,
    fallback: undefined,
    default: 'generated, printed once',
    about: `API key of the first administrator, ${MIN_KEY_LENGTH} characters or more`,
    secret: true,
  }),
  masterKey: setting({
    env: 'GATEHOUSE_MASTER_KEY',
    parse: masterKey as (raw: string) => Buffer | undefined,
    fallback: undefined,
    default: 'generated file in the data directory',
    about: 'Key that encrypts the data keys of all stored secrets; 32 bytes in base64',
    secret: true,
  }),
  logLevel: setting({
    env: 'GATEHOUSE_LOG_LEVEL',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    fallback: process.stdout.isTTY ? 'warn' : 'info',
    default: 'info; warn on a terminal',
    about: 'Lowest level that is logged',
  }),
  trustedProxies: setting({
    env: 'GATEHOUSE_TRUSTED_PROXIES',
    parse: list,
    fallback: [] as string[],
    default: 'none',
    about: 'Addresses or CIDRs, comma-separated, whose X-Forwarded-* headers are trusted',
  }),
  outboundAllow: setting({
    env: 'GATEHOUSE_OUTBOUND_ALLOW',
    parse: outboundAllow,
    fallback: [] as string[],
    default: 'none',
    about:
      'Private networks (CIDR), addresses and host names, comma-separated, that outbound calls may reach; also over plain HTTP',
  }),
  signInWindowMinutes: setting({
    env: 'GATEHOUSE_SIGN_IN_WINDOW_MINUTES',
    parse: integer(1, 1440),
    fallback: 15,
    default: '15',
    about: 'Window in which failed sign-ins are counted',
  }),
  signInBlockMinutes: setting({
    env: 'GATEHOUSE_SIGN_IN_BLOCK_MINUTES',
    parse: integer(1, 1440),
    fallback: 15,
    default: '15',
    about: 'How long an account, name or address is blocked after too many failed sign-ins',
  }),
  adminSignInFailures: setting({
    env: 'GATEHOUSE_ADMIN_SIGN_IN_FAILURES',
    parse: integer(1, 1000),
    fallback: 5,
    default: '5',
    about: 'Failed sign-ins that lock an administrator',
  }),
  adminAddressFailures: setting({
    env: 'GATEHOUSE_ADMIN_ADDRESS_FAILURES',
    parse: integer(1, 1_000_000),
    fallback: 50,
    default: '50',
    about: 'Failed console sign-ins that block an address (IPv6: a /64), except for known devices',
  }),
  userSignInFailures: setting({
    env: 'GATEHOUSE_USER_SIGN_IN_FAILURES',
    parse: integer(1, 1000),
    fallback: 30,
    default: '30',
    about:
      "Failed sign-ins that block a user or an unknown name, in addition to the organization's password policy",
  }),
  userAddressFailures: setting({
    env: 'GATEHOUSE_USER_ADDRESS_FAILURES',
    parse: integer(1, 1_000_000),
    fallback: 200,
    default: '200',
    about: 'Failed sign-ins of users that block an address (IPv6: a /64), except for known devices',
  }),
  rateLimit: setting({
    env: 'GATEHOUSE_RATE_LIMIT',
    parse: integer(0, 10_000_000),
    fallback: 0,
    default: '0 (off)',
    about:
      'Requests per minute for each administrator, service account and system, and for each address (IPv6: a /64) of unauthenticated callers; more get 429',
  }),
  maxLag: setting({
    env: 'GATEHOUSE_SHED_LAG_MS',
    parse: integer(0, 60_000),
    fallback: 0,
    default: '0 (off)',
    about: 'Respond 503 while the event loop lag exceeds this many milliseconds',
  }),
  bodyLimit: setting({
    env: 'GATEHOUSE_BODY_LIMIT',
    parse: integer(1024, 1_073_741_824),
    fallback: 1_048_576,
    default: '1048576',
    about: 'Maximum size of a request body in bytes',
  }),
  headSeconds: setting({
    env: 'GATEHOUSE_HEAD_SECONDS',
    parse: seconds(0.1, 300),
    fallback: 60,
    default: '60',
    about: 'How long the headers of a request may take to arrive; slower ones answer 408',
  }),
  bodySeconds: setting({
    env: 'GATEHOUSE_BODY_SECONDS',
    parse: seconds(0.1, 3600),
    fallback: 60,
    default: '60',
    about: 'How long a request body may take to arrive; ingest has its own settings',
  }),
  searchSeconds: setting({
    env: 'GATEHOUSE_SEARCH_SECONDS',
    parse: seconds(0.1, 3600),
    fallback: 60,
    default: '60',
    about:
      'How long an event search may take, with all its database statements; after that the response is 503',
  }),
  streams: setting({
    env: 'GATEHOUSE_STREAMS',
    parse: shares,
    fallback: shares('20,50,200'),
    default: '20,50,200',
    about: `Concurrent event streams in a process: ${SHARES}; more get 429`,
  }),
  exports: setting({
    env: 'GATEHOUSE_EXPORTS',
    parse: shares,
    fallback: shares('2,4,8'),
    default: '2,4,8',
    about: `Concurrent event exports in a process: ${SHARES}; more get 429`,
  }),
  downloads: setting({
    env: 'GATEHOUSE_DOWNLOADS',
    parse: shares,
    fallback: shares('4,8,32'),
    default: '4,8,32',
    about: `Concurrent report downloads in a process: ${SHARES}; more get 429`,
  }),
  ingestBodies: setting({
    env: 'GATEHOUSE_INGEST_BODIES',
    parse: shares,
    fallback: shares('2,4,8'),
    default: '2,4,8',
    about: `Concurrent ingest requests in a process: ${SHARES}; more get 429`,
  }),
  ingestSeconds: setting({
    env: 'GATEHOUSE_INGEST_SECONDS',
    parse: seconds(0.1, 86_400),
    fallback: 3600,
    default: '3600',
    about: 'How long an ingest request may take in total; events stored by then are kept',
  }),
  ingestIdleSeconds: setting({
    env: 'GATEHOUSE_INGEST_IDLE_SECONDS',
    parse: seconds(0.1, 3600),
    fallback: 30,
    default: '30',
    about: 'How long an ingest request may be idle before it is aborted',
  }),
  shutdownSeconds: setting({
    env: 'GATEHOUSE_SHUTDOWN_SECONDS',
    parse: seconds(0, 3600),
    fallback: 20,
    default: '20',
    about: 'How long requests in flight may take to finish after SIGTERM',
  }),
  drainSeconds: setting({
    env: 'GATEHOUSE_DRAIN_SECONDS',
    parse: seconds(0, 3600) as (raw: string) => number | undefined,
    fallback: undefined,
    default: '5 with DATABASE_URL, otherwise 0; 0 for a worker',
    about:
      'How long a process keeps serving after SIGTERM, not ready and with Connection: close, so that the load balancer notices',
  }),
  minFreeBytes: setting({
    env: 'GATEHOUSE_MIN_FREE_BYTES',
    parse: integer(0, Number.MAX_SAFE_INTEGER),
    fallback: 1_073_741_824,
    default: '1073741824',
    about:
      'The log and /readyz warn while the disk of the embedded PostgreSQL has less free space than this',
  }),
  eventVersion: setting({
    env: 'GATEHOUSE_EVENT_VERSION',
    parse: oneOf('number', 'text'),
    fallback: 'number',
    default: 'number',
    about:
      'How new events of the service write `@version`: as the documents of their service do (number), or as text, which some collectors require',
  }),
  settlingSeconds: setting({
    env: 'GATEHOUSE_EVENT_SETTLING_SECONDS',
    parse: integer(0, 3600),
    fallback: 0,
    default: '0',
    about:
      'Queries, streams, exports and forwarders show an event only when it is this old, so that ingested events, which carry the time of their sender, do not appear behind a reader’s position',
  }),
  minRetentionDays: setting({
    env: 'GATEHOUSE_MIN_RETENTION_DAYS',
    parse: integer(1, 3650),
    fallback: 7,
    default: '7',
    about: 'Shortest event retention, in days, that an organization may choose',
  }),
  smtpUrl: setting({
    env: 'GATEHOUSE_SMTP_URL',
    parse: url('smtp:', 'smtps:') as (raw: string) => string | undefined,
    fallback: undefined,
    default: 'unset: mail is stored and shown by `gatehouse mail`',
    about: 'Mail server, such as smtps://user:password@mail.example.com',
    secret: true,
  }),
  mailFrom: setting({
    env: 'GATEHOUSE_MAIL_FROM',
    parse: text,
    fallback: 'Gatehouse <gatehouse@localhost>',
    default: 'Gatehouse <gatehouse@localhost>',
    about: 'Sender of mail',
  }),
  geoipDatabase: setting({
    env: 'GATEHOUSE_GEOIP_DATABASE',
    parse: optionalText,
    fallback: undefined as string | undefined,
    default: 'unset: events carry no location',
    about: 'MaxMind database (.mmdb) for the location of addresses; reloaded when it is replaced',
  }),
  metricsToken: setting({
    env: 'GATEHOUSE_METRICS_TOKEN',
    parse: atLeast(MIN_TOKEN_LENGTH) as (raw: string) => string | undefined,
    fallback: undefined,
    default: 'unset',
    about: `Bearer token that /metrics then requires, even from this machine; ${MIN_TOKEN_LENGTH} characters or more`,
    secret: true,
  }),
  metrics: setting({
    env: 'GATEHOUSE_METRICS',
    parse: oneOf('loopback', 'open'),
    fallback: 'loopback',
    default: 'loopback',
    about:
      'Who may read /metrics while no token is set: this machine, not through a proxy (loopback), or everyone (open)',
  }),
} as const

/** One per group of limits in limits.ts. */
const limitSettings = mapValues(LIMITS, (group) =>
  setting({
    env: group.env,
    parse: (raw) => parseLimits(group, raw),
    fallback: defaultsOf(group),
    default: 'see its table',
    about: group.about,
  }),
)

type Settings = {
  [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never
}
export interface Config extends Omit<Settings, 'publicUrl' | 'drainSeconds'> {
  publicUrl: string
  drainSeconds: number
  limits: Limits
  /** Reachable from this machine only, so mails may appear in the log. */
  development: boolean
}

function read(env: NodeJS.ProcessEnv, definition: Setting<unknown>): string | undefined {
  const direct = env[definition.env]
  const file = definition.secret ? env[`${definition.env}_FILE`] : undefined
  if (file === undefined || file === '') return direct === '' ? undefined : direct
  if (direct) throw new OperatorError(`${definition.env} and ${definition.env}_FILE are both set`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new OperatorError(`${definition.env}_FILE: ${messageOf(error)}`)
  }
}

const valuesOf = <T extends Record<string, Setting<unknown>>>(env: NodeJS.ProcessEnv, table: T) =>
  mapValues(table, (definition) => {
    const raw = read(env, definition)
    try {
      return raw === undefined ? definition.fallback : definition.parse(raw)
    } catch (error) {
      throw new OperatorError(`${definition.env} ${messageOf(error)}`)
    }
  })

/** Reads and validates every setting; an invalid or unknown one stops the start with a one-line error. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const definitions: Setting<unknown>[] = Object.values({ ...settings, ...limitSettings })
  const known = new Set(definitions.flatMap((d) => (d.secret ? [d.env, `${d.env}_FILE`] : [d.env])))
  const unknown = Object.keys(env).find((name) => name.startsWith('GATEHOUSE_') && !known.has(name))
  if (unknown) {
    throw new OperatorError(`${unknown} is not a setting; see docs/settings.md`)
  }
  const config = valuesOf(env, settings) as Settings
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`
  // With an embedded database there is no other process to take over. A worker gets no requests.
  const alone = config.databaseUrl === undefined || config.role === 'worker'
  return {
    ...config,
    drainSeconds: config.drainSeconds ?? (alone ? 0 : DEFAULT_DRAIN_SECONDS),
    dataDir: resolve(config.dataDir),
    publicUrl,
    limits: valuesOf(env, limitSettings) as Limits,
    development: ['localhost', '127.0.0.1', '[::1]'].includes(new URL(publicUrl).hostname),
  }
}

/** The demo calls services on the same machine. */
export const demoEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  GATEHOUSE_OUTBOUND_ALLOW: [env.GATEHOUSE_OUTBOUND_ALLOW ?? '', '127.0.0.0/8', '::1'].join(','),
})

/** The settings in force, with secrets hidden: `gatehouse config print`. */
export function describeConfig(config: Config): Record<string, unknown> {
  const shown = (values: object, [key, { env, secret }]: [string, Setting<unknown>]) => {
    const value = values[key as keyof typeof values]
    return [env, secret && value !== undefined ? '(set)' : (value ?? null)]
  }
  return Object.fromEntries([
    ...Object.entries(settings).map((entry) => shown(config, entry)),
    ...Object.entries(limitSettings).map((entry) => shown(config.limits, entry)),
  ])
}

/** The OpenTelemetry SDK reads its own standard variables; we only check whether any is set. */
export const tracingRequested = (env: NodeJS.ProcessEnv = process.env): boolean =>
  env.OTEL_SDK_DISABLED !== 'true' &&
  Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
