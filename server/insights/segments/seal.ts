import type { Db, Tx } from '../../platform/db/index.ts'
import { forEachTenant } from '../../platform/each-tenant.ts'
import { uuidv7 } from '../../platform/ids.ts'
import { readWatermark } from '../stream/store.ts'
import { readRows } from './contents.ts'
import { compareRows, type EventRow } from './frames.ts'
import { buildSegment, cutRows, SEGMENT_EVENTS, verifySegment } from './segment.ts'
import {
  countWaiting,
  deleteRows,
  deleteSegment,
  deleteSegmentsBefore,
  type Edge,
  findLateEvents,
  insertSegment,
  type LateEvents,
  lastSegment,
  listSegments,
  lockPastEvents,
  organizationsToSeal,
  rowsToSeal,
} from './store.ts'

/** A clock that is set back may give events times that have passed; not by this much. `joinPastEvents` relies on it. */
const MARGIN_MS = 10 * 60_000
/** Fewer stay rows until they are old: small segments are no smaller than rows, and slower. */
const MIN_EVENTS = 1024
const MAX_AGE_MS = 30 * 86_400_000
/** Late events in the time of a segment that make it worth being written anew. */
const MIN_LATE = 64

interface SealOptions {
  /** Events from then on may still change. */
  settled?: number
  /** Events in a segment, at most; and what it takes to make one. */
  size?: number
  least?: number
  leastLate?: number
}

type Settings = Required<SealOptions>

/** Writes segments of some events, which are in order. */
async function writeSegments(
  tx: Tx,
  organizationId: string,
  events: readonly EventRow[],
  size: number,
): Promise<void> {
  for (const rows of cutRows(events, size)) {
    const segment = buildSegment(rows)
    verifySegment(segment, rows)
    await insertSegment(tx, organizationId, uuidv7(), segment)
  }
}

/** The rows must be all there are between the first and the last of them. */
async function removeRows(tx: Tx, organizationId: string, rows: readonly EventRow[]) {
  const [first, last] = [rows[0]!, rows.at(-1)!]
  const gone = await deleteRows(tx, organizationId, first, last)
  if (gone !== rows.length)
    throw new Error(`${gone} events instead of ${rows.length} would have been sealed`)
}

/** Seals the events after the last segment; the last few wait for others to come. */
async function sealNew(
  tx: Tx,
  organizationId: string,
  last: Edge | null,
  { settled, size, least }: Settings,
): Promise<boolean> {
  const enough = Math.min(least, size)
  // Counted first: most tenants have too few, and need not read them again and again.
  const { events, first } = await countWaiting(tx, organizationId, last, settled, enough)
  const old = first !== null && first < settled - MAX_AGE_MS && events >= MIN_LATE
  if (events < enough && !old) return false
  const rows = await rowsToSeal(tx, organizationId, last, { until: settled }, size)
  await writeSegments(tx, organizationId, rows, size)
  await removeRows(tx, organizationId, rows)
  return true
}

/** Seals events that came late: by themselves if they are many and before the segment, or else together with it. */
async function sealLate(
  tx: Tx,
  organizationId: string,
  { segment, previous }: LateEvents,
  { size, least }: Settings,
): Promise<void> {
  const before = { before: segment.firstEdge }
  const gap = await rowsToSeal(tx, organizationId, previous, before, size)
  if (gap.length >= Math.min(least, size)) {
    await writeSegments(tx, organizationId, gap, size)
    await removeRows(tx, organizationId, gap)
    return
  }
  const late = await rowsToSeal(tx, organizationId, previous, { upTo: segment.lastEdge }, 4 * size)
  const sealed = await readRows(tx, segment)
  const all = [...sealed, ...late].sort(compareRows)
  // First: a segment may end with the same event as the one it replaces.
  await deleteSegment(tx, organizationId, segment.id)
  await writeSegments(tx, organizationId, all, size)
  await removeRows(tx, organizationId, late)
}

/** One step, in a transaction of its own: writers of past events wait no longer than for that. False when nothing is left. */
const sealMore = (db: Db, organizationId: string, settings: Settings): Promise<boolean> =>
  db.tx(organizationId, async (tx) => {
    await lockPastEvents(tx, organizationId)
    const last = await lastSegment(tx, organizationId)
    if (await sealNew(tx, organizationId, last?.lastEdge ?? null, settings)) return true
    if (!last) return false
    const late = await findLateEvents(tx, organizationId, last.lastEdge, settings.leastLate)
    if (late) await sealLate(tx, organizationId, late, settings)
    return late !== null
  })

const settingsOf = async (db: Db, options: SealOptions): Promise<Settings> => ({
  settled: (await readWatermark(db)) - MARGIN_MS,
  size: SEGMENT_EVENTS,
  least: MIN_EVENTS,
  leastLate: MIN_LATE,
  ...options,
})

/** All that is due of one tenant. */
export async function sealOrganization(
  db: Db,
  organizationId: string,
  options: SealOptions = {},
): Promise<void> {
  const settings = await settingsOf(db, options)
  while (await sealMore(db, organizationId, settings));
}

/** All that is due, for every tenant. Safe to end anywhere: each step stands for itself. */
export async function sealEvents(db: Db, options: SealOptions = {}): Promise<void> {
  const settings = await settingsOf(db, options)
  const enough = Math.min(settings.least, settings.leastLate, settings.size)
  await forEachTenant(await organizationsToSeal(db, settings.settled, enough), (organizationId) =>
    sealOrganization(db, organizationId, settings),
  )
}

/**
 * Deletes the sealed events before an instant; returns their number. The segment that goes on beyond it is written anew,
 * without them.
 */
export async function trimSegments(db: Db, organizationId: string, before: Date): Promise<number> {
  const whole = await deleteSegmentsBefore(db.tenant(organizationId), organizationId, before)
  const part = await db.tx(organizationId, async (tx) => {
    await lockPastEvents(tx, organizationId)
    const time = before.getTime()
    const [segment] = await listSegments(tx, [organizationId], { from: time, until: time })
    if (!segment) return 0
    const rows = await readRows(tx, segment)
    const kept = rows.filter((row) => row.time >= time)
    await deleteSegment(tx, organizationId, segment.id)
    await writeSegments(tx, organizationId, kept, kept.length)
    return rows.length - kept.length
  })
  return whole + part
}
