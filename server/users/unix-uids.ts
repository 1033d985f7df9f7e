import type { Db } from '../platform/db/index.ts'
import { takeUnixUids } from './store.ts'

/** Uids taken per block; the unused ones are lost when the process ends. */
const BLOCK = 100
/** Blocks grow up to this size, since imported users may occupy whole ranges. */
const MAX_BLOCK = 10_000

/**
 * Assigns unix uids in blocks (hi/lo), so that concurrent creates do not contend for the counter row of the
 * organization. A uid may be set explicitly before it is assigned: see `insertUsers`.
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
    for (let size = BLOCK; block.length === 0; size = Math.min(size * 2, MAX_BLOCK))
      block = await takeUnixUids(db.tenant(organizationId), organizationId, size)
    this.#blocks.set(organizationId, block)
  }
}
