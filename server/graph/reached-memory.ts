/** What a traversal found. */
export interface Found {
  /** Another one whenever anything on its ways has changed (`versionSql`). */
  version: string
  total: number
  /** All ids in their order; only if they were asked for again before anything changed. */
  ids?: Buffer
}

/** Fewer are found quickly enough each time. */
const MANY = 2000
/** Traversals kept for each process, and the bytes of their ids; the one asked for longest ago goes first. */
const MOST_TRAVERSALS = 1000
const MOST_BYTES = 32 * 1024 * 1024

const BYTES_OF_ID = 12
const sizeOf = (found: Found): number => found.ids?.byteLength ?? 0

/** The ids of a page. */
export function pageOf(ids: Buffer, { skip, limit }: { skip: number; limit: number }): string[] {
  const page = ids.subarray(skip * BYTES_OF_ID, (skip + limit) * BYTES_OF_ID)
  return Array.from({ length: page.length / BYTES_OF_ID }, (_, at) =>
    page.toString('hex', at * BYTES_OF_ID, (at + 1) * BYTES_OF_ID),
  )
}

/**
 * Remembers what large traversals found, for whoever asks again or reads on. Whether it still holds is for the database
 * to say, with every question: to compare the versions of a few groups takes less than to tell a hundred thousand of
 * their members apart.
 */
export class ReachedMemory {
  readonly #found = new Map<string, Found>()
  readonly #from: number
  #bytes = 0

  constructor(from = MANY) {
    this.#from = from
  }

  find(key: string): Found | undefined {
    const found = this.#found.get(key)
    if (found) {
      this.#found.delete(key)
      this.#found.set(key, found)
    }
    return found
  }

  keep(key: string, found: Found): void {
    this.#drop(key)
    if (found.total < this.#from || sizeOf(found) > MOST_BYTES) return
    this.#found.set(key, found)
    this.#bytes += sizeOf(found)
    while (this.#found.size > MOST_TRAVERSALS || this.#bytes > MOST_BYTES)
      this.#drop(this.#found.keys().next().value!)
  }

  #drop(key: string): void {
    const found = this.#found.get(key)
    if (!found) return
    this.#bytes -= sizeOf(found)
    this.#found.delete(key)
  }
}
