import pg from 'pg'
import {
  type PendingStatement,
  type ReadRow,
  type RowDescription,
  rowReader,
} from './pending-statement.ts'

// The driver describes a prepared statement every time it runs, and waits for each result before it sends the next
// statement. For reads of a single row this took longer than the read itself.

/** The driver's connection methods; missing from its types. */
interface DriverConnection {
  stream: { cork(): void; uncork(): void; destroy(error: Error): void }
  parse(statement: { name: string; text: string }): void
  close(statement: { type: 'S'; name: string }): void
  bind(portal: { statement: string; values?: unknown[] }): void
  describe(portal: { type: 'P'; name: string }): void
  execute(portal: Record<string, never>): void
  sync(): void
}

/** Row readers of the statements prepared on a connection; null until described. */
const prepared = new WeakMap<DriverConnection, Map<string, ReadRow | null>>()
/** The statement does not exist, or its table changed: it must be prepared again. */
const OUTDATED = new Set(['26000', '0A000'])
/** The transaction of the previous pipeline on this connection failed and is not rolled back yet. */
const IN_FAILED_TRANSACTION = '25P02'
const BEGIN = 'begin'
const COMMIT = 'commit'
const COMMANDS = [BEGIN, COMMIT]

/** How a pipeline ended. */
interface Outcome {
  /** Undefined on success. */
  error?: Error
  /** Statements completed before the error (and rolled back by it); -1 when no statement caused it. */
  answered: number
  /** Why it can be retried: a statement must be prepared again, or the previous pipeline failed. */
  because?: 'outdated' | 'neighbour'
}

/** An error of a statement, not of the connection. */
const isOfStatement = (error: Error): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '')

/**
 * Statements sent together, before any result arrives; those of a tenant between `begin`, its `set local` and `commit`.
 * After a failure PostgreSQL skips the rest, including `commit`, and waits for a `rollback`.
 */
class Pipeline extends pg.Query {
  readonly outcome: Promise<Outcome>
  readonly #resolve: (outcome: Outcome) => void
  readonly #setTenant: string | null
  readonly #statements: PendingStatement[]
  #connection!: DriverConnection
  #known!: Map<string, ReadRow | null>
  /** Index of the statement whose result comes next; negative for `begin` and `set local`. */
  #at: number

  constructor(setTenant: string | null, statements: PendingStatement[]) {
    super('')
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.outcome = promise
    this.#resolve = resolve
    this.#setTenant = setTenant
    this.#statements = statements
    this.#at = setTenant === null ? 0 : -2
  }

  // Called by the driver on a query, in the order of the messages.

  override submit = (driver: unknown): void => {
    const connection = driver as DriverConnection
    this.#connection = connection
    this.#known = prepared.get(connection) ?? new Map()
    prepared.set(connection, this.#known)
    // Sends them all in one system call.
    connection.stream.cork()
    if (this.#setTenant !== null) {
      for (const command of COMMANDS) this.#prepare(connection, command, command)
      this.#run(connection, BEGIN)
      connection.parse({ name: '', text: this.#setTenant })
      connection.bind({ statement: '' })
      connection.execute({})
    }
    for (const statement of this.#statements) {
      const { name, text, values } = statement
      this.#prepare(connection, name, text)
      connection.bind({ statement: name, values })
      const readRow = this.#known.get(name) ?? null
      statement.begin(readRow)
      if (!readRow) connection.describe({ type: 'P', name: '' })
      connection.execute({})
    }
    if (this.#setTenant !== null) this.#run(connection, COMMIT)
    connection.sync()
    connection.stream.uncork()
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

  /** The statement that the message is about. Without one the connection is out of step, and of no more use. */
  #current(message: string): PendingStatement | undefined {
    const statement = this.#statements[this.#at]
    if (!statement) this.#connection.stream.destroy(new Error(`A ${message} came out of turn`))
    return statement
  }

  handleRowDescription(description: RowDescription): void {
    const statement = this.#current('RowDescription')
    if (!statement) return
    statement.readRow = rowReader(description)
    if (statement.name !== '') this.#known.set(statement.name, statement.readRow)
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#current('DataRow')?.addRow(fields)
  }
  handleCommandComplete({ text }: { text: string }): void {
    // "UPDATE 3"
    this.#statements[this.#at++]?.count(Number(text.slice(text.lastIndexOf(' ') + 1)) || 0)
  }
  handleReadyForQuery(): void {
    this.#resolve({ answered: this.#statements.length })
  }
  handleError(error: Error): void {
    // A lost connection completed no statement.
    if (!isOfStatement(error)) {
      this.#resolve({ error, answered: -1 })
      return
    }
    const failed = this.#statements[this.#at]
    // These statements were not prepared.
    for (const { name, readRow } of this.#statements.slice(Math.max(this.#at, 0)))
      if (!readRow) this.#known.delete(name)
    const outdated = OUTDATED.has(error.code ?? '')
    if (outdated) for (const name of failed ? [failed.name] : COMMANDS) this.#known.delete(name)
    const neighbour = error.code === IN_FAILED_TRANSACTION
    this.#resolve({
      error,
      answered: failed && !neighbour ? this.#at : -1,
      ...(outdated && { because: 'outdated' }),
      ...(neighbour && { because: 'neighbour' }),
    })
  }
}

/** Sends the statements together. A failed transaction is rolled back before anything else can be sent. */
export async function runPipeline(
  client: pg.ClientBase,
  setTenant: string | null,
  statements: PendingStatement[],
): Promise<Outcome> {
  const pipeline = new Pipeline(setTenant, statements)
  client.query(pipeline)
  const outcome = await pipeline.outcome
  // If the rollback fails, the connection is lost; its next user gets the error.
  if (outcome.error && setTenant !== null && outcome.because !== 'neighbour')
    client.query('rollback').catch(() => {})
  return outcome
}
