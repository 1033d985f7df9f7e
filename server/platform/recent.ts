/**
 * Values that were used of late, up to a weight. Those of the latest half are found without any change; what is found
 * among the older ones comes to them, and when that half is full the older ones are forgotten.
 */
export class Recent<V> {
  #late = new Map<string, V>()
  #older = new Map<string, V>()
  #weight = 0
  readonly #half: number
  readonly #weightOf: (value: V) => number

  constructor(most: number, weightOf: (value: V) => number = () => 1) {
    this.#half = most / 2
    this.#weightOf = weightOf
  }

  get(key: string): V | undefined {
    const late = this.#late.get(key)
    if (late !== undefined) return late
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  /** One that is heavier than all that may be kept of late is not kept. */
  set(key: string, value: V): void {
    this.delete(key)
    const weight = this.#weightOf(value)
    if (weight > this.#half) return
    if (this.#weight + weight > this.#half) {
      this.#older = this.#late
      this.#late = new Map()
      this.#weight = 0
    }
    this.#late.set(key, value)
    this.#weight += weight
  }

  delete(key: string): void {
    const late = this.#late.get(key)
    if (late !== undefined) this.#weight -= this.#weightOf(late)
    this.#late.delete(key)
    this.#older.delete(key)
  }
}
