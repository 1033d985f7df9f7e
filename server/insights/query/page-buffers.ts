import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { throttled } from '../../platform/errors.ts'
import { FairShare } from '../../platform/fair-share.ts'
import { limits } from '../../platform/limits.ts'

// Large pages arrive in buffers that are used again. Made anew for every page, they kept the garbage collector busy for
// as long as the page took. Only so many are on their way at once, so that memory stays flat.

const SIZE_OF_EVENT = 1000
/** Below this a buffer of its own does no harm. */
const LARGE = 2000 * SIZE_OF_EVENT
const LARGEST = 10_000 * SIZE_OF_EVENT
const MAX_KEPT = 2
const PATIENCE_MS = 30_000

const tooMany = () =>
  throttled(
    'too_many_large_pages',
    `Too many large pages: ${limits.tenant.largePages} at once are sent to one organization or provider; read those that are on their way, or ask for fewer events`,
    { retryAfter: 5 },
  )

export class PageBuffers {
  readonly #free: Buffer[] = []
  readonly #share = new FairShare({
    places: limits.process.largePages,
    // Readers that have fallen asleep hold up their own organization or provider.
    share: limits.tenant.largePages,
    patience: { ms: PATIENCE_MS, refuse: tooMany },
    overflow: true,
  })

  /**
   * For an answer of so many events; what was in it before is still there. It is used again when the answer has left
   * the process to its last byte. Whatever else happens to an answer, its buffer is not: nobody's events may ever show
   * up in another's.
   */
  async take(events: number, response: ServerResponse, tenant: string): Promise<Buffer> {
    const size = events * SIZE_OF_EVENT
    if (size < LARGE) return Buffer.allocUnsafeSlow(size)
    const leave = await this.#share.take(tenant)
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(LARGEST)
    finished(response, (error) => {
      const sent = !error && response.writableFinished && response.statusCode === 200
      if (sent && this.#free.length < MAX_KEPT) this.#free.push(buffer)
      leave()
    })
    return buffer
  }
}
