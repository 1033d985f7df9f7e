import pg from 'pg'
import { asQuery as asDriverQuery, CopyOut, DatabaseSocket, type RowSink } from './copy-out.ts'
import { AppError, codeOf, invalid, unavailable } from './errors.ts'
import { FairShare } from './fair-share.ts'
import { Ferry, type Party } from './ferry.ts'
import { fly, Passenger } from './flight.ts'
import { isId } from './ids.ts'
import { Lane } from './lane.ts'
import { type Question, Recall, whole } from './recall.ts'
import { Recent } from './recent.ts'
import { inlined, type Sql } from './sql.ts'

/** Where and as whom to connect. Host may be a directory that holds a unix socket. */
export interface Connection {
  connectionString?: string
  host?: string
  user?: string
  password?: string
  database?: string
  port?: number
  /** The role to act as, when the login itself is more powerful. */
  role?: string
}

export interface Queryable {
  many<T>(query: Sql): Promise<T[]>
  one<T>(query: Sql): Promise<T | undefined>
  /**
   * One row by its key, over a connection that all requests share. Only for statements that read a handful
   * of rows: a slow one would hold up those behind it, and one that fails undoes what it shares its transaction with.
   */
  find<T>(query: Sql): Promise<T | undefined>
  /** The same for rows that hardly change: one that was read before is read again only if it has changed. */
  recall<T>(question: Question): Promise<Readonly<T> | undefined>
  /** Runs a statement and tells how many rows it touched. */
  run(query: Sql): Promise<number>
  /**
   * The same for questions whose form a caller chooses, such as lists and searches: each statement has a few seconds.
   * In a transaction they have what that has.
   */
  readonly listing: Queryable
}

export interface TenantDb extends Queryable {
  /** The rows as bytes, in the format of a binary COPY: large answers, without a string for every value. */
  copyOut(query: Sql, sink: RowSink): Promise<void>
}

export interface Tx extends Queryable {
  /** Parameterized text from a library that writes its own SQL (pg-boss). */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** Called once the commit is durable; not called after a rollback. */
  afterCommit(callback: () => void): void
}

/** `listing`: each statement has as long as one of a list. */
export type TxKind = 'listing'

/**
 * Global tables (providers, organizations, administrators, key hashes) are read through Db itself.
 * Tenant tables answer only inside `tenant(id)` or `tx(id, …)`: row-level security hides them otherwise.
 */
export interface Db extends Queryable {
  /** Several ids only for reading events, whose policy knows lists. */
  tenant(organizationId: string | readonly string[]): TenantDb
  tx<T>(organizationId: string | null, work: (tx: Tx) => Promise<T>, kind?: TxKind): Promise<T>
  /**
   * A change whose statements are all sent at once, before any of them is answered, and which fails only if one of
   * them does. It may share its commit with changes of other requests; its own statements take effect together or
   * not at all. What `work` does after the first answer is done after the commit.
   */
  together<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T>
  readonly pool: pg.Pool
  close(): Promise<void>
}

// Timestamps travel as ISO strings with milliseconds, bigint counts as numbers.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (value) => new Date(value).toISOString())
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const CONNECTION_LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08006',
  '53300',
])
const CONNECTION_LOST_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Cannot use a pool after/

/** A database that is away is a 503 with a reason, and text it cannot hold a 400; neither is a 500. */
export function translate(error: unknown): unknown {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  const lost =
    (code !== undefined && CONNECTION_LOST.has(code)) ||
    (error instanceof Error && CONNECTION_LOST_TEXT.test(error.message))
  if (lost) {
    return unavailable(
      'database_unavailable',
      'The database is not available at the moment; try again shortly',
      {
        cause: error,
        retryAfter: 1,
      },
    )
  }
  // U+0000, and half a surrogate pair in JSON: text to JavaScript, but not to the database.
  const unstorable =
    code === '22021' ||
    code === '22P05' ||
    (code === '22P02' && error instanceof Error && /json/.test(error.message))
  if (unstorable) {
    const message = 'A value contains a character that cannot be stored, such as U+0000'
    return invalid('bad_character', message, { cause: error })
  }
  // Two changes each waited for what the other held, and the database ended one: it can be made again.
  if (code === '40P01' || code === '40001') {
    return unavailable('conflicting_change', 'Another change was in the way; try again', {
      cause: error,
      retryAfter: 1,
    })
  }
  if (code === '53100' || code === 'ENOSPC') {
    const message = 'The disk of the database is full; nothing can be written until there is space'
    return unavailable('storage_full', message, { cause: error, retryAfter: 30 })
  }
  if (code === '53200') {
    const message = 'The database has no memory left for this request; try again shortly'
    return unavailable('database_out_of_memory', message, { cause: error, retryAfter: 5 })
  }
  if (code === '57014') {
    return unavailable(
      'statement_timeout',
      'The database took too long to answer this request; ask for less, or try again later',
      { cause: error, retryAfter: 5 },
    )
  }
  return error
}

