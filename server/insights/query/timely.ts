import { Readable } from 'node:stream'
import { invalid } from '../../platform/errors.ts'
import { within } from '../../platform/within.ts'

interface Limits {
  /** For the whole body; below, without receiving a byte. */
  seconds: number
  idleSeconds: number
}

const stalled = ({ idleSeconds }: Limits) =>
  invalid('body_stalled', `No data received for ${idleSeconds} s`)
const tooSlow = ({ seconds }: Limits) =>
  invalid('body_too_slow', `The body took longer than ${seconds} s; send it in parts`)

async function* pieces(body: Readable, limits: Limits): AsyncGenerator<Buffer> {
  const end = performance.now() + limits.seconds * 1000
  // Not `for await`: leaving it would destroy the body, and with it the connection needed for the response.
  const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  for (;;) {
    const left = end - performance.now()
    const idle = limits.idleSeconds * 1000
    const late = left < idle ? tooSlow : stalled
    const next = source.next()
    // After a timeout nothing awaits it.
    next.catch(() => {})
    const { done, value } = await within(next, Math.min(left, idle), () => late(limits))
    if (done) return
    yield value
  }
}

/** Wraps a body so that it fails when its sender is too slow. Back-pressure does not count as idle. */
export const timely = (body: Readable, limits: Limits): Readable =>
  Readable.from(pieces(body, limits), { objectMode: false })
