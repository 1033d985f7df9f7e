import type { TenantDb } from '../../platform/db/index.ts'
import { Pace } from '../../platform/pace.ts'
import { blockOf, lowerPlace, readBlocks, timesOf } from '../segments/contents.ts'
import { addValues } from '../segments/distinct.ts'
import type { Mask } from '../segments/evaluate.ts'
import type { SegmentHead } from '../segments/store.ts'
import { compareTexts } from '../segments/texts.ts'
import type { Selection } from './event-query.ts'
import { isInside, matchesIn, reachOf, searchFor, wholeTerm } from './matches.ts'
import { type Window, windowsOf } from './windows.ts'

// Numbers of events. All take the ids of one or several tenants; `db` acts for exactly those.

/** Segments looked at together. */
const SUMMED = 131_072

const matched = (mask: Mask, from = 0, to = mask.length): number => {
  let count = 0
  for (let at = from; at < to; at++) count += mask[at]!
  return count
}

export async function countEvents(
  db: TenantDb,
  organizationIds: readonly string[],
  selection: Selection,
  pace = new Pace(),
): Promise<number> {
  const reach = await reachOf(db, selection)
  const { term, services } = selection
  const search = searchFor(wholeTerm(selection), pace)
  return db.snapshot(async (snapshot) => {
    let count = 0
    for await (const window of windowsOf(snapshot, organizationIds, reach, 'ASC', SUMMED)) {
      // Without a term, a segment as a whole is counted already.
      const counted = term === null ? window.segments.filter((head) => isInside(head, window)) : []
      for (const head of counted)
        for (const service of services) count += head.services[service] ?? 0
      const others =
        counted.length === 0
          ? window.segments
          : window.segments.filter((head) => !isInside(head, window))
      for await (const found of matchesIn(snapshot, search, window, others))
        for (const { mask } of found) count += matched(mask)
    }
    return count
  })
}

interface Bucket {
  key: string
  doc_count: number
}

/** More values than anyone reads; the others are only counted. */
const MAX_DISTINCT = 10_000
const MERGED = 1024

const byFrequency = (a: Bucket, b: Bucket): number =>
  b.doc_count - a.doc_count || compareTexts(a.key, b.key)

/** Some at a time: there may be as many values as events. */
async function mostFrequent(counts: Map<string, number>, pace: Pace): Promise<Bucket[]> {
  let best: Bucket[] = []
  let some: Bucket[] = []
  const merge = async () => {
    best = [...best, ...some].sort(byFrequency).slice(0, MAX_DISTINCT)
    some = []
    await pace.breathe()
  }
  for (const [key, doc_count] of counts) {
    const bucket = { key, doc_count }
    const worst = best[MAX_DISTINCT - 1]
    if (!worst || byFrequency(bucket, worst) < 0) some.push(bucket)
    if (some.length === MERGED) await merge()
  }
  await merge()
  return best
}

/** The values of a field by frequency; lists count each of their elements. */
export async function distinctValues(
  db: TenantDb,
  organizationIds: readonly string[],
  selection: Selection,
  field: string,
  pace = new Pace(),
): Promise<{ buckets: Bucket[]; others: number }> {
  const reach = await reachOf(db, selection)
  const search = searchFor(wholeTerm(selection), pace)
  const counts = new Map<string, number>()
  let total = 0
  const add = (key: string, count: number) => {
    counts.set(key, (counts.get(key) ?? 0) + count)
    total += count
  }
  // No document has a name that cannot be stored.
  const fields = field.isWellFormed() && !field.includes('\0') ? [field] : []
  const parts = { fields, times: false, deep: false }
  await db.snapshot(async (snapshot) => {
    for await (const window of windowsOf(snapshot, organizationIds, reach, 'ASC', SUMMED))
      for await (const found of matchesIn(snapshot, search, window)) {
        const heads = found.flatMap(({ head }) => head ?? [])
        const blocks = await readBlocks(snapshot, pace, heads, parts)
        for (const { head, mask } of found) {
          const block = head ? blocks.get(head.id)! : await blockOf(pace, window.rows, parts)
          const column = block.columns.get(field)
          if (column) await pace.through(addValues(column, mask, add))
        }
      }
  })
  const buckets = await mostFrequent(counts, pace)
  const counted = buckets.reduce((sum, { doc_count }) => sum + doc_count, 0)
  return { buckets, others: total - counted }
}

/** Weeks start on Monday, as did 5 January 1970. */
const FIRST_MONDAY = 4 * 86_400_000

/**
 * Events per step; `offset` shifts the step boundaries to a time zone. Times in milliseconds. One step more than
 * `maxSteps` shows that there are too many.
 */
export async function countPerStep(
  db: TenantDb,
  organizationIds: readonly string[],
  selection: Selection,
  step: { seconds: number; offsetSeconds: number },
  maxSteps: number,
  pace = new Pace(),
): Promise<{ start: number; doc_count: number }[]> {
  const reach = await reachOf(db, selection)
  const term = wholeTerm(selection)
  const search = searchFor(term, pace)
  const width = step.seconds * 1000
  const origin = FIRST_MONDAY - step.offsetSeconds * 1000
  const counts = new Map<number, number>()
  const stepOf = (time: number) => Math.floor((time - origin) / width)
  const add = (at: number, count: number) => {
    if (count > 0) counts.set(at, (counts.get(at) ?? 0) + count)
  }
  const addSteps = ({ first }: SegmentHead, offsets: Uint32Array, mask: Mask) => {
    for (let at = 0; at < mask.length; ) {
      const step = stepOf(first + offsets[at]!)
      const end = lowerPlace(offsets, origin + (step + 1) * width - first)
      add(step, matched(mask, at, end))
      at = end
    }
  }
  const addRows = (rows: Window['rows'], mask: Mask) => {
    for (const [at, { time }] of rows.entries()) if (mask[at] === 1) add(stepOf(time), 1)
  }
  const isInOneStep = ({ first, last }: SegmentHead) => stepOf(first) === stepOf(last)
  const whole = (head: SegmentHead, window: Window) =>
    term === null && isInside(head, window) && isInOneStep(head)
  await db.snapshot(async (snapshot) => {
    for await (const window of windowsOf(snapshot, organizationIds, reach, 'ASC', SUMMED)) {
      const inOneStep = window.segments.filter((head) => whole(head, window))
      for (const head of inOneStep) add(stepOf(head.first), head.events)
      const others = window.segments.filter((head) => !whole(head, window))
      for await (const found of matchesIn(snapshot, search, window, others)) {
        const heads = found.flatMap(({ head }) => (head && !isInOneStep(head) ? head : []))
        const times = await timesOf(snapshot, heads)
        for (const { head, mask } of found) {
          if (!head) addRows(window.rows, mask)
          else if (times.has(head.id)) addSteps(head, times.get(head.id)!, mask)
          else add(stepOf(head.first), matched(mask))
          await pace.breathe()
        }
      }
      // More than are answered.
      if (counts.size > maxSteps) break
    }
  })
  return [...counts]
    .map(([at, doc_count]) => ({ start: origin + at * width, doc_count }))
    .sort((a, b) => a.start - b.start)
    .slice(0, maxSteps + 1)
}