export function clientConfig(connection: Connection, options: string[] = []): pg.ClientConfig {
  const { role, ...rest } = connection
  const flags = role ? [`-c role=${role}`, ...options] : options
  return {
    ...rest,
    application_name: 'gatehouse',
    ...(flags.length > 0 && { options: flags.join(' ') }),
  }
}

type Result = Pick<pg.QueryResult, 'rows' | 'rowCount'>
type Send = (query: Sql) => Promise<Result>

function queryable(
  send: Send,
  sendShared: Send = send,
  recall: Queryable['recall'] = async <T>(question: Question) =>
    (await send(whole(question))).rows[0] as T | undefined,
  sendListing?: Send,
): Queryable {
  return {
    get listing() {
      return sendListing ? queryable(sendListing, sendShared, recall) : this
    },
    recall,
    many: async <T>(query: Sql) => (await send(query)).rows as T[],
    one: async <T>(query: Sql) => (await send(query)).rows[0] as T | undefined,
    find: async <T>(query: Sql) => (await sendShared(query)).rows[0] as T | undefined,
    run: async (query) => (await send(query)).rowCount ?? 0,
  }
}

const asQuery = ({ text, values, name }: Sql): pg.QueryConfig =>
  name ? { text, values, name } : { text, values }

/**
 * SET LOCAL, not set_config(): Citus propagates only the former to its shards. An id is hex by its
 * check, so it can stand in the text.
 */
function setTenant(tenant: string | readonly string[]): string {
  const ids = typeof tenant === 'string' ? [tenant] : tenant
  if (!ids.every(isId)) throw new Error('A tenant id must be 24 hex characters')
  return `set local "app.organization_id" = '${ids.join(',')}'`
}

/** In milliseconds; undefined for the one of the connection. */
const setTimeLimit = (timeLimit: number) => `set local statement_timeout = ${timeLimit}`

const begin = (tenant: Tenant, timeLimit?: number): string =>
  [
    'begin',
    ...(tenant === null ? [] : [setTenant(tenant)]),
    ...(timeLimit === undefined ? [] : [setTimeLimit(timeLimit)]),
  ].join('; ')

type Tenant = string | readonly string[] | null

/** One round trip: with a tenant, all statements are on the wire before the first answer comes back. */
async function statement(
  client: pg.ClientBase,
  organizationId: Tenant,
  query: Sql,
  timeLimit?: number,
): Promise<Result> {
  if (organizationId === null && timeLimit === undefined) return client.query(asQuery(query))
  if (organizationId !== null && query.name !== undefined && timeLimit === undefined) {
    const passenger = new Passenger(query)
    const { error } = await fly(client, setTenant(organizationId), [passenger])
    if (error) throw error
    passenger.land()
    return passenger.landed
  }
  const [, result] = await Promise.all([
    client.query(begin(organizationId, timeLimit)),
    client.query(asQuery(query)),
    client.query('commit'),
  ])
  return result
}

/** COPY has the connection to itself, so what belongs to it is not sent ahead. */
async function copyOut(
  client: pg.ClientBase,
  tenant: Tenant,
  query: Sql,
  sink: RowSink,
): Promise<void> {
  const mode = client as pg.ClientBase & { pipeline: boolean }
  mode.pipeline = false
  try {
    // All in one text, and so in one round trip.
    const text = `${begin(tenant)}; copy (${inlined(query)}) to stdout (format binary); commit`
    const copy = new CopyOut(text, sink)
    client.query(asDriverQuery(copy))
    await copy.done
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    mode.pipeline = true
  }
}

/** Organizations whose way to their tables is kept at hand. */
const MOST_TENANTS = 1000

/** Whatever holds up the shared connection holds up everybody on it. */
const LANE_TIMEOUT_MS = 5000

/** How long anybody waits for a connection. */
const PATIENCE_MS = 10_000

const organizationBusy = () =>
  unavailable(
    'organization_busy',
    'Earlier requests of the same organization are still waiting for the database; try again shortly',
    { retryAfter: 1 },
  )

export interface DbOptions {
  max?: number
  statementTimeoutMs?: number
  /** For what is asked through `listing`. */
  listTimeoutMs?: number
  /** How much of the connections one tenant may hold at once, in percent. */
  tenantShare?: number
  /** Connections that are left to tables without a tenant, so that no tenant is waited for to read those. */
  spare?: number
  onError?: (error: Error) => void
  /** Something could not be written for want of space. */
  onFull?: () => void
}

