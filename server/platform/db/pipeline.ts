import pg from 'pg'
import {
  type PendingStatement,
  type ReadRow,
  type RowDescription,
  rowReader,
} from './pending-statement.ts'

// The driver asks PostgreSQL to describe the rows of a prepared statement each time it runs, and waits for each
// statement to end before it sends the next. For reads of a single row that took longer than reading the row.

/** What the driver's connection can send; not in its types. */
interface DriverConnection {
  stream: { cork(): void; uncork(): void }
  parse(statement: { name: string; text: string }): void
  close(statement: { type: 'S'; name: string }): void
  bind(portal: { statement: string; values?: unknown[] }): void
  describe(portal: { type: 'P'; name: string }): void
  execute(portal: Record<string, never>): void
  sync(): void
}

/** How to read the rows of the statements that a connection has prepared; null until they have been described. */
const prepared = new WeakMap<DriverConnection, Map<string, ReadRow | null>>()
/** The statement is not there, or its table has other columns by now: it has to be prepared anew. */
const OUTDATED = new Set(['26000', '0A000'])
/** The transaction of the pipeline before it on the same connection has failed and waits for its end. */
const IN_FAILED_TRANSACTION = '25P02'
const BEGIN = 'begin'
const COMMIT = 'commit'
const COMMANDS = [BEGIN, COMMIT]

/** How a pipeline ended. */
interface Outcome {
  /** Undefined: all went well. */
  error?: Error
  /** How many statements were answered before the error, which undid what they did; -1: none, and none is to blame. */
  answered: number
  /** It can be sent again: a statement has to be prepared anew, or the pipeline before it has failed. */
  because?: 'outdated' | 'neighbour'
}

/** What is wrong with a statement, not with the connection. */
const isOfStatement = (error: Error): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '')

/**
 * Statements that are sent at once and answered at once: those of a tenant between `begin`, its `set local` and `commit`.
 * After one that failed PostgreSQL passes over the rest, `commit` included, and waits for a `rollback`.
 */
class Pipeline extends pg.Query {
  readonly outcome: Promise<Outcome>
  readonly #resolve: (outcome: Outcome) => void
  readonly #setTenant: string | null
  readonly #statements: PendingStatement[]
  #known!: Map<string, ReadRow | null>
  /** Whose answer comes next; those of `begin` and `set local` are before the first. */
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

  // What the driver calls on a query, in the order of the messages.

  override submit = (driver: unknown): void => {
    const connection = driver as DriverConnection
    this.#known = prepared.get(connection) ?? new Map()
    prepared.set(connection, this.#known)
    // One system call for all of them.
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

  handleRowDescription(description: RowDescription): void {
    const statement = this.#statements[this.#at]!
    statement.readRow = rowReader(description)
    if (statement.name !== '') this.#known.set(statement.name, statement.readRow)
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#statements[this.#at]!.addRow(fields)
  }
  handleCommandComplete({ text }: { text: string }): void {
    // "UPDATE 3"
    this.#statements[this.#at++]?.count(Number(/\d+$/.exec(text)?.[0] ?? 0))
  }
  handleReadyForQuery(): void {
    this.#resolve({ answered: this.#statements.length })
  }
  handleError(error: Error): void {
    // On a connection that is gone nothing was answered.
    if (!isOfStatement(error)) {
      this.#resolve({ error, answered: -1 })
      return
    }
    const failed = this.#statements[this.#at]
    // What was to be prepared from there on was not.
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

/** Sends the statements together. A transaction that fails is rolled back before anything else can be sent. */
export async function runPipeline(
  client: pg.ClientBase,
  setTenant: string | null,
  statements: PendingStatement[],
): Promise<Outcome> {
  const pipeline = new Pipeline(setTenant, statements)
  client.query(pipeline)
  const outcome = await pipeline.outcome
  // If that fails, the connection is gone, and whoever uses it next hears of it.
  if (outcome.error && setTenant !== null && outcome.because !== 'neighbour')
    client.query('rollback').catch(() => {})
  return outcome
}
