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

interface Rows {
  rows: unknown[]
  rowCount: number
}
type Done = (error: Error | null, result: Rows) => void
type ReadRow = (values: (string | null)[]) => Record<string, unknown>

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils

/** How to read the rows of the statements that a connection has prepared; null until they have been described. */
const prepared = new WeakMap<DriverConnection, Map<string, ReadRow | null>>()
/** The statement is not there, or its table has other columns by now: it has to be prepared anew. */
const OUTDATED = new Set(['26000', '0A000'])
const BEGIN = 'tenant_begin'

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

/**
 * A statement whose text never varies, after `begin` and the tenant's `set local`: all in one flight, answered in one.
 * It leaves the transaction open, so that an error does not reach what others have sent behind it; `commit` or
 * `rollback` must follow.
 */
export class TenantStatement extends pg.Query {
  readonly #name: string
  readonly #query: Sql
  readonly #setTenant: string
  readonly #done: Done
  readonly #rows: unknown[] = []
  #rowCount = 0
  #unreadable: Error | null = null
  #known!: Map<string, ReadRow | null>
  #readRow: ReadRow | null = null

  static run(client: pg.ClientBase, setTenant: string, query: Sql, name: string) {
    return new Promise<Rows>((resolve, reject) => {
      client.query(
        new TenantStatement(setTenant, query, name, (error, result) =>
          error ? reject(error) : resolve(result),
        ),
      )
    })
  }

  private constructor(setTenant: string, query: Sql, name: string, done: Done) {
    super({ text: query.text })
    this.#setTenant = setTenant
    this.#query = query
    this.#name = `tenant_${name}`
    this.#done = done
  }

  // What the driver calls on a query, in the order of the messages.

  override submit = (driver: unknown): void => {
    const connection = driver as DriverConnection
    this.#known = prepared.get(connection) ?? new Map()
    prepared.set(connection, this.#known)
    connection.stream.cork()
    this.#prepare(connection, BEGIN, 'begin')
    connection.bind({ statement: BEGIN })
    connection.execute({})
    connection.parse({ name: '', text: this.#setTenant })
    connection.bind({ statement: '' })
    connection.execute({})
    this.#prepare(connection, this.#name, this.#query.text)
    const { values } = this.#query
    connection.bind({ statement: this.#name, values, valueMapper: prepareValue })
    this.#readRow = this.#known.get(this.#name) ?? null
    if (!this.#readRow) connection.describe({ type: 'P', name: '' })
    connection.execute({})
    connection.sync()
    connection.stream.uncork()
  }

  #prepare(connection: DriverConnection, name: string, text: string): void {
    if (this.#known.has(name)) return
    connection.close({ type: 'S', name })
    connection.parse({ name, text })
    this.#known.set(name, null)
  }

  handleRowDescription(description: RowDescription): void {
    this.#readRow = rowReader(description)
    this.#known.set(this.#name, this.#readRow)
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    // Thrown here, it would stop the driver from reading on.
    try {
      this.#rows.push(this.#readRow!(fields))
    } catch (error) {
      this.#unreadable = error as Error
    }
  }
  handleCommandComplete({ text }: { text: string }): void {
    // The last one counts, which is the statement's own: "UPDATE 3".
    this.#rowCount = Number(/\d+$/.exec(text)?.[0] ?? 0)
  }
  handleReadyForQuery(): void {
    this.#done(this.#unreadable, { rows: this.#rows, rowCount: this.#rowCount })
  }
  handleError(error: Error & { code?: string }): void {
    if (error.code !== undefined && OUTDATED.has(error.code)) this.#known.delete(this.#name)
    this.#done(error, { rows: [], rowCount: 0 })
  }
}
