import { throttled } from './errors.ts'

/** For attempts that come while others are under way: nothing is wrong with them, and soon there is room. */
export const busy = () =>
  throttled('sign_in_busy', 'Too many attempts at the same time; try again in a moment', {
    retryAfter: 1,
  })

/** In one line; a person who clicks often has fewer. */
const MAX_WAITING = 32

/** Work under the same key runs one after the other in this process. Over a full line: 429. */
export class KeyedMutex {
  readonly #lines = new Map<string, { length: number; last: Promise<unknown> }>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { length: 0, last: Promise.resolve() }
    if (line.length > MAX_WAITING) throw busy()
    line.length++
    this.#lines.set(key, line)
    const own = line.last.then(work)
    line.last = own.catch(() => {})
    try {
      return await own
    } finally {
      if (--line.length === 0) this.#lines.delete(key)
    }
  }
}
