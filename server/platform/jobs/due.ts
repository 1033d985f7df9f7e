import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../db/index.ts'
import { sql } from '../db/sql.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'

/** Maximum delay of a job whose notification was missed. */
const POLL_MS = 5_000

/** For each queue with pending jobs, the milliseconds until the first of them is due. */
const listPending = (db: Queryable) =>
  db.many<{ queue: string; ms: number }>(sql`
    select name as queue, extract(epoch from min(start_after) - now())::float8 * 1000 as ms
      from pgboss.job where state < 'active' and not blocked group by name`)

/**
 * Wakes workers for jobs that no notification announces: those sent for later, retries, and any that were missed
 * while the listening connection was down. One statement polls all queues, and runs again when the next job is due.
 */
export function wakeWhenDue(
  db: Queryable,
  log: Logger,
  wake: (queue: string) => void,
  pollMs = POLL_MS,
): () => Promise<void> {
  const stop = new AbortController()
  const { signal } = stop
  const poll = async (): Promise<number> => {
    let pause = pollMs
    for (const { queue, ms } of await listPending(db)) {
      if (ms <= 0) wake(queue)
      else pause = Math.min(pause, Math.ceil(ms))
    }
    return pause
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const pause = await poll().catch((error) => {
        log.debug({ reason: messageOf(error) }, 'polling for due jobs failed')
        return pollMs
      })
      await delay(pause, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return async () => {
    stop.abort()
    await running
  }
}
