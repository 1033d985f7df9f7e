export interface ThrottleLimits {
  /** Concurrent requests. */
  concurrency: number
  /** Requests started per second; unlimited when absent. */
  perSecond?: number
  /** How many may start at once after a pause; 1 spaces them evenly. */
  burst?: number
}

/** Injectable clock, for tests. */
export interface Clock {
  now(): number
  /** Returns the function that cancels it. */
  after(ms: number, run: () => void): () => void
}

const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Releases the slot; idempotent. */
export type Leave = () => void

/** A semaphore and a token bucket; waiters are served in FIFO order. */
export class Throttle {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  #limits: ThrottleLimits = { concurrency: 1 }
  #running = 0
  /**
   * The token bucket as one instant (GCRA): when it will be full again. Each request moves it forward by the time that
   * one token takes, and may start while it is no further ahead than the burst allows.
   */
  #fullAt = 0
  #cancelWake: (() => void) | undefined

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Indistinguishable from a new throttle, so it can be dropped. */
  get idle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0 && this.#fullAt <= this.#clock.now()
  }

  /** Limits may change while requests wait; the latest ones apply to all of them. */
  async enter(limits: ThrottleLimits, signal: AbortSignal): Promise<Leave> {
    const { concurrency, perSecond = 1, burst = 1 } = limits
    if (!(concurrency >= 1 && perSecond > 0 && burst >= 1))
      throw new RangeError('A throttle must allow at least one request')
    signal.throwIfAborted()
    this.#limits = limits
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    this.#admit()
    // Most need not wait, and listening to a signal takes longer than all of this.
    if (this.#waiting.has(resolve)) {
      const giveUp = () => {
        this.#waiting.delete(resolve)
        reject(signal.reason)
        this.#admit()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', giveUp)
      }
    }
    let left = false
    return () => {
      if (left) return
      left = true
      this.#running--
      this.#admit()
    }
  }

  #admit(): void {
    this.#cancelWake?.()
    this.#cancelWake = undefined
    const { concurrency, perSecond, burst = 1 } = this.#limits
    const interval = perSecond === undefined ? 0 : 1000 / perSecond
    for (const begin of this.#waiting) {
      if (this.#running >= concurrency) return
      const now = this.#clock.now()
      const wait = this.#fullAt - (burst - 1) * interval - now
      if (interval > 0 && wait > 0) {
        this.#cancelWake = this.#clock.after(Math.ceil(wait), () => this.#admit())
        return
      }
      this.#waiting.delete(begin)
      this.#running++
      if (interval > 0) this.#fullAt = Math.max(now, this.#fullAt) + interval
      begin()
    }
  }
}

const MAX_IDLE = 1000

/** One throttle per key. Idle ones are dropped, so that one-off destinations do not accumulate. */
export class Throttles {
  readonly #byKey = new Map<string, Throttle>()
  readonly #clock: Clock
  readonly #maxIdle: number

  constructor(clock: Clock = systemClock, maxIdle = MAX_IDLE) {
    this.#clock = clock
    this.#maxIdle = maxIdle
  }

  get size(): number {
    return this.#byKey.size
  }

  enter(key: string, limits: ThrottleLimits, signal: AbortSignal): Promise<Leave> {
    let throttle = this.#byKey.get(key)
    if (!throttle) {
      if (this.#byKey.size >= this.#maxIdle) this.#sweep()
      throttle = new Throttle(this.#clock)
      this.#byKey.set(key, throttle)
    }
    return throttle.enter(limits, signal)
  }

  #sweep(): void {
    for (const [key, throttle] of this.#byKey) if (throttle.idle) this.#byKey.delete(key)
  }
}
