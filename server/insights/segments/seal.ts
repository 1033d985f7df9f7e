import type { Db, Snapshot } from '../../platform/db/index.ts'
import { forEachTenant } from '../../platform/each-tenant.ts'
import { uuidv7 } from '../../platform/ids.ts'
import { Pace } from '../../platform/pace.ts'
import { readWatermark } from '../stream/store.ts'
import { readRows } from './contents.ts'
import { compareRows, type EventRow } from './frames.ts'
import {
  buildSegment,
  cutRows,
  SEGMENT_EVENTS,
  SEGMENT_SPAN_MS,
  type Segment,
  verifySegment,
} from './segment.ts'
import {
  countWaiting,
  deleteRows,
  deleteSegments,
  deleteSegmentsBefore,
  type Edge,
  findLateEvents,
  insertSegment,
  lastSegment,
  listSegments,
  lockPastEvents,
  organizationsToSeal,
  rowsToSeal,
  type SegmentHead,
} from './store.ts'

/** A clock that is set back may give events times that have passed; not by this much. `joinPastEvents` relies on it. */
const MARGIN_MS = 10 * 60_000
/** Fewer stay rows until they are old: each question parses them anew, but smaller segments take as much space as rows. */
const MIN_EVENTS = 256
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
  /** Called after each step. */
  stepped?: (organizationId: string, settled: number) => Promise<void>
}

type Settings = Required<SealOptions>

/** What becomes new segments: some that are there, and rows. All rows between the first and the last. */
interface Step {
  old: readonly SegmentHead[]
  rows: readonly EventRow[]
}

/** Seals the events after the last segment; the last few wait for others to come. */
async function newEvents(
  db: Snapshot,
  organizationId: string,
  last: Edge | null,
  { settled, size, least }: Settings,
): Promise<Step | null> {
  const enough = Math.min(least, size)
  // Counted first: most tenants have too few, and need not read them again and again.
  const { events, first } = await countWaiting(db, organizationId, last, settled, enough)
  const old = first !== null && first < settled - MAX_AGE_MS && events >= MIN_LATE
  if (events < enough && !old) return null
  return { old: [], rows: await rowsToSeal(db, organizationId, last, { until: settled }, size) }
}

/** Events that came late: by themselves if they are many and before the segment, or else together with it. */
async function lateEvents(
  db: Snapshot,
  organizationId: string,
  last: Edge,
  { size, least, leastLate }: Settings,
): Promise<Step | null> {
  const late = await findLateEvents(db, organizationId, last, leastLate)
  if (!late) return null
  const { segment, previous } = late
  const before = { before: segment.firstEdge }
  const gap = await rowsToSeal(db, organizationId, previous, before, size)
  if (gap.length >= Math.min(least, size)) return { old: [], rows: gap }
  const upTo = { upTo: segment.lastEdge }
  return { old: [segment], rows: await rowsToSeal(db, organizationId, previous, upTo, size) }
}

/** Neighbours that are small, because few events came at a time: each question looks at every segment. */
async function smallSegments(
  db: Snapshot,
  organizationId: string,
  { size, settled }: Settings,
): Promise<Step | null> {
  let some: SegmentHead[] = []
  for (const head of await listSegments(db, [organizationId], { from: 0, until: settled })) {
    // One that was merged is not small any more, so an event is merged once. Large documents are the frames' to tell.
    const small = head.events < size / 2 && head.starts === null
    if (!small || (some[0] && head.last - some[0].first > SEGMENT_SPAN_MS)) some = []
    if (small) some.push(head)
    if (some.length > 1 && some.reduce((sum, { events }) => sum + events, 0) >= size / 2)
      return { old: some, rows: [] }
  }
  return null
}

const nextStep = (db: Db, organizationId: string, settings: Settings): Promise<Step | null> =>
  db.tenant(organizationId).snapshot(async (snapshot) => {
    const last = (await lastSegment(snapshot, organizationId))?.lastEdge ?? null
    const step = await newEvents(snapshot, organizationId, last, settings)
    if (step || !last) return step
    return (
      (await lateEvents(snapshot, organizationId, last, settings)) ??
      (await smallSegments(snapshot, organizationId, settings))
    )
  })

async function buildSegments(rows: readonly EventRow[], size: number, pace: Pace) {
  const segments: Segment[] = []
  for (const part of cutRows(rows, size)) {
    const segment = await pace.through(buildSegment(part))
    await pace.through(verifySegment(segment, part))
    segments.push(segment)
  }
  return segments
}

/** Others have sealed, added or deleted some of the events meanwhile. */
class Moved extends Error {}

/**
 * Replaces segments and rows by new segments of the same events; false when others were quicker. Everything that takes
 * time comes before the lock, for which writers of past events wait. Events never change, so the same number of them
 * between the same two is the same events.
 */
async function replace(
  db: Db,
  organizationId: string,
  { old, rows }: Step,
  segments: readonly Segment[],
): Promise<boolean> {
  try {
    await db.tx(organizationId, async (tx) => {
      await lockPastEvents(tx, organizationId)
      const ids = old.map(({ id }) => id)
      if ((await deleteSegments(tx, organizationId, ids)) !== ids.length) throw new Moved()
      const [first, last] = [rows[0], rows.at(-1)]
      if (first && last && (await deleteRows(tx, organizationId, first, last)) !== rows.length)
        throw new Moved()
      for (const segment of segments) await insertSegment(tx, organizationId, uuidv7(), segment)
    })
    return true
  } catch (error) {
    if (error instanceof Moved) return false
    throw error
  }
}

/** The events of a step, in order. */
async function eventsOf(db: Db, organizationId: string, { old, rows }: Step): Promise<EventRow[]> {
  const sealed = await db.tenant(organizationId).snapshot(async (snapshot) => {
    const all: EventRow[][] = []
    for (const head of old) all.push(await readRows(snapshot, head))
    return all.flat()
  })
  return [...sealed, ...rows].sort(compareRows)
}

const settingsOf = async (db: Db, options: SealOptions): Promise<Settings> => ({
  settled: (await readWatermark(db)) - MARGIN_MS,
  size: SEGMENT_EVENTS,
  least: MIN_EVENTS,
  leastLate: MIN_LATE,
  stepped: async () => {},
  ...options,
})

/** All that is due of one tenant. What others touch at the same time is left to the next run. */
export async function sealOrganization(
  db: Db,
  organizationId: string,
  options: SealOptions = {},
): Promise<void> {
  const settings = await settingsOf(db, options)
  const pace = new Pace()
  for (;;) {
    const step = await nextStep(db, organizationId, settings)
    if (!step) return
    const events = await eventsOf(db, organizationId, step)
    const segments = await buildSegments(events, settings.size, pace)
    if (!(await replace(db, organizationId, step, segments))) return
    await settings.stepped(organizationId, settings.settled)
  }
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
  const tenant = db.tenant(organizationId)
  const whole = await deleteSegmentsBefore(tenant, organizationId, before)
  const time = before.getTime()
  const old = await listSegments(tenant, [organizationId], { from: time, until: time })
  if (old.length === 0) return whole
  const step = { old, rows: [] }
  const events = await eventsOf(db, organizationId, step)
  const kept = events.filter((event) => event.time >= time)
  const segments = await buildSegments(kept, kept.length, new Pace())
  return (await replace(db, organizationId, step, segments))
    ? whole + events.length - kept.length
    : whole
}
