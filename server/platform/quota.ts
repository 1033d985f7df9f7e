import type { Principal } from './caller.ts'
import type { AppError } from './errors.ts'

/** How many of a kind may be under way at once: of one principal, of one tenant, and of all in this process. */
export interface Shares {
  principal: number
  tenant: number
  process: number
}

/** What is counted, in the words of the refusal. */
interface Counted {
  /** In the plural, as in "streams". */
  what: string
  setting: string
  refuse: (message: string) => AppError
}

/**
 * A limit on concurrency that refuses instead of queueing. The narrowest share is asked first: with shares that grow,
 * nobody can use up what is there for others. A provider counts as one tenant, however many organizations it manages.
 */
export class Quota {
  readonly #counted: Counted
  readonly #shares: Shares
  readonly #taken = new Map<string, number>()

  constructor(counted: Counted, shares: Shares) {
    this.#counted = counted
    this.#shares = shares
  }

  /** Takes a place, or refuses with 429. The place is given back by calling the result, once or more. */
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
