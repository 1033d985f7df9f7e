interface Rate {
  /** Tokens of a full bucket: the largest burst. */
  capacity: number
  perSecond: number
}

/**
 * Per-process token bucket per key. The oldest key is evicted first and starts over with a full bucket: where clients
 * choose the keys, bound all of them together with a second bucket.
 */
export class TokenBucket {
  readonly #rate: Rate
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  static readonly #MAX_KEYS = 1000

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** False: the bucket of this key is empty. */
  take(key: string, now: number): boolean {
    const { capacity, perSecond } = this.#rate
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: capacity, at: now }
    // No refill if the clock was set back.
    const elapsed = Math.max(0, now - at) / 1000
    const available = Math.min(capacity, tokens + elapsed * perSecond)
    const granted = available >= 1
    this.#buckets.set(key, { tokens: granted ? available - 1 : available, at: now })
    if (this.#buckets.size > TokenBucket.#MAX_KEYS)
      this.#buckets.delete(this.#buckets.keys().next().value!)
    return granted
  }
}
