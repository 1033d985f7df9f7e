export interface FaultSettings {
  /** The share of requests that fail, 0 to 1. */
  failRate?: number
  /** The same seed and the same order of requests give the same failures. */
  seed?: number
  /** Sent by failing requests; 500, unless they are only cut. */
  status?: number
  /** Seconds, sent with the status. */
  retryAfter?: number
  /** A failure lasts for this many requests. */
  burst?: number
  /** Failing requests are cut before they have an effect. */
  cutBefore?: boolean
  /** Failing requests take effect, and the reply is lost. */
  cutAfter?: boolean
  /** Of every reply. */
  delayMs?: number
}

interface Fault {
  kind: 'none' | 'status' | 'cutBefore' | 'cutAfter'
  status: number
  retryAfter: number | undefined
  delayMs: number
}

/** mulberry32 */
function seeded(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function kindsOf({ status, cutBefore, cutAfter }: FaultSettings): Fault['kind'][] {
  const kinds: Fault['kind'][] = []
  if (cutBefore) kinds.push('cutBefore')
  if (cutAfter) kinds.push('cutAfter')
  return status === undefined && kinds.length > 0 ? kinds : [...kinds, 'status']
}

/** Decides for each request whether and how it fails. */
export class Faults {
  #settings: FaultSettings = {}
  #random = seeded(1)
  #left = 0

  /** Replaces all settings, and starts again from the seed. */
  set(settings: FaultSettings): void {
    this.#settings = settings
    this.#random = seeded(settings.seed ?? 1)
    this.#left = 0
  }

  next(): Fault {
    const { failRate = 0, status = 500, retryAfter, burst = 1, delayMs = 0 } = this.#settings
    // Two numbers for each request, used or not: one kind of fault does not shift the others.
    const [chance, choice] = [this.#random(), this.#random()]
    if (this.#left === 0 && chance < failRate) this.#left = burst
    const fails = this.#left > 0
    if (fails) this.#left--
    const kinds = kindsOf(this.#settings)
    const kind = fails ? kinds[Math.floor(choice * kinds.length)]! : 'none'
    return { kind, status, retryAfter, delayMs }
  }
}