export function openDb(connection: Connection, options: DbOptions = {}): Db {
  const settings = (timeoutMs: number): pg.ClientConfig =>
    ({
      // Indexes are in memory or on a disk without a head: reading along one costs about as much as the table itself.
      ...clientConfig(connection, [`-c statement_timeout=${timeoutMs}`, '-c random_page_cost=1.1']),
      connectionTimeoutMillis: PATIENCE_MS,
      stream: () => new DatabaseSocket(),
      // Queries of one transaction are written without waiting for the answers in between.
      pipeline: true,
    }) as pg.ClientConfig
  const { max = 10, listTimeoutMs = 5000, tenantShare = 60, spare = 1 } = options
  const pool = new pg.Pool({ ...settings(options.statementTimeoutMs ?? 30_000), max })
  const tenantPlaces = Math.max(1, max - spare)
  const share = new FairShare({
    places: tenantPlaces,
    share: Math.max(1, Math.min(tenantPlaces, Math.floor((max * tenantShare) / 100))),
    patience: { ms: PATIENCE_MS, refuse: organizationBusy },
  })
  pool.on('error', (error) => options.onError?.(error))

  const told = (error: unknown): unknown => {
    const translated = translate(error)
    if (translated instanceof AppError && translated.reason === 'storage_full') options.onFull?.()
    return translated
  }

  async function withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient
    try {
      client = await pool.connect()
    } catch (error) {
      throw translate(error)
    }
    let broken: Error | undefined
    const onError = (error: Error) => {
      broken = error
    }
    client.on('error', onError)
    try {
      return await use(client)
    } catch (error) {
      const translated = told(error)
      if (translated instanceof AppError && translated.reason === 'database_unavailable') {
        broken ??= error instanceof Error ? error : new Error(String(error))
      }
      throw translated
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

  /** Of several tenants the first one counts: they are asked for by one caller. */
  const clientFor = <T>(tenant: Tenant, use: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
    tenant === null
      ? withClient(use)
      : share.run(typeof tenant === 'string' ? tenant : String(tenant[0]), () => withClient(use))

  // It has few connections at once, for all tenants together, so none of them waits for a share.
  const ferry = new Ferry(withClient)
  const memory = new Recall()
  const lane = new Lane(settings(LANE_TIMEOUT_MS), { onConnect: () => memory.forget(), translate })
  const tenants = new Recent<TenantDb>(MOST_TENANTS)

  function tenant(organization: string | readonly string[]): TenantDb {
    const name = String(organization)
    const known = tenants.get(name)
    if (known) return known
    // A list of its own: what is kept under this name must stay what it is.
    const organizationId = typeof organization === 'string' ? organization : [...organization]
    const setIt = setTenant(organizationId)
    const send = (query: Sql, timeLimit?: number) =>
      clientFor(organizationId, (client) => statement(client, organizationId, query, timeLimit))
    const made: TenantDb = {
      ...queryable(
        (query) => send(query),
        (query) => lane.read(setIt, query),
        (question) => memory.find(name, question, (query, key) => lane.read(setIt, query, key)),
        (query) => send(query, listTimeoutMs),
      ),
      copyOut: (query, sink) =>
        clientFor(organizationId, (client) => copyOut(client, organizationId, query, sink)),
    }
    tenants.set(name, made)
    return made
  }

  return {
    ...queryable(
      (query) => withClient((client) => statement(client, null, query)),
      (query) => lane.read(null, query),
      undefined,
      (query) => withClient((client) => statement(client, null, query, listTimeoutMs)),
    ),

    tenant,

    tx: (organizationId, work, kind) =>
      clientFor(organizationId, async (client) => {
        const callbacks: (() => void)[] = []
        const timeLimit = kind === 'listing' ? listTimeoutMs : undefined
        const started = client.query(begin(organizationId, timeLimit))
        // The work's first query follows without waiting; a failed begin fails that query, too.
        started.catch(() => {})
        const tx: Tx = {
          ...queryable((query) => client.query(asQuery(query))),
          execute: (text, values) => client.query(text, values),
          afterCommit: (callback) => callbacks.push(callback),
        }
        let result: Awaited<ReturnType<typeof work>>
        try {
          result = await work(tx)
          await started
        } catch (error) {
          await client.query('rollback').catch(() => {})
          throw error
        }
        await client.query('commit')
        for (const callback of callbacks) callback()
        return result
      }),

    async together(organizationId, work) {
      const party: Party = { passengers: [], abandoned: false }
      const callbacks: (() => void)[] = []
      let left = false
      const send = (query: Sql) => {
        if (left) throw new Error('A change that is made together has no second round')
        const passenger = new Passenger(query)
        party.passengers.push(passenger)
        return passenger.landed
      }
      const tx: Tx = {
        ...queryable(send),
        execute: () => Promise.reject(new Error('Not in a change that is made together')),
        afterCommit: (callback) => callbacks.push(callback),
      }
      const done = work(tx)
      left = true
      if (party.passengers.length > 0) ferry.board(setTenant(organizationId), party)
      try {
        const result = await done
        for (const callback of callbacks) callback()
        return result
      } catch (error) {
        party.abandoned = true
        throw told(error)
      }
    },

    pool,
    async close() {
      await lane.close()
      await pool.end()
    },
  }
}

/** True when a unique index (or, if named, that one) refused the row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    codeOf(error) === '23505' &&
    (constraint === undefined || (error as { constraint?: string }).constraint === constraint)
  )
}

/** True when a column that must have a value refused the row. */
export function isNullViolation(error: unknown, table: string, column: string): boolean {
  const refused = error as { table?: string; column?: string }
  return codeOf(error) === '23502' && refused.table === table && refused.column === column
}
