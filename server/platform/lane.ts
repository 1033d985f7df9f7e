import pg from 'pg'
import { fly, Passenger, type Rows } from './flight.ts'
import type { Sql } from './sql.ts'

interface Waiting {
  passengers: Passenger[]
  /** Those that others may join. */
  byKey: Map<string, Passenger>
}

/**
 * A connection on which reads of many requests travel together. Those of the same turn of the event loop leave in one
 * system call, and with them all that came while others were on their way; those of the same tenant share a transaction.
 * The busier the service is, the less each of them costs.
 */
export class Lane {
  #open: pg.Client | null = null
  #connecting: Promise<pg.Client> | null = null
  /** By the statement that sets their tenant; null for tables without one. */
  #waiting = new Map<string | null, Waiting>()
  #away = false
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
    if (this.#waiting.size === 0 && !this.#away) setImmediate(() => this.#depart())
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
    this.#away = true
    try {
      const client = this.#open ?? (await this.#connect())
      const flights = [...waiting].map(([setTenant, { passengers }]) =>
        this.#fly(client, setTenant, passengers),
      )
      await Promise.all(flights)
    } catch (error) {
      for (const { passengers } of waiting.values())
        for (const passenger of passengers) passenger.fail(this.#translate(error))
    }
    this.#away = false
    if (this.#waiting.size > 0) setImmediate(() => this.#depart())
  }

  /** Never fails itself: those on board hear of it. */
  async #fly(
    client: pg.Client,
    setTenant: string | null,
    passengers: Passenger[],
    again = false,
  ): Promise<void> {
    const { error, through, because } = await fly(client, setTenant, passengers)
    const answered = Math.max(through, 0)
    for (let at = 0; at < answered; at++) passengers[at]!.land()
    if (!error) return
    const rest = passengers.slice(answered)
    if (because === 'neighbour') await this.#fly(client, setTenant, rest, again)
    else if (because === 'outdated' && !again) await this.#fly(client, setTenant, rest, true)
    else {
      const failed = through < 0 ? rest.splice(0) : rest.splice(0, 1)
      for (const passenger of failed) passenger.fail(this.#translate(error))
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
