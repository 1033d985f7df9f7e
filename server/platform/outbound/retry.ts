const FIRST_MS = 1000
const MAX_MS = 300_000
const MAX_ASKED_MS = 86_400_000
/** How long a receiver may be unavailable before the sender gives up. */
export const PATIENCE_MS = 72 * 3_600_000

/** Exponential from a second to five minutes, with 25 % jitter. */
export const backoff = (attempts: number, random = Math.random): number =>
  Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 20)) * (0.75 + random() / 2)

/** RFC 9110 §10.2.3: seconds or a date. In milliseconds from now. */
export function readRetryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), MAX_ASKED_MS) : 0
}

interface Failure {
  /** Including this one. */
  attempts: number
  failingSince: number
  retryAfter: number
  gone: boolean
}

type Verdict = { status: 'retrying'; nextAt: number } | { status: 'failed' }

/** Decides what to do after a failure. */
export function judge(failure: Failure, now: number, random?: () => number): Verdict {
  if (failure.gone || now - failure.failingSince >= PATIENCE_MS) return { status: 'failed' }
  const wait = Math.max(backoff(failure.attempts, random), failure.retryAfter)
  return { status: 'retrying', nextAt: now + wait }
}
