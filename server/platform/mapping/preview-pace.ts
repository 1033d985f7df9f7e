import { unavailable } from '../errors.ts'
import { Pace } from '../pace.ts'

const MAX_PREVIEW_SECONDS = 10
const RETRY_AFTER_SECONDS = 5

/** The pace of a preview between its records; nobody waits for one that takes longer. */
export function previewPace(seconds = MAX_PREVIEW_SECONDS): Pace {
  const end = performance.now() + seconds * 1000
  return new Pace(() => {
    if (performance.now() < end) return
    throw unavailable(
      'preview_timeout',
      `The preview was aborted after ${seconds} s. Choose fewer records or rules`,
      { retryAfter: RETRY_AFTER_SECONDS },
    )
  })
}
