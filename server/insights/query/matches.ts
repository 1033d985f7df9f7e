import type { Queryable, Snapshot } from '../../platform/db/index.ts'
import { blockOf, readBlocks } from '../segments/contents.ts'
import { type Block, fieldsOf, type Mask, type Test, testOf } from '../segments/evaluate.ts'
import type { Pace } from '../segments/pace.ts'
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
  db: Queryable,
  { from, to }: Pick<Selection, 'from' | 'to'>,
): Promise<Reach> {
  const mark = await readWatermark(db)
  return { from, until: to === null ? mark : Math.min(mark, to + 1) }
}

/** Some events of a window that match, by their places in a segment or in the rows. */
interface Found {
  /** Null for rows. */
  head: SegmentHead | null
  block: Block
  mask: Mask
}

const keepWithin = ({ times, start }: Block, mask: Mask, { from, until }: Reach): void => {
  for (let at = 0; at < mask.length; at++) {
    const time = start + times[at]!
    if (time < from || time >= until) mask[at] = 0
  }
}

export const isInside = ({ first, last }: SegmentHead, { from, until }: Reach): boolean =>
  first >= from && last < until

/** Prepared once for a question. */
export interface Search {
  pace: Pace
  test: Test
  /** Those the term looks at. */
  fields: string[]
}

const everything = testOf({ type: 'and', terms: [] })

export const searchFor = (term: Term | null, pace: Pace): Search => ({
  pace,
  test: term ? testOf(term) : everything,
  fields: term ? fieldsOf(term) : [],
})

/** Segments whose columns are in memory at once. */
const BATCH = 32

/** The matches of a window, segment by segment; rows last. */
export async function* matchesIn(
  db: Snapshot,
  { pace, test, fields }: Search,
  window: Window,
  segments = window.segments,
): AsyncGenerator<Found> {
  const judge = async (block: Block, inside: boolean): Promise<Mask | null> => {
    const mask = await pace.through(test(block))
    if (mask !== null && !inside) keepWithin(block, mask, window)
    return mask
  }
  for (let at = 0; at < segments.length; at += BATCH) {
    const batch = segments.slice(at, at + BATCH)
    const blocks = await readBlocks(db, pace, batch, fields, true)
    for (const head of batch) {
      const block = blocks.get(head.id)!
      const mask = await judge(block, isInside(head, window))
      if (mask !== null) yield { head, block, mask }
      await pace.breathe()
    }
  }
  if (window.rows.length === 0) return
  const block = await blockOf(pace, window.rows, fields, true)
  const mask = await judge(block, true)
  if (mask !== null) yield { head: null, block, mask }
}
