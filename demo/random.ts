/**
 * Deterministic pseudo-random numbers (mulberry32), so that the demo data is always the same. Each part uses its
 * own generator: adding to one part does not change the others.
 */
export class Random {
  #state: number

  constructor(seed: string) {
    // FNV-1a, so that neighbouring seeds give unrelated numbers.
    let hash = 0x811c9dc5
    for (const byte of Buffer.from(seed)) hash = Math.imul(hash ^ byte, 0x01000193)
    this.#state = hash >>> 0
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** An integer, both ends inclusive. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)]!
  }

  /** Roughly normal around `mean`, good enough for office hours. */
  around(mean: number, spread: number): number {
    return mean + (this.next() + this.next() + this.next() - 1.5) * spread
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += Math.floor(this.next() * 16).toString(16)
    return text
  }

  /** In the form of our ids; the prefix is a timestamp, as in an ObjectId. */
  id(at = 1_735_689_600_000): string {
    return Math.floor(at / 1000).toString(16) + this.hex(16)
  }

  /** RFC 9562 §5.7, for a time in the past. */
  uuidv7(at: number): string {
    const time = at.toString(16).padStart(12, '0')
    const variant = '89ab'[this.between(0, 3)]
    return `${time.slice(0, 8)}-${time.slice(8)}-7${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`
  }
}
