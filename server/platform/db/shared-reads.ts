import pg from 'pg'
import { gather } from './gather.ts'
import { PendingStatement, type Rows } from './pending-statement.ts'
import { runPipeline } from './pipeline.ts'
import type { Sql } from './sql.ts'

/**
 * One connection for the small reads of all requests. Statements of the same event loop turn are sent in one pipeline,
 * as are those that arrive while a pipeline is running; statements of one tenant share a transaction. So the cost per
 * read falls under load.
 */
export class SharedReads {
  readonly #config: pg.ClientConfig
  /** Maps a driver error to the caller's error. */
  readonly #translate: (error: unknown) => unknown
  #client: pg.Client | null = null
  #connecting: Promise<pg.Client> | null = null
  /** Keyed by the statement that sets the tenant; null for tables without one. */
  #queued = new Map<string | null, PendingStatement[]>()
  #busy = false

  constructor(config: pg.ClientConfig, translate: (error: unknown) => unknown) {
    this.#config = config
    this.#translate = translate
  }

  /** For reads only: a failing statement rolls back the transaction that others share. */
  read(setTenant: string | null, query: Sql): Promise<Rows> {
    const statement = new PendingStatement(query)
    if (this.#queued.size === 0 && !this.#busy) setImmediate(() => this.#flush())
    const queued = this.#queued.get(setTenant)
    if (queued) queued.push(statement)
    else this.#queued.set(setTenant, [statement])
    return statement.result
  }

  async #flush(): Promise<void> {
    const batches = this.#queued
    this.#queued = new Map()
    this.#busy = true
    try {
      const client = this.#client ?? (await this.#connect())
      gather(client)
      await Promise.all(
        [...batches].map(([setTenant, statements]) => this.#run(client, setTenant, statements)),
      )
    } catch (error) {
      for (const statement of [...batches.values()].flat()) statement.fail(this.#translate(error))
    }
    this.#busy = false
    if (this.#queued.size > 0) setImmediate(() => this.#flush())
  }

  /** Never rejects: errors go to the failed statements, and the others are sent again. */
  async #run(
    client: pg.Client,
    setTenant: string | null,
    statements: PendingStatement[],
    again = false,
  ): Promise<void> {
    const { error, answered, because } = await runPipeline(client, setTenant, statements)
    const settled = Math.max(answered, 0)
    for (let at = 0; at < settled; at++) statements[at]!.settle()
    if (!error) return
    const rest = statements.slice(settled)
    if (because === 'neighbour') await this.#run(client, setTenant, rest, again)
    else if (because === 'outdated' && !again) await this.#run(client, setTenant, rest, true)
    else {
      const failed = answered < 0 ? rest.splice(0) : rest.splice(0, 1)
      for (const statement of failed) statement.fail(this.#translate(error))
      if (rest.length > 0) await this.#run(client, setTenant, rest)
    }
  }

  #connect(): Promise<pg.Client> {
    this.#connecting ??= this.#newClient().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  async #newClient(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const lost = () => {
      if (this.#client === client) this.#client = null
    }
    client.on('error', lost).on('end', lost)
    await client.connect()
    this.#client = client
    return client
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => {})
    await this.#client?.end()
  }
}
