import type pg from 'pg'
import type { RowSink } from './copy-out.ts'
import type { Sql } from './sql.ts'

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
   * One row by its key, over a connection that all requests share (shared-reads.ts). Only for statements that read a
   * handful of rows: a slow one would hold up those behind it, and one that fails undoes its whole transaction.
   */
  find<T>(query: Sql): Promise<T | undefined>
  /** Runs a statement and returns how many rows it touched. */
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
type TxKind = 'listing'

/**
 * Global tables (providers, organizations, administrators, key hashes) are read through Db itself.
 * Tenant tables answer only inside `tenant(id)` or `tx(id, …)`: row-level security hides them otherwise.
 */
export interface Db extends Queryable {
  /** Several ids only for reading events, whose policy knows lists. */
  tenant(organizationId: string | readonly string[]): TenantDb
  tx<T>(organizationId: string | null, work: (tx: Tx) => Promise<T>, kind?: TxKind): Promise<T>
  /**
   * Group commit: a change whose statements are all sent at once, before any of them is answered, and which fails only
   * if one of them does. It may share its commit with changes of other requests; its own statements take effect
   * together or not at all. What `work` does after the first answer is done after the commit.
   */
  together<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T>
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** What a statement comes back with. */
export type Result = Pick<pg.QueryResult, 'rows' | 'rowCount'>
type Send = (query: Sql) => Promise<Result>

/** The methods of Queryable over whatever sends statements. */
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
