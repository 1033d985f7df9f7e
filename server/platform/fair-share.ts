import { unavailable } from './errors.ts'

export interface ShareOptions {
  /** For all together. */
  places: number
  /** What one of them may hold at most. */
  share: number
  /** How long anybody waits. */
  patienceMs: number
}

/**
 * Shares out places, such as the connections of a pool. Nobody holds more than a share of them: what comes beyond that
 * waits in a queue of its own, and a place that gets free goes to the queues in turn. Whoever holds a place must not
 * wait for another one: enough of those would wait for each other.
 */
export class FairShare {
  readonly #options: ShareOptions
  #taken = 0
  readonly #held = new Map<string, number>()
  /** By key; the one that was served last is behind the others. */
  readonly #queues = new Map<string, Set<() => void>>()

  constructor(options: ShareOptions) {
    this.#options = options
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    // While a place is free, nobody waits for it: so there is nobody to push in before.
    if (this.#mayEnter(key)) this.#enter(key)
    else await this.#turn(key)
    try {
      return await work()
    } finally {
      this.#leave(key)
    }
  }

  #mayEnter(key: string): boolean {
    const { places, share } = this.#options
    return this.#taken < places && (this.#held.get(key) ?? 0) < share
  }

  #enter(key: string): void {
    this.#taken++
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1)
  }

  #leave(key: string): void {
    this.#taken--
    const held = this.#held.get(key)! - 1
    if (held > 0) this.#held.set(key, held)
    else this.#held.delete(key)
    this.#serveNext()
  }

  #turn(key: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue.add(resolve))
    const timer = setTimeout(() => {
      queue.delete(resolve)
      if (queue.size === 0) this.#queues.delete(key)
      const message =
        'Earlier requests of the same organization are still waiting for the database; try again shortly'
      reject(unavailable('organization_busy', message, { retryAfter: 1 }))
    }, this.#options.patienceMs)
    return promise.finally(() => clearTimeout(timer))
  }

  /** One place got free, so one of them at most. */
  #serveNext(): void {
    for (const [key, queue] of this.#queues) {
      if (!this.#mayEnter(key)) continue
      const [first] = queue
      queue.delete(first!)
      this.#queues.delete(key)
      if (queue.size > 0) this.#queues.set(key, queue)
      this.#enter(key)
      first!()
      return
    }
  }
}
