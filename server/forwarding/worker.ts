import { setTimeout as delay } from 'node:timers/promises'
import { readWatermark } from '../insights/index.ts'
import { AppError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { ForwardingContext } from './context.ts'
import { deliverNext } from './deliver.ts'
import { type Due, listDue, listReady } from './run-store.ts'

/** Polling interval: the minimum while there is work, then doubling up to the maximum. */
const MIN_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 5_000
/** Requests after which a forwarder with a backlog yields to others. */
const MAX_STEPS = 50
/** After an internal error; delays for receivers are in the database. */
const ERROR_PAUSE_MS = 30_000
const GRACE_MS = 5_000

const isOutage = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'database_unavailable'

/**
 * Polls for forwarders with events to send. Any number of processes may run it: a lease in the database gives each
 * forwarder to one at a time, and polling writes nothing.
 */
export class ForwardingWorker {
  readonly #context: ForwardingContext
  readonly #log: Logger
  readonly #stop = new AbortController()
  readonly #running = new Map<string, { tenant: string; work: Promise<unknown> }>()
  readonly #paused = new Map<string, number>()
  #loop: Promise<void> | null = null

  constructor(context: ForwardingContext, log: Logger) {
    this.#context = context
    this.#log = log
  }

  work(): void {
    this.#loop ??= this.#run()
  }

  /** For tests: sends everything due now. Returns the number of delivered events. */
  async runDue(): Promise<number> {
    let delivered = 0
    for (let due = await this.#due(); due.length > 0; due = await this.#due()) {
      let moved = false
      for (const one of due) {
        for (let more = true; more; ) {
          const step = await deliverNext(this.#context, one)
          delivered += step.delivered
          more = step.more
          moved ||= more || step.delivered > 0
        }
      }
      if (!moved) break
    }
    return delivered
  }

  /** Waits briefly for requests in flight; any other batch is sent again by the next worker. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    const grace = delay(GRACE_MS, undefined, { ref: false })
    await Promise.race([Promise.all([...this.#running.values()].map(({ work }) => work)), grace])
  }

  async #due(): Promise<Due[]> {
    const { db, now = Date.now } = this.#context
    const ready = await listReady(db, now())
    if (ready.length === 0) return []
    const watermark = await readWatermark(db)
    const tenants = [...new Set(ready.map(({ tenant }) => tenant))]
    return listDue(db.tenant(tenants), ready, watermark)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let pause = MIN_PAUSE_MS
    while (!signal.aborted) {
      try {
        const due = await this.#due()
        for (const one of due) this.#begin(one)
        pause = due.length > 0 ? MIN_PAUSE_MS : Math.min(MAX_PAUSE_MS, 2 * pause)
      } catch (error) {
        if (!isOutage(error)) this.#log.error({ err: error }, 'cannot poll for forwarders')
      }
      await delay(pause, undefined, { signal }).catch(() => {})
    }
  }

  #begin(due: Due): void {
    const { id, tenant } = due
    const { limits } = this.#context
    if (this.#running.size >= limits.process.forwarding || this.#running.has(id)) return
    const others = [...this.#running.values()].filter((running) => running.tenant === tenant)
    // Receivers that do not respond delay only their own tenant.
    if (others.length >= limits.tenant.forwarding) return
    if ((this.#paused.get(id) ?? 0) > Date.now()) return
    this.#paused.delete(id)
    const work = this.#deliver(due)
      .catch((error) => {
        if (isOutage(error)) return
        this.#paused.set(id, Date.now() + ERROR_PAUSE_MS)
        this.#log.error({ err: error, forwarder: id }, 'forwarding failed')
      })
      .finally(() => this.#running.delete(id))
    this.#running.set(id, { tenant, work })
  }

  async #deliver(due: Due): Promise<void> {
    for (let steps = 0; steps < MAX_STEPS && !this.#stop.signal.aborted; steps++) {
      const { more } = await deliverNext(this.#context, due)
      if (!more) return
    }
  }
}
