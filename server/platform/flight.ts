import type { Socket } from 'node:net'
import pg from 'pg'
import type { Sql } from './sql.ts'

// The driver asks PostgreSQL to describe the rows of a prepared statement each time it runs, and waits for the end of
// every statement apart. For reads of a single row that took longer than reading the row.

/** What the driver's connection can send; not in its types. */
interface DriverConnection {
  stream: Socket
  parse(statement: { name: string; text: string }): void
  close(statement: { type: 'S'; name: string }): void
  bind(portal: { statement: string; values?: unknown[]; valueMapper?: typeof prepareValue }): void
  describe(portal: { type: 'P'; name: string }): void
  execute(portal: Record<string, never>): void
  sync(): void
}

interface RowDescription {
  fields: { name: string; dataTypeID: number }[]
}

export interface Rows {
  rows: unknown[]
  rowCount: number
}
type ReadRow = (values: (string | null)[]) => Record<string, unknown>

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils

/** How to read the rows of the statements that a connection has prepared; null until they have been described. */
const prepared = new WeakMap<DriverConnection, Map<string, ReadRow | null>>()
/** The statement is not there, or its table has other columns by now: it has to be prepared anew. */
const OUTDATED = new Set(['26000', '0A000'])
const BEGIN = 'begin'

function rowReader({ fields }: RowDescription): ReadRow {
  const columns = fields.map(({ name, dataTypeID }) => ({
    name,
    parse: pg.types.getTypeParser(dataTypeID, 'text'),
  }))
  return (values) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) {
      const { name, parse } = columns[at]!
      const value = values[at]!
      row[name] = value === null ? null : parse(value)
    }
    return row
  }
}

/** A statement on its way. */
export class Passenger {
  /** Under which it is prepared; empty for one whose text may never come again. */
  readonly name: string
  readonly query: Sql
  readonly landed: Promise<Rows>
  readonly #end: { resolve(result: Rows): void; reject(error: unknown): void }
  #rows: unknown[] = []
  #rowCount = 0
  #unreadable: unknown = null
  readRow: ReadRow | null = null

  constructor(query: Sql) {
    this.query = query
    this.name = query.name === undefined ? '' : `flight_${query.name}`
    const { promise, ...end } = Promise.withResolvers<Rows>()
    this.landed = promise
    this.#end = end
  }

  /** Whatever an earlier flight brought is of no worth. */
  board(readRow: ReadRow | null): void {
    this.readRow = readRow
    this.#rows = []
    this.#unreadable = null
  }
  take(values: (string | null)[]): void {
    // Thrown here, it would stop the driver from reading on.
    try {
      this.#rows.push(this.readRow!(values))
    } catch (error) {
      this.#unreadable = error
    }
  }
  count(rowCount: number): void {
    this.#rowCount = rowCount
  }
  land(): void {
    if (this.#unreadable) this.fail(this.#unreadable)
    else this.#end.resolve({ rows: this.#rows, rowCount: this.#rowCount })
  }
  fail(error: unknown): void {
    this.#end.reject(error)
  }
}

/** How a flight ended. */
export interface Arrival {
  /** Undefined: all went well. */
  error?: Error
  /** How many statements came through. */
  through: number
  /** The statement failed because it must be prepared anew. */
  outdated: boolean
}

/** What is wrong with a statement, not with the connection. */
const isOfStatement = (error: Error): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '')

/**
 * Statements that are sent at once and answered at once: those of a tenant after `begin` and its `set local`. The
 * transaction is left open, so that an error does not reach what others have sent behind it; `commit` or `rollback` must
 * follow. After one that failed PostgreSQL passes over the rest.
 */
export class Flight extends pg.Query {
  readonly arrival: Promise<Arrival>
  readonly #arrive: (arrival: Arrival) => void
  readonly #setTenant: string | null
  readonly #passengers: Passenger[]
  #known!: Map<string, ReadRow | null>
  /** Whose answer comes next; those of `begin` and `set local` are before the first. */
  #at: number

  constructor(setTenant: string | null, passengers: Passenger[]) {
    super({ text: '' })
    const { promise, resolve } = Promise.withResolvers<Arrival>()
    this.arrival = promise
    this.#arrive = resolve
    this.#setTenant = setTenant
    this.#passengers = passengers
    this.#at = setTenant === null ? 0 : -2
  }

  // What the driver calls on a query, in the order of the messages.

  override submit = (driver: unknown): void => {
    const connection = driver as DriverConnection
    this.#known = prepared.get(connection) ?? new Map()
    prepared.set(connection, this.#known)
    connection.stream.cork()
    if (this.#setTenant !== null) {
      this.#prepare(connection, BEGIN, 'begin')
      connection.bind({ statement: BEGIN })
      connection.execute({})
      connection.parse({ name: '', text: this.#setTenant })
      connection.bind({ statement: '' })
      connection.execute({})
    }
    for (const passenger of this.#passengers) {
      const { name, query } = passenger
      this.#prepare(connection, name, query.text)
      connection.bind({ statement: name, values: query.values, valueMapper: prepareValue })
      const readRow = this.#known.get(name) ?? null
      passenger.board(readRow)
      if (!readRow) connection.describe({ type: 'P', name: '' })
      connection.execute({})
    }
    connection.sync()
    connection.stream.uncork()
  }

  #prepare(connection: DriverConnection, name: string, text: string): void {
    if (this.#known.has(name)) return
    if (name !== '') {
      connection.close({ type: 'S', name })
      this.#known.set(name, null)
    }
    connection.parse({ name, text })
  }

  handleRowDescription(description: RowDescription): void {
    const passenger = this.#passengers[this.#at]!
    passenger.readRow = rowReader(description)
    if (passenger.name !== '') this.#known.set(passenger.name, passenger.readRow)
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#passengers[this.#at]!.take(fields)
  }
  handleCommandComplete({ text }: { text: string }): void {
    // "UPDATE 3"
    this.#passengers[this.#at++]?.count(Number(/\d+$/.exec(text)?.[0] ?? 0))
  }
  handleReadyForQuery(): void {
    this.#arrive({ through: this.#passengers.length, outdated: false })
  }
  handleError(error: Error): void {
    const failed = this.#passengers[this.#at]
    const ofStatement = failed !== undefined && isOfStatement(error)
    const outdated = ofStatement && OUTDATED.has(error.code ?? '')
    if (outdated) this.#known.delete(failed.name)
    // Those behind it that were to be prepared were not.
    if (ofStatement)
      for (const { name, readRow } of this.#passengers.slice(this.#at + 1))
        if (!readRow) this.#known.delete(name)
    // A connection that is gone, or has no transaction, brought nobody anywhere.
    this.#arrive({ error, through: ofStatement ? this.#at : -1, outdated })
  }
}
