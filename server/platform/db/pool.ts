import pg from 'pg'
import { AppError, unavailable } from '../errors.ts'
import { FairShare } from '../fair-share.ts'
import { translate } from './failures.ts'
import { GroupCommit } from './group-commit.ts'
import { PLAIN_RECORDING, type Recording } from './recording.ts'
import { SharedReads } from './shared-reads.ts'
import type { Sql } from './sql.ts'
import { runCopyOut, runSnapshot, runStatement } from './statement.ts'
import { setTenant, type Tenant } from './tenant.ts'
import { runTransaction } from './transaction.ts'
import { type Connection, type Db, queryable, type TenantDb } from './types.ts'

// Timestamps become ISO strings with milliseconds, bigint counts numbers.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (value) => new Date(value).toISOString())
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A slow statement on the shared connection blocks all reads behind it. */
const SHARED_TIMEOUT_MS = 5000
/** How long a request waits for a connection. */
const CONNECT_TIMEOUT_MS = 10_000

const organizationBusy = () =>
  unavailable(
    'organization_busy',
    'Too many requests of this organization are waiting for the database; try again shortly',
    { retryAfter: 1 },
  )

interface DbOptions {
  max?: number
  statementTimeoutMs?: number
  /** Statement timeout of `listing`. */
  listTimeoutMs?: number
  /** Percentage of the connections that one tenant may hold at once. */
  tenantShare?: number
  /** Connections reserved for tables without a tenant, so that no tenant can block reading those. */
  spare?: number
  onError?: (error: Error) => void
  /** Called when a write failed for lack of disk space. */
  onFull?: () => void
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

const serviceConfig = (connection: Connection, timeoutMs: number): pg.ClientConfig =>
  ({
    // Indexes are in memory or on an SSD: a random read costs about as much as a sequential one.
    ...clientConfig(connection, [`-c statement_timeout=${timeoutMs}`, '-c random_page_cost=1.1']),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Sends the queries of a transaction without waiting for the results in between.
    pipeline: true,
  }) as pg.ClientConfig

type Use<T> = (client: pg.PoolClient) => Promise<T>

/** Lends out connections; a broken one is not reused. */
const lender =
  (pool: pg.Pool, translated: (error: unknown) => unknown) =>
  async <T>(use: Use<T>): Promise<T> => {
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
      const reported = translated(error)
      if (reported instanceof AppError && reported.reason === 'database_unavailable')
        broken ??= error instanceof Error ? error : new Error(String(error))
      throw reported
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

export function openDb(connection: Connection, options: DbOptions = {}): Db {
  const { max = 10, listTimeoutMs = 5000, tenantShare = 60, spare = 1 } = options
  const pool = new pg.Pool({
    ...serviceConfig(connection, options.statementTimeoutMs ?? 30_000),
    max,
  })
  pool.on('error', (error) => options.onError?.(error))
  const places = Math.max(1, max - spare)
  const shares = new FairShare({
    places,
    share: Math.max(1, Math.min(places, Math.floor((max * tenantShare) / 100))),
    patience: { ms: CONNECT_TIMEOUT_MS, refuse: organizationBusy },
  })
  const translated = (error: unknown): unknown => {
    const reported = translate(error)
    if (reported instanceof AppError && reported.reason === 'storage_full') options.onFull?.()
    return reported
  }
  const withClient = lender(pool, translated)
  /** Several tenants count as the first one: they belong to one caller. */
  const clientFor = <T>(tenant: Tenant, use: Use<T>): Promise<T> =>
    tenant === null
      ? withClient(use)
      : shares.run(typeof tenant === 'string' ? tenant : String(tenant[0]), () => withClient(use))
  const send = (tenant: Tenant, timeoutMs?: number) => (query: Sql) =>
    clientFor(tenant, (client) => runStatement(client, tenant, query, timeoutMs))

  const sharedReads = new SharedReads(serviceConfig(connection, SHARED_TIMEOUT_MS), translate)
  // It uses few connections for all tenants together, so it needs no fair share.
  const groupCommit = new GroupCommit(withClient, translated)

  const tenantWith =
    (recording: Recording) =>
    (id: string | readonly string[]): TenantDb => {
      const setId = setTenant(id)
      return {
        ...queryable(send(id), (query) => sharedReads.read(setId, query), send(id, listTimeoutMs)),
        recording,
        copyOut: (query, sink) => clientFor(id, (client) => runCopyOut(client, id, query, sink)),
        snapshot: (work) => clientFor(id, (client) => runSnapshot(client, id, recording, work)),
      }
    }

  const withRecording = (recording: Recording): Db => ({
    ...queryable(send(null), (query) => sharedReads.read(null, query), send(null, listTimeoutMs)),
    recording,
    withRecording,
    tenant: tenantWith(recording),
    tx: (organizationId, work, kind) => {
      const timeoutMs = kind === 'listing' ? listTimeoutMs : undefined
      return clientFor(organizationId, (client) =>
        runTransaction(client, organizationId, timeoutMs, recording, work),
      )
    },
    together: (organizationId, work) => groupCommit.run(setTenant(organizationId), recording, work),
    pool,
    async close() {
      await sharedReads.close()
      await pool.end()
    },
  })
  return withRecording(PLAIN_RECORDING)
}
