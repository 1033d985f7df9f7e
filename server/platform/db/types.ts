import type pg from 'pg'
import type { RowSink } from './copy-out.ts'
import type { Recording } from './recording.ts'
import type { Sql } from './sql.ts'

/** Where to connect, and as which role. The host may be the directory of a unix socket. */
export interface Connection {
  connectionString?: string
  host?: string
  user?: string
  password?: string
  database?: string
  port?: number
  /** The role to switch to when the login has more privileges. */
  role?: string
}

export interface Queryable {
  many<T>(query: Sql): Promise<T[]>
  one<T>(query: Sql): Promise<T | undefined>
  /**
   * One row by its key, over a connection that all requests share (shared-reads.ts). Only for reads of a handful of
   * rows: a slow one blocks those behind it, and a failing one rolls back the shared transaction.
   */
  find<T>(query: Sql): Promise<T | undefined>
  /** Returns the number of affected rows. */
  run(query: Sql): Promise<number>
  /**
   * For queries shaped by the caller, such as lists and searches: each statement has a timeout of a few seconds. Inside
   * a transaction the transaction's timeout applies.
   */
  readonly listing: Queryable
}

interface Reads {
  readonly recording: Recording
  many<T>(query: Sql): Promise<T[]>
  /** The rows in binary COPY format: large results without a string per value. */
  copyOut(query: Sql, sink: RowSink): Promise<void>
}

/** Statements that all see the database as it was at the first of them; one at a time. */
export type Snapshot = Reads

export interface TenantDb extends Queryable, Reads {
  /** A read-only transaction. */
  snapshot<T>(work: (db: Snapshot) => Promise<T>): Promise<T>
}

/** Binary COPY only when no other statement of the transaction is on its way. */
export interface Tx extends Queryable, Reads {
  /** Parameterized SQL of a library (pg-boss). */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** Called once the commit is durable; not called after a rollback. */
  afterCommit(callback: () => void): void
}

/** `listing`: each statement has the timeout of a list. */
type TxKind = 'listing'

/**
 * Global tables (providers, organizations, administrators, key hashes) are read through Db itself. Tenant tables need
 * `tenant(id)` or `tx(id, …)`: row-level security hides them otherwise.
 */
export interface Db extends Queryable {
  readonly recording: Recording
  /** The same connections, for an application with this recording. */
  withRecording(recording: Recording): Db
  /** Several ids are for reading events only, whose policy accepts lists. */
  tenant(organizationId: string | readonly string[]): TenantDb
  tx<T>(organizationId: string | null, work: (tx: Tx) => Promise<T>, kind?: TxKind): Promise<T>
  /**
   * Group commit: for a change that sends all its statements before the first result and fails only if one of them
   * does. It may share its commit with changes of other requests, but stays atomic. Code in `work` after the first
   * result runs after the commit.
   */
  together<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T>
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** The result of a statement. */
export type Result = Pick<pg.QueryResult, 'rows' | 'rowCount'>
type Send = (query: Sql) => Promise<Result>

/** Implements Queryable over any function that sends statements. */
export function queryable(send: Send, sendShared: Send = send, sendListing?: Send): Queryable {
  return {
    get listing() {
      return sendListing ? queryable(sendListing, sendShared) : this
    },
    many: async <T>(query: Sql) => (await send(query)).rows as T[],
    one: async <T>(query: Sql) => (await send(query)).rows[0] as T | undefined,
    find: async <T>(query: Sql) => (await sendShared(query)).rows[0] as T | undefined,
    run: async (query) => (await send(query)).rowCount ?? 0,
  }
}
