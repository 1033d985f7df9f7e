/** Keeps what was used last, up to a total size. */
export class SizedCache<V> {
  readonly #max: number
  readonly #entries = new Map<string, { value: V; size: number }>()
  #size = 0

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#size
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    // The oldest come first in a map.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V, size: number): void {
    this.#drop(key)
    if (size > this.#max / 8) return
    this.#entries.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#max) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#size -= entry.size
  }
}
