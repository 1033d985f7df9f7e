/**
 * Pseudo-random numbers that are the same on every run (mulberry32), so that the demo world always looks alike.
 * Each part of the world draws from a generator of its own: adding to one part leaves the others as they were.
 */
export class Random {
  #state: number

  constructor(seed: string) {
    // FNV-1a, so that neighbouring seeds give unrelated numbers.
    let hash = 0x811c9dc5
    for (const byte of Buffer.from(seed)) hash = Math.imul(hash ^ byte, 0x01000193)
    this.#state = hash >>> 0
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)]!
  }

  /** Around `mean`, bell-shaped enough for office hours. */
  around(mean: number, spread: number): number {
    return mean + (this.next() + this.next() + this.next() - 1.5) * spread
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += Math.floor(this.next() * 16).toString(16)
    return text
  }

  /** The form of our own ids; the prefix is a moment, as in an ObjectId. */
  id(at = 1_735_689_600_000): string {
    return Math.floor(at / 1000).toString(16) + this.hex(16)
  }

  /** RFC 9562 §5.7, for a moment in the past. */
  uuidv7(at: number): string {
    const time = at.toString(16).padStart(12, '0')
    const variant = '89ab'[this.between(0, 3)]
    return `${time.slice(0, 8)}-${time.slice(8)}-7${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`
  }
}
