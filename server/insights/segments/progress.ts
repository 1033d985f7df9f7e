import type { Db } from '../../platform/db/index.ts'
import { countOpen } from './store.ts'

/** Long runs only: the first one after an upgrade has all events of an installation before it. */
const REPORT_MS = 10_000

interface Progress {
  organizationId: string
  /** Events that are not sealed yet. */
  left: number
}

/** Reports now and then how much of an organization is left; to be called after each step. */
export function progressReport(
  db: Db,
  report: (progress: Progress) => void,
  everyMs = REPORT_MS,
): (organizationId: string, settled: number) => Promise<void> {
  let last = performance.now()
  return async (organizationId, settled) => {
    if (performance.now() - last < everyMs) return
    report({
      organizationId,
      left: await countOpen(db.tenant(organizationId), organizationId, settled),
    })
    last = performance.now()
  }
}
