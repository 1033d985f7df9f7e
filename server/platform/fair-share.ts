import type { AppError } from './errors.ts'

export interface ShareOptions {
  /** For all together. */
  places: number
  /** What one key may hold at most. */
  share: number
  /** How long anybody waits, and what they hear then; without it they wait until it is their turn. */
  patience?: { ms: number; refuse: () => AppError }
  /** After waiting in vain, those below their share go ahead: places that are never left must not stop everybody. */
  overflow?: true
}

type Leave = () => void

/**
 * Shares out places, such as the connections of a pool. No key holds more than its share: what comes beyond that waits
 * in a queue of its own, and a place that gets free goes to the queues in turn (round robin). Whoever holds a place
 * must not wait for another one: enough of those would wait for each other.
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

  /** Resolves when it is the key's turn, with what gives the place back. */
  async take(key: string): Promise<Leave> {
    // While a place is free, nobody waits for it: so there is nobody to push in before.
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
