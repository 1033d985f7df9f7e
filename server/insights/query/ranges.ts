import type { Queryable } from '../../platform/db/index.ts'
import { eventsIn, TIMES, timeAt } from '../digests/digest.ts'
import { digestCondition } from '../digests/digest-sql.ts'
import { fieldsOf, matchingPlaces } from '../digests/match.ts'
import {
  type DigestLists,
  type DigestRow,
  digestKey,
  matchingDigests,
  readLists,
} from '../digests/store.ts'
import { SERVICES } from '../services.ts'
import type { Selection } from './event-query.ts'
import type { Term } from './search-tree.ts'

/** Events of an organization with from <= timestamp < until. */
export interface Range {
  organizationId: string
  from: number
  until: number
  /** How many there are, as far as digests tell; a guess otherwise. */
  events: number
  /** Where the digest of this time begins, if its lists can tell more. */
  digest: number | null
}

/** For a time that no digest covers. Wrong guesses cost time, nothing else. */
const UNKNOWN = 5000

/** What digests judge: the term together with the services. */
export function digestTerm({ services, term }: Selection): Term {
  const which: Term = {
    type: 'leaf',
    field: 'service',
    kinds: ['string'],
    operator: 'in',
    values: [...services],
  }
  const all = services.length === SERVICES.length
  return { type: 'and', terms: [...(all ? [] : [which]), ...(term ? [term] : [])] }
}

/** What is left of a time when digests without a match are taken out. */
function remaining(
  organizationId: string,
  rows: DigestRow[],
  from: number,
  until: number,
): Range[] {
  const ranges: Range[] = []
  const add = (start: number, end: number, events: number, digest: number | null) => {
    const range = { from: Math.max(start, from), until: Math.min(end, until), events, digest }
    if (range.from < range.until) ranges.push({ organizationId, ...range })
  }
  if (rows.length === 0) add(from, until, UNKNOWN, null)
  for (const row of rows) {
    add(row.before ?? from, row.from, UNKNOWN, null)
    if (row.hit) add(row.from, row.until, row.events, row.listed ? row.from : null)
    if (row.last) add(row.until, until, UNKNOWN, null)
  }
  return ranges
}

/** Where events of a selection can be, in order of time within each organization. */
export async function rangesOf(
  db: Queryable,
  organizationIds: readonly string[],
  term: Term,
  { from, until }: { from: number; until: number },
): Promise<Range[]> {
  if (from >= until) return []
  const condition = digestCondition(organizationIds, term)
  const rows = condition
    ? await matchingDigests(db, organizationIds, { from, until }, condition)
    : []
  const byOrganization = Map.groupBy(rows, (row) => row.organization_id)
  return organizationIds.flatMap((id) => remaining(id, byOrganization.get(id) ?? [], from, until))
}

const clipped = (ranges: Range[], from: number, until: number): Range[] =>
  ranges
    .map((range) => ({
      ...range,
      from: Math.max(range.from, from),
      until: Math.min(range.until, until),
    }))
    .filter((range) => range.from < range.until)

/** Read one after the other, so that a page that is full early needs no more; each larger than the one before. */
export function* windowsOf(
  ranges: Range[],
  sort: 'ASC' | 'DESC',
  first: number,
): Generator<Range[]> {
  const ascending = sort === 'ASC'
  const start = (range: Range) => (ascending ? range.from : -range.until)
  let left = [...ranges].sort((a, b) => start(a) - start(b))
  for (let budget = first; left.length > 0; budget *= 4) {
    let events = 0
    let taken = 0
    while (taken < left.length && (taken === 0 || events < budget)) events += left[taken++]!.events
    const window = left.slice(0, taken)
    const next = left.slice(taken)
    if (next.length === 0) {
      yield window
      return
    }
    // What reaches into the time of the next window belongs there: ranges of several organizations overlap.
    const edge = ascending ? next[0]!.from : next[0]!.until
    const earlier = clipped(window, Number.NEGATIVE_INFINITY, edge)
    const later = clipped(window, edge, Number.POSITIVE_INFINITY)
    yield ascending ? earlier : later
    left = [...(ascending ? later : earlier), ...next].sort((a, b) => start(a) - start(b))
  }
}

/** Where more of a digest's events can match, reading all of it is quicker than one by one. */
const DENSE = 0.25

/** The times in a digest's range that can match, or the whole range. */
function narrowed(range: Range, term: Term, lists: DigestLists | undefined): Range[] {
  const times = lists?.get(TIMES)
  const places = lists && times ? matchingPlaces(term, lists) : null
  if (!times || places === null || places.size > eventsIn(times) * DENSE) return [range]
  return [...new Set([...places].map((place) => range.digest! + timeAt(times, place)))]
    .filter((time) => time >= range.from && time < range.until)
    .sort((a, b) => a - b)
    .map((time) => ({ ...range, from: time, until: time + 1, events: 1, digest: null }))
}

/** Ranges that touch are one. */
function merged(ranges: Range[]): Range[] {
  const result: Range[] = []
  for (const range of ranges) {
    const last = result.at(-1)
    if (last?.until === range.from && last.organizationId === range.organizationId) {
      result[result.length - 1] = {
        ...last,
        until: range.until,
        events: last.events + range.events,
        digest: null,
      }
    } else result.push(range)
  }
  return result
}

/** Digests whose lists are in memory at once. */
const BATCH = 500
/** Beyond so many, the rest is read whole. */
const MAX_RANGES = 20_000

/** Reads the lists of digests and leaves only the times of events that can match. */
export async function narrow(db: Queryable, ranges: Range[], term: Term): Promise<Range[]> {
  const fields = [...new Set([TIMES, ...fieldsOf(term)])]
  const narrower: Range[] = []
  for (let at = 0; at < ranges.length; at += BATCH) {
    const batch = ranges.slice(at, at + BATCH)
    const digests = batch.filter((range) => range.digest !== null)
    if (digests.length === 0 || narrower.length > MAX_RANGES) {
      narrower.push(...batch)
      continue
    }
    const lists = await readLists(db, digests, fields)
    for (const range of batch)
      narrower.push(
        ...narrowed(range, term, lists.get(digestKey(range.organizationId, range.digest))),
      )
  }
  return merged(narrower)
}
