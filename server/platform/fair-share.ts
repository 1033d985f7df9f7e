import type { AppError } from './errors.ts'

export interface ShareOptions {
  /** Slots in total. */
  places: number
  /** Maximum slots per key. */
  share: number
  /** How long to wait before refusing; without it, waits indefinitely. */
  patience?: { ms: number; refuse: () => AppError }
  /** After the wait, admits keys below their share anyway: slots that are never released must not block everyone. */
  overflow?: true
}

type Leave = () => void

/**
 * A fair semaphore, such as for the connections of a pool. No key holds more than its share; further requests wait in a
 * queue per key, and free slots are given to the queues round robin. A holder must not wait for a second slot:
 * that can deadlock.
 */
export class FairShare {
  readonly #options: ShareOptions
  #taken = 0
  readonly #held = new Map<string, number>()
  /** By key, least recently served first. */
  readonly #queues = new Map<string, Set<() => void>>()

  constructor(options: ShareOptions) {
    this.#options = options
  }

  get taken(): number {
    return this.#taken
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.take(key)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Waits for a slot and returns the function that releases it. */
  async take(key: string): Promise<Leave> {
    // While a slot is free no key that may use it is waiting, so this cannot jump the queue.
    if (this.#mayEnter(key)) this.#enter(key)
    else await this.#turn(key)
    let held = true
    return () => {
      if (held) this.#leave(key)
      held = false
    }
  }

  #isBelowShare(key: string): boolean {
    return (this.#held.get(key) ?? 0) < this.#options.share
  }

  #mayEnter(key: string): boolean {
    return this.#taken < this.#options.places && this.#isBelowShare(key)
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
    const { patience, overflow } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue.add(resolve))
    if (!patience) return promise
    const timer = setTimeout(() => {
      queue.delete(resolve)
      if (queue.size === 0) this.#queues.delete(key)
      if (!overflow || !this.#isBelowShare(key)) return reject(patience.refuse())
      this.#enter(key)
      resolve()
    }, patience.ms)
    return promise.finally(() => clearTimeout(timer))
  }

  /** One slot became free, so at most one waiter gets in. */
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
