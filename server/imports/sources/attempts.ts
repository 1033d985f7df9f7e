import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '../../platform/outbound/retry.ts'
import { asSourceFailure, SourceFailure } from './failures.ts'
import type { ReadOptions, Wait } from './source.ts'

const MAX_ATTEMPTS = 5
/** A source that asks for a longer pause is read again by a later job. */
const MAX_WAIT_MS = 120_000

const waitByTimer: Wait = async (ms, signal) => {
  try {
    await delay(ms, undefined, signal && { signal })
  } catch {
    signal?.throwIfAborted()
  }
}

/** The attempts at one page. */
export class Attempts {
  readonly #options: Pick<ReadOptions, 'signal' | 'onRetry'>
  readonly #wait: Wait
  #made = 0

  constructor(options: Pick<ReadOptions, 'signal' | 'onRetry'>, wait: Wait = waitByTimer) {
    this.#options = options
    this.#wait = wait
  }

  /** Resolves when it is time for another attempt. Throws the failure when there should be none. */
  async after(error: unknown): Promise<void> {
    const { signal, onRetry } = this.#options
    signal?.throwIfAborted()
    const failure = asSourceFailure(error)
    if (!(failure instanceof SourceFailure) || failure.kind !== 'transient') throw failure
    if (++this.#made >= MAX_ATTEMPTS || failure.retryAfterMs > MAX_WAIT_MS) throw failure
    onRetry?.(failure.message)
    await this.#wait(Math.max(backoff(this.#made), failure.retryAfterMs), signal)
  }
}
