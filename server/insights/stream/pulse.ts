import { setTimeout as delay } from 'node:timers/promises'
import { FairShare } from '../../platform/fair-share.ts'
import type { Limits } from '../../platform/limits.ts'

const PACE_MS = 250

/**
 * The poll that all streams of a process share. It runs only while a stream waits for it, and the next one starts after
 * the last has ended: a slow database slows it down instead of piling up queries.
 */
export class Pulse {
  readonly #read: () => Promise<number>
  readonly #stop = new AbortController()
  #next: Promise<number> | null = null
  #last = 0
  /** Slow searches of one tenant delay only its own streams. */
  readonly #reads: FairShare

  constructor(readWatermark: () => Promise<number>, limits: Limits) {
    this.#read = readWatermark
    this.#reads = new FairShare({
      places: limits.process.streamReads,
      share: limits.tenant.streamReads,
    })
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** The next watermark. */
  next(): Promise<number> {
    this.#next ??= this.#beat().finally(() => {
      this.#next = null
    })
    return this.#next
  }

  async #beat(): Promise<number> {
    const { signal } = this.#stop
    const wait = Math.min(PACE_MS, Math.max(0, this.#last + PACE_MS - Date.now()))
    await delay(wait, undefined, { signal })
    try {
      return await this.#read()
    } finally {
      this.#last = Date.now()
    }
  }

  /** Limits concurrent reads, so that many streams leave connections of the pool to other requests. */
  inTurn<T>(tenant: string, read: () => Promise<T>): Promise<T> {
    return this.#reads.run(tenant, read)
  }

  stop(): void {
    this.#stop.abort()
  }
}
