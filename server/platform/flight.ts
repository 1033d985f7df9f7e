import pg from 'pg'
import type { Sql } from './sql.ts'

// The driver asks PostgreSQL to describe the rows of a prepared statement each time it runs, and waits for the end of
// every statement apart. For reads of a single row that took longer than reading the row.

/** What the driver's connection can send; not in its types. */
interface DriverConnection {
  parse(statement: { name: string; text: string }): void
  close(statement: { type: 'S'; name: string }): void
  bind(portal: { statement: string; values?: unknown[] }): void
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
/** The transaction of another flight, right before it on the same connection, has failed and waits for its end. */
const IN_FAILED_TRANSACTION = '25P02'
const BEGIN = 'begin'
const COMMIT = 'commit'
const COMMANDS = [BEGIN, COMMIT]

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
  readonly text: string
  /** As they are sent. One that cannot be is refused here: halfway through a flight it would be too late. */
  readonly values: unknown[]
  readonly landed: Promise<Rows>
  readonly #end: { resolve(result: Rows): void; reject(error: unknown): void }
  #rows: unknown[] = []
  #rowCount = 0
  #unreadable: unknown = null
  readRow: ReadRow | null = null

  constructor(query: Sql) {
    this.text = query.text
    this.values = query.values.map(prepareValue)
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
  /** How many statements were answered before the error, which undid what they did; -1: none, and none is to blame. */
  through: number
  /** It can go again: a statement has to be prepared anew, or the flight before it has failed. */
  because?: 'outdated' | 'neighbour'
}

/** What is wrong with a statement, not with the connection. */
const isOfStatement = (error: Error): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '')

/**
 * Statements that are sent at once and answered at once: those of a tenant between `begin`, its `set local` and `commit`.
 * After one that failed PostgreSQL passes over the rest, `commit` included, and waits for a `rollback`.
 */
class Flight extends pg.Query {
  readonly arrival: Promise<Arrival>
  readonly #arrive: (arrival: Arrival) => void
  readonly #setTenant: string | null
  readonly #passengers: Passenger[]
  #known!: Map<string, ReadRow | null>
  /** Whose answer comes next; those of `begin` and `set local` are before the first. */
  #at: number

  constructor(setTenant: string | null, passengers: Passenger[]) {
    super('')
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
    if (this.#setTenant !== null) {
      for (const command of COMMANDS) this.#prepare(connection, command, command)
      this.#run(connection, BEGIN)
      connection.parse({ name: '', text: this.#setTenant })
      connection.bind({ statement: '' })
      connection.execute({})
    }
    for (const passenger of this.#passengers) {
      const { name, text, values } = passenger
      this.#prepare(connection, name, text)
      connection.bind({ statement: name, values })
      const readRow = this.#known.get(name) ?? null
      passenger.board(readRow)
      if (!readRow) connection.describe({ type: 'P', name: '' })
      connection.execute({})
    }
    if (this.#setTenant !== null) this.#run(connection, COMMIT)
    connection.sync()
  }

  #run(connection: DriverConnection, command: string): void {
    connection.bind({ statement: command })
    connection.execute({})
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
    this.#arrive({ through: this.#passengers.length })
  }
  handleError(error: Error): void {
    // A connection that is gone brought nobody anywhere.
    if (!isOfStatement(error)) {
      this.#arrive({ error, through: -1 })
      return
    }
    const failed = this.#passengers[this.#at]
    // What was to be prepared from there on was not.
    for (const { name, readRow } of this.#passengers.slice(Math.max(this.#at, 0)))
      if (!readRow) this.#known.delete(name)
    const outdated = OUTDATED.has(error.code ?? '')
    if (outdated) for (const name of failed ? [failed.name] : COMMANDS) this.#known.delete(name)
    const neighbour = error.code === IN_FAILED_TRANSACTION
    this.#arrive({
      error,
      through: failed && !neighbour ? this.#at : -1,
      ...(outdated && { because: 'outdated' }),
      ...(neighbour && { because: 'neighbour' }),
    })
  }
}

/** Takes them there and back. A transaction that fails is ended before anything else can be sent. */
export async function fly(
  client: pg.ClientBase,
  setTenant: string | null,
  passengers: Passenger[],
): Promise<Arrival> {
  const flight = new Flight(setTenant, passengers)
  client.query(flight)
  const arrival = await flight.arrival
  // If that fails, the connection is gone, and whoever uses it next hears of it.
  if (arrival.error && setTenant !== null && arrival.because !== 'neighbour')
    client.query('rollback').catch(() => {})
  return arrival
}
