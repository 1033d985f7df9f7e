import type { Socket } from 'node:net'
import pg from 'pg'

/**
 * A connection on which many requests travel together. Statements are answered in the order they were sent,
 * and a transaction is written in one go, so those of different tenants never mix.
 */
export class Lane {
  open: pg.Client | null = null
  #connecting: Promise<pg.Client> | null = null
  #corked = false
  readonly #config: pg.ClientConfig

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  connect(): Promise<pg.Client> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const lost = () => {
      if (this.open === client) this.open = null
    }
    client.on('error', lost).on('end', lost)
    await client.connect()
    this.open = client
    return client
  }

  /** What requests of the same turn of the event loop send leaves in one system call. */
  gather(client: pg.Client): void {
    if (this.#corked) return
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    this.#corked = true
    stream.cork()
    setImmediate(() => {
      this.#corked = false
      stream.uncork()
    })
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => {})
    await this.open?.end()
  }
}
