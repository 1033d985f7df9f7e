import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'

// Large pages arrive in buffers that are used again. Made anew for every page, they kept the garbage collector busy for
// as long as the page took. Only so many are on their way at once, so that memory stays flat.

const SIZE_OF_EVENT = 1000
/** Below this a buffer of its own does no harm. */
const LARGE = 2000 * SIZE_OF_EVENT
const LARGEST = 10_000 * SIZE_OF_EVENT
const MOST_KEPT = 2
const MOST_AT_ONCE = 8
/** Then the next one goes ahead all the same: readers that have fallen asleep must not hold up the others. */
const LONGEST_WAIT_MS = 10_000

export class PageBuffers {
  readonly #free: Buffer[] = []
  readonly #waiting = new Set<() => void>()
  #atWork = 0

  /**
   * For an answer of so many events; what was in it before is still there. It is used again when the answer has left
   * the process to its last byte. Whatever else happens to an answer, its buffer is not: nobody's events may ever show
   * up in another's.
   */
  async take(events: number, response: ServerResponse): Promise<Buffer> {
    const size = events * SIZE_OF_EVENT
    if (size < LARGE) return Buffer.allocUnsafeSlow(size)
    if (this.#atWork >= MOST_AT_ONCE) await this.#turn()
    this.#atWork++
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(LARGEST)
    finished(response, (error) => {
      const sent = !error && response.writableFinished && response.statusCode === 200
      if (sent && this.#free.length < MOST_KEPT) this.#free.push(buffer)
      this.#atWork--
      const [next] = this.#waiting
      next?.()
    })
    return buffer
  }

  /** Whether an answer of so many events is large, and the only such one on its way. */
  isAlone(events: number): boolean {
    return events * SIZE_OF_EVENT >= LARGE && this.#atWork === 1
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer)
        this.#waiting.delete(go)
        resolve()
      }
      const timer = setTimeout(go, LONGEST_WAIT_MS)
      this.#waiting.add(go)
    })
  }
}
