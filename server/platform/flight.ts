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
  readonly #rows: unknown[] = []
  #unreadable: unknown = null
  readRow: ReadRow | null = null
  again = false

  constructor(query: Sql) {
    this.query = query
    this.name = query.name === undefined ? '' : `flight_${query.name}`
    const { promise, ...end } = Promise.withResolvers<Rows>()
    this.landed = promise
    this.#end = end
  }

  take(values: (string | null)[]): void {
    // Thrown here, it would stop the driver from reading on.
    try {
      this.#rows.push(this.readRow!(values))
    } catch (error) {
      this.#unreadable = error
    }
  }
  complete(rowCount: number): void {
    if (this.#unreadable) this.fail(this.#unreadable)
    else this.#end.resolve({ rows: this.#rows, rowCount })
  }
  fail(error: unknown): void {
    this.#end.reject(error)
  }
}

/** What is wrong with a statement, not with the connection. */
const isOfStatement = (error: Error): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '')

/**
 * Statements that are sent at once and answered at once: those of a tenant after `begin` and its `set local`. The
 * transaction is left open, so that an error does not reach what others have sent behind it; `commit` or `rollback` must
 * follow. After one that failed PostgreSQL passes over the rest: they are given back for another flight. Several may
 * therefore travel together only if none of them writes.
 */
export class Flight extends pg.Query {
  readonly #setTenant: string | null
  readonly #passengers: Passenger[]
  readonly #giveBack: ((rest: Passenger[]) => void) | undefined
  #known!: Map<string, ReadRow | null>
  /** Whose answer comes next; those of `begin` and `set local` are before the first. */
  #at: number

  constructor(
    setTenant: string | null,
    passengers: Passenger[],
    giveBack?: (rest: Passenger[]) => void,
  ) {
    super({ text: '' })
    this.#setTenant = setTenant
    this.#passengers = passengers
    this.#giveBack = giveBack
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
      passenger.readRow = this.#known.get(name) ?? null
      if (!passenger.readRow) connection.describe({ type: 'P', name: '' })
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
    this.#passengers[this.#at++]?.complete(Number(/\d+$/.exec(text)?.[0] ?? 0))
  }
  handleReadyForQuery(): void {}
  handleError(error: Error): void {
    const rest = this.#passengers.slice(Math.max(this.#at, 0))
    const [failed, ...others] = rest
    if (this.#at < 0 || !failed || !isOfStatement(error)) {
      for (const passenger of rest) passenger.fail(error)
      return
    }
    // Those behind it that were to be prepared were not.
    for (const { name, readRow } of others) if (!readRow) this.#known.delete(name)
    const outdated = OUTDATED.has(error.code ?? '')
    if (outdated) this.#known.delete(failed.name)
    if (outdated && !failed.again && this.#giveBack) {
      failed.again = true
      others.unshift(failed)
    } else failed.fail(error)
    if (others.length > 0) this.#giveBack?.(others)
  }
}
