/** How much there is at once, and how much comes back after that. */
interface Allowance {
  atOnce: number
  aSecond: number
}

/**
 * Something that may be had so often for each key, counted by this process alone. The key that came first is forgotten
 * first, and then has everything once more: where others choose the keys, a second bucket bounds all of them together.
 */
export class TokenBucket {
  readonly #allowance: Allowance
  readonly #left = new Map<string, { left: number; at: number }>()
  static readonly #MAX_KEYS = 1000

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /** False: nothing is left for this key at the moment. */
  take(key: string, now: number): boolean {
    const { atOnce, aSecond } = this.#allowance
    const { left, at } = this.#left.get(key) ?? { left: atOnce, at: now }
    // A clock that was set back gives nothing and takes nothing.
    const passed = Math.max(0, now - at) / 1000
    const saved = Math.min(atOnce, left + passed * aSecond)
    const granted = saved >= 1
    this.#left.set(key, { left: granted ? saved - 1 : saved, at: now })
    if (this.#left.size > TokenBucket.#MAX_KEYS) this.#left.delete(this.#left.keys().next().value!)
    return granted
  }
}
