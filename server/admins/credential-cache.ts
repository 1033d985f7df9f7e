import type { Principal } from '../platform/caller.ts'
import type { Connection, Tx } from '../platform/db/index.ts'
import { listen, notify } from '../platform/db/listen.ts'
import type { Logger } from '../platform/log.ts'

const CACHE_SECONDS = 30
const MAX_ENTRIES = 10_000
const CHANNEL = 'gatehouse_credentials'

declare const announced: unique symbol
/** A transaction that has announced a change of principals. Store functions that make one require it. */
export type CredentialTx = Tx & { readonly [announced]: true }

/** When the transaction commits, every process clears its cache. */
export async function announceChange(tx: Tx): Promise<CredentialTx> {
  await notify(tx, CHANNEL)
  return tx as CredentialTx
}

/**
 * Caches the principal of a key or token for a short time. A change of keys, roles, links or administrators clears it at
 * once: in this process when the change commits, in others by NOTIFY. Without the listening connection nothing is cached.
 */
export class CredentialCache {
  readonly #entries = new Map<string, { principal: Principal; until: number }>()
  #trusted = false
  #generation = 0

  /** Synchronous: most requests carry a credential seen a moment ago. */
  known(credential: string): Principal | undefined {
    const entry = this.#entries.get(credential)
    if (!entry) return undefined
    if (entry.until > Date.now()) return entry.principal
    this.#entries.delete(credential)
    return undefined
  }

  async load(credential: string, find: () => Promise<Principal | null>): Promise<Principal | null> {
    const generation = this.#generation
    const principal = await find()
    // Do not cache a value read before the cache was cleared.
    if (this.#trusted && principal !== null && generation === this.#generation) {
      if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear()
      const until = Math.min(Date.now() + CACHE_SECONDS * 1000, principal.expiresAt ?? Infinity)
      this.#entries.set(credential, { principal, until })
    }
    return principal
  }

  /** `announceChange` for a process that serves: it forgets before it answers. */
  announce(tx: Tx): Promise<CredentialTx> {
    tx.afterCommit(() => this.clear())
    return announceChange(tx)
  }

  clear(): void {
    this.#generation++
    this.#entries.clear()
  }

  listen(connection: Connection, log: Logger): Promise<() => Promise<void>> {
    const listener = {
      onConnect: () => {
        this.clear()
        this.#trusted = true
      },
      onNews: () => this.clear(),
      onLost: () => {
        this.#trusted = false
        this.clear()
      },
    }
    return listen(connection, CHANNEL, listener, log)
  }
}
