import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'

let settlingMs = 0
/** How old an event must be before readers see it; see GATEHOUSE_EVENT_SETTLING_SECONDS. */
export const setSettling = (seconds: number): void => {
  settlingMs = seconds * 1000
}

/** Milliseconds. For the whole installation, and reveals nothing about any tenant. */
export async function readWatermark(db: Queryable): Promise<number> {
  const row = await db.find<{ mark: number }>(
    sql`select round(extract(epoch from event_watermark()) * 1000)::int8 as mark`,
  )
  return row!.mark - settlingMs
}
