import { Recent } from '../platform/recent.ts'

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
/** Kept for each process, in bytes; the rest of what is known of a traversal counts as so many. */
const MOST_BYTES = 64 * 1024 * 1024
const BYTES_OF_REST = 1000

const BYTES_OF_ID = 12

export type Order = 'ascending' | 'descending'

/** The ids of a page. */
export function pageOf(
  ids: Buffer,
  { skip, limit }: { skip: number; limit: number },
  order: Order,
): string[] {
  const count = ids.length / BYTES_OF_ID
  const length = Math.max(0, Math.min(limit, count - skip))
  return Array.from({ length }, (_, at) => {
    const place = order === 'ascending' ? skip + at : count - 1 - skip - at
    return ids.toString('hex', place * BYTES_OF_ID, (place + 1) * BYTES_OF_ID)
  })
}

/**
 * Remembers what large traversals found, for whoever asks again or reads on. Whether it still holds is for the database
 * to say, with every question: to compare the versions of a few groups takes less than to tell a hundred thousand of
 * their members apart.
 */
export class ReachedMemory {
  readonly #found = new Recent<Found>(
    MOST_BYTES,
    ({ ids }) => BYTES_OF_REST + (ids?.byteLength ?? 0),
  )
  readonly #from: number

  constructor(from = MANY) {
    this.#from = from
  }

  find(key: string): Found | undefined {
    return this.#found.get(key)
  }

  keep(key: string, found: Found): void {
    if (found.total < this.#from) this.#found.delete(key)
    else this.#found.set(key, found)
  }
}
