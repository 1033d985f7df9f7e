import type pg from 'pg'
import { fly, type Passenger } from './flight.ts'

/** On their way at once; whoever comes meanwhile waits for the next and shares its commit. */
const MOST_AWAY = 2
/** Changes in one transaction: none of them waits for much more than its own. */
const MOST_TOGETHER = 32

/** The statements of one change. */
export interface Party {
  passengers: Passenger[]
  /** Whoever made the change has failed before it left. */
  abandoned: boolean
}
type WithClient = (use: (client: pg.PoolClient) => Promise<void>) => Promise<void>

/**
 * Takes small changes of many requests to the disk together: those of the same tenant that come while others are on
 * their way share a transaction, and with it the wait for the disk. If one of them fails, each goes again by itself.
 */
export class Ferry {
  readonly #withClient: WithClient
  /** By the statement that sets their tenant. */
  readonly #waiting = new Map<string, Party[]>()
  #away = 0
  #leaving = false

  constructor(withClient: WithClient) {
    this.#withClient = withClient
  }

  board(setTenant: string, party: Party): void {
    const others = this.#waiting.get(setTenant)
    if (others) others.push(party)
    else this.#waiting.set(setTenant, [party])
    this.#leave()
  }

  #leave(): void {
    if (this.#leaving || this.#waiting.size === 0 || this.#away === MOST_AWAY) return
    this.#leaving = true
    // Whoever comes in this turn of the event loop comes along.
    setImmediate(() => {
      this.#leaving = false
      this.#depart()
      this.#leave()
    })
  }

  #depart(): void {
    const [setTenant, waiting] = this.#waiting.entries().next().value!
    const parties = waiting.splice(0, MOST_TOGETHER).filter(({ abandoned }) => !abandoned)
    // Behind the others, if there are more.
    this.#waiting.delete(setTenant)
    if (waiting.length > 0) this.#waiting.set(setTenant, waiting)
    if (parties.length === 0) return
    this.#away++
    this.#withClient((client) => cross(client, setTenant, parties))
      .catch((error) => {
        for (const passenger of everybody(parties)) passenger.fail(error)
      })
      .finally(() => {
        this.#away--
        this.#leave()
      })
  }
}

const everybody = (parties: Party[]): Passenger[] => parties.flatMap(({ passengers }) => passengers)

async function cross(client: pg.ClientBase, setTenant: string, parties: Party[]): Promise<void> {
  const passengers = everybody(parties)
  const { error, through } = await fly(client, setTenant, passengers)
  if (!error) for (const passenger of passengers) passenger.land()
  else if (through < 0) throw error
  else if (parties.length > 1) for (const party of parties) await cross(client, setTenant, [party])
  else for (const passenger of passengers) passenger.fail(error)
}
