import type { Db, TenantDb } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'

/** Milliseconds. For the whole installation, and reveals nothing about any tenant. */
export async function readWatermark(db: Db | TenantDb): Promise<number> {
  const row = await db.find<{ mark: number }>(
    sql`select round(extract(epoch from event_watermark()) * 1000)::int8 as mark`,
  )
  return row!.mark - db.recording.settlingSeconds * 1000
}
