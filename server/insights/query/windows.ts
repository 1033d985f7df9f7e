import type { Snapshot } from '../../platform/db/index.ts'
import {
  listSegments,
  type OpenRow,
  oldestOpen,
  readOpenRows,
  type SegmentHead,
} from '../segments/store.ts'

/** Events with from <= time < until, sealed and not. Segments may reach beyond. */
export interface Window {
  from: number
  until: number
  segments: SegmentHead[]
  rows: OpenRow[]
}

export interface Reach {
  from: number
  until: number
}

/** As many as are held in memory at once. */
const MAX_WINDOW = 262_144
/** Rows are larger than what is read of segments. */
const MAX_ROWS = 8192

/** The segments that start a window: as many as have the events, and where the next one begins. */
function nextSegments(ahead: SegmentHead[], position: number, budget: number) {
  let events = 0
  let taken = 0
  while (
    taken < ahead.length &&
    (taken === 0 || events < budget || ahead[taken]!.first <= position)
  )
    events += ahead[taken++]!.events
  return { edge: ahead[taken]?.first ?? Number.POSITIVE_INFINITY }
}

/** Backwards in time is forwards with all times negated. */
const mirrored = (head: SegmentHead): SegmentHead => ({
  ...head,
  first: -head.last,
  last: -head.first,
})

/**
 * Consecutive windows in the direction of the order, each with all its events: a reader that has enough stops. The first
 * has about as many events as wanted, each further one more.
 */
export async function* windowsOf(
  db: Snapshot,
  organizationIds: readonly string[],
  reach: Reach,
  sort: 'ASC' | 'DESC',
  wanted: number,
): AsyncGenerator<Window> {
  if (reach.from >= reach.until) return
  const heads = await listSegments(db, organizationIds, reach)
  const ascending = sort === 'ASC'
  const ordered = (ascending ? heads : heads.map(mirrored)).sort((a, b) => a.first - b.first)
  // Times are mirrored below when the order is descending: time t becomes -t, and [from, until) becomes (-until, -from].
  const [start, end] = ascending ? [reach.from, reach.until] : [1 - reach.until, 1 - reach.from]
  const real = new Map(heads.map((head) => [head.id, head]))
  let ahead = ordered
  /** Asked for once a second window is needed. Rows are mostly the newest events, so most windows have none. */
  let oldest: number | null | undefined
  for (
    let position = start, budget = wanted;
    position < end;
    budget = Math.min(4 * budget, MAX_WINDOW)
  ) {
    ahead = ahead.filter(({ last }) => last >= position)
    const edge = Math.min(end, nextSegments(ahead, position, budget).edge)
    const range = (to: number) =>
      ascending ? { from: position, until: to } : { from: 1 - to, until: 1 - position }
    const limit = Math.min(budget, MAX_ROWS)
    if (position > start && oldest === undefined)
      oldest = await oldestOpen(db, organizationIds, range(end))
    const none = oldest === null || (oldest !== undefined && oldest >= range(edge).until)
    const rows = none ? [] : await readOpenRows(db, organizationIds, range(edge), sort, limit)
    // Where an organization has more rows than were read, the window ends with the last of them.
    let until = edge
    for (const own of Map.groupBy(rows, ({ organizationId }) => organizationId).values())
      if (own.length >= limit)
        until = Math.min(until, (ascending ? own.at(-1)!.time : -own.at(-1)!.time) + 1)
    const window = range(until)
    yield {
      ...window,
      segments: ahead
        .filter(({ first, last }) => first < until && last >= position)
        .map(({ id }) => real.get(id)!),
      rows: rows.filter(({ time }) => time >= window.from && time < window.until),
    }
    position = until
  }
}
