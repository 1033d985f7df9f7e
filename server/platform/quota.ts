import type { Principal } from './caller.ts'
import type { AppError } from './errors.ts'

/** Concurrency limits per principal, per tenant and for the whole process. */
export interface Shares {
  principal: number
  tenant: number
  process: number
}

/** The counted resource, as error messages name it. */
interface Counted {
  /** Plural, such as "streams". */
  what: string
  setting: string
  refuse: (message: string) => AppError
}

/**
 * A concurrency limit that refuses instead of queueing. The narrowest share is checked first: with ascending shares no
 * principal can use up those of others. A provider counts as one tenant, however many organizations it manages.
 */
export class Quota {
  readonly #counted: Counted
  readonly #shares: Shares
  readonly #taken = new Map<string, number>()

  constructor(counted: Counted, shares: Shares) {
    this.#counted = counted
    this.#shares = shares
  }

  /** Takes a slot or throws 429. Returns an idempotent function that releases the slot. */
  take({ id, homeId }: Pick<Principal, 'id' | 'homeId'>): () => void {
    const { principal, tenant, process } = this.#shares
    const places = [
      { name: `principal ${id}`, share: principal, whose: 'one administrator or service account' },
      { name: `tenant ${homeId}`, share: tenant, whose: 'one organization or provider' },
      { name: 'process', share: process, whose: 'all callers together' },
    ]
    const full = places.find(({ name, share }) => this.#count(name) >= share)
    if (full) throw this.#refusal(full.share, full.whose)
    for (const { name } of places) this.#taken.set(name, this.#count(name) + 1)
    let held = true
    return () => {
      if (held) for (const { name } of places) this.#giveBack(name)
      held = false
    }
  }

  #count(name: string): number {
    return this.#taken.get(name) ?? 0
  }

  #giveBack(name: string): void {
    const left = this.#count(name) - 1
    if (left > 0) this.#taken.set(name, left)
    else this.#taken.delete(name)
  }

  #refusal(share: number, whose: string): AppError {
    const { what, setting, refuse } = this.#counted
    return refuse(
      `Too many ${what}: ${share} at once are allowed for ${whose} (${setting}); try again shortly`,
    )
  }
}
