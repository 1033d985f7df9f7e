import type { Snapshot, TenantDb } from '../../platform/db/index.ts'
import type { Pace } from '../../platform/pace.ts'
import { blockOf, type Parts, readBlocks, timesOf, timesOfRows } from '../segments/contents.ts'
import {
  asksForTimes,
  fieldsOf,
  type Mask,
  type Test,
  type Times,
  testOf,
} from '../segments/evaluate.ts'
import type { SegmentHead } from '../segments/store.ts'
import { SERVICES } from '../services.ts'
import { readWatermark } from '../stream/store.ts'
import type { Selection } from './event-query.ts'
import type { Term } from './search-tree.ts'
import type { Reach, Window } from './windows.ts'

// Which events match, wherever they lie: rows or segments.

/** The term together with the services; null when every event matches. */
export function wholeTerm({ services, term }: Pick<Selection, 'services' | 'term'>): Term | null {
  if (services.length === SERVICES.length) return term
  const which: Term = {
    type: 'leaf',
    field: 'service',
    kinds: ['string'],
    operator: 'in',
    values: [...services],
  }
  return term ? { type: 'and', terms: [which, term] } : which
}

/**
 * Up to the watermark, so that readers who poll for later events miss none (design D7). It is read before the snapshot:
 * if it were newer, events committed in between would be skipped.
 */
export async function reachOf(
  db: TenantDb,
  { from, to }: Pick<Selection, 'from' | 'to'>,
): Promise<Reach> {
  const mark = await readWatermark(db)
  return { from, until: to === null ? mark : Math.min(mark, to + 1) }
}

/** Some events of a window that match, by their places in a segment or in the rows. */
interface Found {
  /** Null for rows. */
  head: SegmentHead | null
  mask: Mask
}

const keepWithin = ({ offsets, start }: Times, mask: Mask, { from, until }: Reach): void => {
  for (let at = 0; at < mask.length; at++) {
    const time = start + offsets[at]!
    if (time < from || time >= until) mask[at] = 0
  }
}

export const isInside = ({ first, last }: SegmentHead, { from, until }: Reach): boolean =>
  first >= from && last < until

/** Prepared once for a question. */
export interface Search {
  pace: Pace
  test: Test
  /** What the term looks at. */
  parts: Parts
}

const everything = testOf({ type: 'and', terms: [] })

export const searchFor = (term: Term | null, pace: Pace): Search => ({
  pace,
  test: term ? testOf(term) : everything,
  parts: {
    fields: term ? fieldsOf(term) : [],
    times: term !== null && asksForTimes(term),
    deep: true,
  },
})

/** When the events of each happened. */
export async function timesIn(
  db: Snapshot,
  { rows }: Pick<Window, 'rows'>,
  found: readonly Found[],
): Promise<Times[]> {
  const read = await timesOf(
    db,
    found.flatMap(({ head }) => head ?? []),
  )
  return found.map(({ head }) =>
    head ? { offsets: read.get(head.id)!, start: head.first } : timesOfRows(rows),
  )
}

/** Segments whose columns are in memory at once. */
const BATCH = 32

/** The matches of a window, some segments at a time; rows last. */
export async function* matchesIn(
  db: Snapshot,
  { pace, test, parts }: Search,
  window: Window,
  segments = window.segments,
): AsyncGenerator<Found[]> {
  for (let at = 0; at < segments.length; at += BATCH) {
    const batch = segments.slice(at, at + BATCH)
    const blocks = await readBlocks(db, pace, batch, parts)
    const found: Found[] = []
    for (const head of batch) {
      const mask = await pace.through(test(blocks.get(head.id)!))
      if (mask !== null) found.push({ head, mask })
      await pace.breathe()
    }
    const cut = found.filter(({ head }) => !isInside(head!, window))
    for (const [n, times] of (await timesIn(db, window, cut)).entries())
      keepWithin(times, cut[n]!.mask, window)
    if (found.length > 0) yield found
  }
  if (window.rows.length === 0) return
  const mask = await pace.through(test(await blockOf(pace, window.rows, parts)))
  if (mask !== null) yield [{ head: null, mask }]
}
