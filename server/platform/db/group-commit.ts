import type pg from 'pg'
import { PendingStatement } from './pending-statement.ts'
import { runPipeline } from './pipeline.ts'
import type { Recording } from './recording.ts'
import type { Sql } from './sql.ts'
import { queryable, type Tx } from './types.ts'

/** Concurrent batches; changes that arrive meanwhile join the next one and share its commit. */
const MAX_BATCHES = 2
/** Changes per batch, so that none waits much longer than for its own commit. */
const MAX_CHANGES = 32

/** The statements of one request's change. */
interface Change {
  statements: PendingStatement[]
  /** The request failed before its change was sent. */
  abandoned: boolean
}
type WithClient = (use: (client: pg.PoolClient) => Promise<void>) => Promise<void>

/**
 * Group commit: batches small changes of many requests to one tenant, so they share one transaction and one fsync. If
 * one of them fails, each is run again on its own.
 */
export class GroupCommit {
  readonly #withClient: WithClient
  readonly #translate: (error: unknown) => unknown
  /** Keyed by the statement that sets the tenant. */
  readonly #queued = new Map<string, Change[]>()
  #running = 0
  #scheduled = false

  constructor(withClient: WithClient, translate: (error: unknown) => unknown) {
    this.#withClient = withClient
    this.#translate = translate
  }

  /** `work` must send all its statements before the first result arrives. */
  async run<T>(setTenant: string, recording: Recording, work: (tx: Tx) => Promise<T>): Promise<T> {
    const change: Change = { statements: [], abandoned: false }
    const callbacks: (() => void)[] = []
    let sent = false
    const send = (query: Sql) => {
      if (sent) throw new Error('A group commit allows only one round of statements')
      const statement = new PendingStatement(query)
      change.statements.push(statement)
      return statement.result
    }
    const tx: Tx = {
      recording,
      ...queryable(send),
      execute: () => Promise.reject(new Error('Not supported in a group commit')),
      copyOut: () => Promise.reject(new Error('Not supported in a group commit')),
      afterCommit: (callback) => callbacks.push(callback),
    }
    const done = work(tx)
    sent = true
    if (change.statements.length > 0) this.#enqueue(setTenant, change)
    try {
      const result = await done
      for (const callback of callbacks) callback()
      return result
    } catch (error) {
      change.abandoned = true
      throw this.#translate(error)
    }
  }

  #enqueue(setTenant: string, change: Change): void {
    const queued = this.#queued.get(setTenant)
    if (queued) queued.push(change)
    else this.#queued.set(setTenant, [change])
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#queued.size === 0 || this.#running === MAX_BATCHES) return
    this.#scheduled = true
    // Changes of the same event loop turn join the batch.
    setImmediate(() => {
      this.#scheduled = false
      this.#flush()
      this.#schedule()
    })
  }

  #flush(): void {
    const [setTenant, queued] = this.#queued.entries().next().value!
    const batch = queued.splice(0, MAX_CHANGES).filter(({ abandoned }) => !abandoned)
    // A tenant with more changes goes to the back of the queue.
    this.#queued.delete(setTenant)
    if (queued.length > 0) this.#queued.set(setTenant, queued)
    if (batch.length === 0) return
    this.#running++
    this.#withClient((client) => commit(client, setTenant, batch))
      .catch((error) => {
        for (const statement of statementsOf(batch)) statement.fail(error)
      })
      .finally(() => {
        this.#running--
        this.#schedule()
      })
  }
}

const statementsOf = (batch: Change[]): PendingStatement[] =>
  batch.flatMap(({ statements }) => statements)

async function commit(client: pg.ClientBase, setTenant: string, batch: Change[]): Promise<void> {
  const statements = statementsOf(batch)
  const { error, answered } = await runPipeline(client, setTenant, statements)
  if (!error) for (const statement of statements) statement.settle()
  else if (answered < 0) throw error
  else if (batch.length > 1) for (const change of batch) await commit(client, setTenant, [change])
  else for (const statement of statements) statement.fail(error)
}
