import { throttled } from './errors.ts'

/** For attempts beyond the concurrency limit: not failures, and a retry soon works. */
export const busy = () =>
  throttled('sign_in_busy', 'Too many attempts at the same time; try again in a moment', {
    retryAfter: 1,
  })

/** Waiting per key; more than repeated clicks of one user cause. */
const MAX_WAITING = 32

/** Serializes work per key in this process. When the queue is full: 429. */
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
