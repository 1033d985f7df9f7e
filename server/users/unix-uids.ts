import type { Db } from '../platform/db.ts'
import { takeUnixUids } from './store.ts'

/** So many are taken at once; what is left of them when the process ends is never given out. */
const BLOCK = 20

interface Block {
  next: number
  end: number
}

/**
 * Numbers for new users. The counter is one row for each organization, which everybody who makes a user would have to
 * write, so a process takes some ahead.
 */
export class UnixUids {
  readonly #blocks = new Map<string, Block>()
  readonly #refills = new Map<string, Promise<void>>()

  async take(db: Db, organizationId: string): Promise<number> {
    for (;;) {
      const block = this.#blocks.get(organizationId)
      if (block && block.next < block.end) return block.next++
      await (this.#refills.get(organizationId) ?? this.#refill(db, organizationId))
    }
  }

  #refill(db: Db, organizationId: string): Promise<void> {
    const refill = takeUnixUids(db.tenant(organizationId), organizationId, BLOCK)
      .then((next) => {
        this.#blocks.set(organizationId, { next, end: next + BLOCK })
      })
      .finally(() => this.#refills.delete(organizationId))
    this.#refills.set(organizationId, refill)
    return refill
  }
}
