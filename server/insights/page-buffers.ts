import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'

// Large pages arrive in buffers that are used again. Made anew for every page, they kept the garbage collector busy for
// as long as the page took.

const SIZE_OF_EVENT = 1000
/** Below this a buffer of its own does no harm. */
const LARGE = 2000 * SIZE_OF_EVENT
const LARGEST = 10_000 * SIZE_OF_EVENT
const MOST_KEPT = 2

export class PageBuffers {
  readonly #free: Buffer[] = []

  /** Of a size that does for most pages of so many events. What was in it before is still there. */
  take(events: number): Buffer {
    const size = events * SIZE_OF_EVENT
    if (size < LARGE) return Buffer.allocUnsafeSlow(size)
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(LARGEST)
  }

  /**
   * Takes it back when the answer has left the process to its last byte. Whatever happens to an answer otherwise, its
   * buffer is not used again: nobody's events may ever show up in another's.
   */
  giveBackAfter(response: ServerResponse, buffer: Buffer): void {
    if (buffer.length !== LARGEST) return
    finished(response, (error) => {
      if (!error && response.writableFinished && this.#free.length < MOST_KEPT)
        this.#free.push(buffer)
    })
  }
}
