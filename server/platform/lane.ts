import type { Socket } from 'node:net'
import pg from 'pg'
import { Flight, Passenger, type Rows } from './flight.ts'
import type { Sql } from './sql.ts'

interface Waiting {
  passengers: Passenger[]
  /** Those that others may join. */
  byKey: Map<string, Passenger>
}

/**
 * A connection on which reads of many requests travel together. Those of the same turn of the event loop leave in one
 * system call, those of the same tenant in one transaction: the busier the service is, the less each of them costs.
 */
export class Lane {
  #open: pg.Client | null = null
  #connecting: Promise<pg.Client> | null = null
  /** By the statement that sets their tenant; null for tables without one. */
  #waiting = new Map<string | null, Waiting>()
  readonly #config: pg.ClientConfig

  readonly #onConnect: () => void
  readonly #translate: (error: unknown) => unknown

  /** `translate` makes of an error what the passenger hears. */
  constructor(
    config: pg.ClientConfig,
    { onConnect, translate }: { onConnect(): void; translate(error: unknown): unknown },
  ) {
    this.#config = config
    this.#onConnect = onConnect
    this.#translate = translate
  }

  /**
   * Only for statements that read: one that fails undoes the transaction that others share. Whoever asks the same under
   * the same key before it has left hears the same answer, which nobody may change then. After that it would be too
   * late: the answer might not tell what has been written meanwhile.
   */
  read(setTenant: string | null, query: Sql, key?: string): Promise<Rows> {
    const waiting = this.#waitingFor(setTenant)
    const other = key === undefined ? undefined : waiting.byKey.get(key)
    if (other) return other.landed
    const passenger = new Passenger(query)
    waiting.passengers.push(passenger)
    if (key !== undefined) waiting.byKey.set(key, passenger)
    return passenger.landed
  }

  #waitingFor(setTenant: string | null): Waiting {
    if (this.#waiting.size === 0) setImmediate(() => this.#depart())
    let waiting = this.#waiting.get(setTenant)
    if (!waiting) {
      waiting = { passengers: [], byKey: new Map() }
      this.#waiting.set(setTenant, waiting)
    }
    return waiting
  }

  async #depart(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = new Map()
    try {
      const client = this.#open ?? (await this.#connect())
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
      stream.cork()
      for (const [setTenant, { passengers }] of waiting)
        void this.#fly(client, setTenant, passengers)
      stream.uncork()
    } catch (error) {
      for (const { passengers } of waiting.values())
        for (const passenger of passengers) passenger.fail(this.#translate(error))
    }
  }

  /** Never fails itself: those on board hear of it. */
  async #fly(
    client: pg.Client,
    setTenant: string | null,
    passengers: Passenger[],
    again = false,
  ): Promise<void> {
    const flight = new Flight(setTenant, passengers)
    client.query(flight)
    // If that fails, the connection is gone, and those on board hear of it.
    if (setTenant !== null) client.query('commit').catch(() => {})
    const { error, through, outdated } = await flight.arrival
    for (const passenger of passengers.slice(0, Math.max(through, 0))) passenger.land()
    if (!error) return
    if (through < 0) for (const passenger of passengers) passenger.fail(this.#translate(error))
    else if (outdated && !again) await this.#fly(client, setTenant, passengers.slice(through), true)
    else {
      passengers[through]!.fail(this.#translate(error))
      const rest = passengers.slice(through + 1)
      if (rest.length > 0) await this.#fly(client, setTenant, rest)
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
      if (this.#open === client) this.#open = null
    }
    client.on('error', lost).on('end', lost)
    await client.connect()
    this.#onConnect()
    this.#open = client
    return client
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => {})
    await this.#open?.end()
  }
}
