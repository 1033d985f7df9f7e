import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { throttled } from '../../platform/errors.ts'
import { FairShare } from '../../platform/fair-share.ts'
import type { Limits } from '../../platform/limits.ts'

// Large pages use pooled buffers: allocating one per page kept the garbage collector busy for as long as the page took.
// The number in flight is limited, to bound memory.

const SIZE_OF_EVENT = 1000
/** Smaller pages get a buffer of their own, which is cheap. */
const LARGE = 2000 * SIZE_OF_EVENT
const LARGEST = 10_000 * SIZE_OF_EVENT
const MAX_KEPT = 2
const PATIENCE_MS = 30_000

const tooMany = (largePages: number) =>
  throttled(
    'too_many_large_pages',
    `Too many large pages: at most ${largePages} at once per organization or provider; finish reading those in progress, or request fewer events`,
    { retryAfter: 5 },
  )

export class PageBuffers {
  readonly #free: Buffer[] = []
  readonly #share: FairShare

  constructor(limits: Limits) {
    const { largePages } = limits.tenant
    this.#share = new FairShare({
      places: limits.process.largePages,
      // Stalled clients block only their own organization or provider.
      share: largePages,
      patience: { ms: PATIENCE_MS, refuse: () => tooMany(largePages) },
      overflow: true,
    })
  }

  /**
   * A buffer for a response of that many events, not zeroed. It is reused only after a complete response: otherwise
   * events of one tenant could end up in the response of another.
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
