import { Readable } from 'node:stream'
import { invalid } from '../../platform/errors.ts'
import { within } from '../../platform/within.ts'

interface Limits {
  /** For all of it, and without anything of it. */
  seconds: number
  idleSeconds: number
}

const stalled = ({ idleSeconds }: Limits) =>
  invalid('body_stalled', `Nothing of the body has arrived for ${idleSeconds} s`)
const tooSlow = ({ seconds }: Limits) =>
  invalid('body_too_slow', `The body has taken longer than ${seconds} s; send it in parts`)

async function* pieces(body: Readable, limits: Limits): AsyncGenerator<Buffer> {
  const end = performance.now() + limits.seconds * 1000
  // Not `for await`: leaving it would destroy the body, and with it the connection that the answer needs.
  const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  for (;;) {
    const left = end - performance.now()
    const idle = limits.idleSeconds * 1000
    const late = left < idle ? tooSlow : stalled
    const next = source.next()
    // After a timeout nobody waits for it any more.
    next.catch(() => {})
    const { done, value } = await within(next, Math.min(left, idle), () => late(limits))
    if (done) return
    yield value
  }
}

/** The same body, which fails when its sender is too slow. Time during which nobody reads does not count as idle. */
export const timely = (body: Readable, limits: Limits): Readable =>
  Readable.from(pieces(body, limits), { objectMode: false })
