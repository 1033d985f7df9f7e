import type { Db } from '../platform/db/index.ts'
import { takeUnixUids } from './store.ts'

/** So many are taken at once; what is left of them when the process ends is never given out. */
const BLOCK = 20
/** Whole blocks may have been set by hand, as when people come from elsewhere with their numbers. */
const LARGEST = 10_000

/**
 * Numbers for new users. The counter is one row for each organization, which everybody who makes a user would have to
 * write, so a process takes some ahead. One of these may be set by hand before it is given out: `insertUserIfFree`.
 */
export class UnixUids {
  readonly #blocks = new Map<string, number[]>()
  readonly #refills = new Map<string, Promise<void>>()

  async take(db: Db, organizationId: string): Promise<number> {
    for (;;) {
      const next = this.#blocks.get(organizationId)?.shift()
      if (next !== undefined) return next
      let refill = this.#refills.get(organizationId)
      if (!refill) {
        refill = this.#refill(db, organizationId).finally(() =>
          this.#refills.delete(organizationId),
        )
        this.#refills.set(organizationId, refill)
      }
      await refill
    }
  }

  async #refill(db: Db, organizationId: string): Promise<void> {
    let block: number[] = []
    for (let size = BLOCK; block.length === 0; size = Math.min(size * 2, LARGEST))
      block = await takeUnixUids(db.tenant(organizationId), organizationId, size)
    this.#blocks.set(organizationId, block)
  }
}
