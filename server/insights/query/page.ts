import type { Snapshot, TenantDb } from '../../platform/db/index.ts'
import { Pace } from '../../platform/pace.ts'
import { readUuid, uuidBytes } from '../segments/binary-rows.ts'
import { readEvents, type SealedEvent } from '../segments/contents.ts'
import { compareRows } from '../segments/frames.ts'
import type { SegmentHead } from '../segments/store.ts'
import { EventPage } from './event-page.ts'
import type { EventQuery, Selection } from './event-query.ts'
import { matchesIn, reachOf, type Search, searchFor, timesIn, wholeTerm } from './matches.ts'
import type { Term } from './search-tree.ts'
import { type Reach, type Window, windowsOf } from './windows.ts'

// Events in order. All take the ids of one or several tenants; `db` acts for exactly those.

/** A match that is not read yet. */
interface Candidate {
  time: number
  place: number
  head: SegmentHead | null
}

async function candidatesOf(db: Snapshot, search: Search, window: Window): Promise<Candidate[]> {
  const candidates: Candidate[] = []
  for await (const found of matchesIn(db, search, window)) {
    const times = await timesIn(db, window, found)
    for (const [at, { head, mask }] of found.entries()) {
      const { offsets, start } = times[at]!
      for (let place = 0; place < mask.length; place++)
        if (mask[place] === 1) candidates.push({ time: start + offsets[place]!, place, head })
      await search.pace.breathe()
    }
  }
  return candidates
}

/** Reads the events of candidates. */
async function eventsOf(
  db: Snapshot,
  pace: Pace,
  { rows }: Window,
  candidates: readonly Candidate[],
): Promise<SealedEvent[]> {
  const events: SealedEvent[] = []
  const places = new Map<SegmentHead, number[]>()
  for (const { head, place } of candidates) {
    if (head === null) events.push(rows[place]!)
    else if (places.has(head)) places.get(head)!.push(place)
    else places.set(head, [place])
  }
  const wanted = [...places].map(([head, list]) => ({ head, places: list.sort((a, b) => a - b) }))
  await readEvents(db, pace, wanted, (event) => events.push(event))
  return events
}

interface PageQuery {
  term: Term | null
  sort: 'ASC' | 'DESC'
  after: EventCursor | null
  limit: number
  skip: number
}

/** Whole frames of them, so that a damaged one is not read again and again. */
const MORE_WHEN_DAMAGED = 1024

/** The events of a window that belong to a page, in order; `skipped` says how many of those to skip were here. */
async function pageOf(
  db: Snapshot,
  search: Search,
  window: Window,
  query: Pick<PageQuery, 'sort' | 'after'>,
  room: number,
  skip: number,
): Promise<{ events: SealedEvent[]; skipped: number }> {
  const { sort, after } = query
  const direction = sort === 'ASC' ? 1 : -1
  const candidates = await candidatesOf(db, search, window)
  // Those in the cursor's millisecond: only their ids tell on which side they are.
  const unsure = candidates.filter(({ time }) => time === after?.timestamp).length
  if (unsure === 0 && candidates.length <= skip) return { events: [], skipped: candidates.length }
  candidates.sort((a, b) => direction * (a.time - b.time))
  const enough = skip + room + unsure
  let events: SealedEvent[] = []
  // Once, unless some of them are damaged: the next ones take their place.
  for (let end = 0; end < candidates.length && events.length < enough; ) {
    const from = end
    end = Math.min(candidates.length, from === 0 ? enough : from + enough + MORE_WHEN_DAMAGED)
    // Events of one millisecond are ordered by their ids, which are read with the documents.
    while (candidates[end]?.time === candidates[end - 1]!.time) end++
    events = events.concat(await eventsOf(db, search.pace, window, candidates.slice(from, end)))
  }
  events.sort((a, b) => direction * compareRows(a, b))
  const cursor = after && { time: after.timestamp, id: uuidBytes(after.id) }
  const beyond = cursor
    ? events.filter((event) => direction * compareRows(event, cursor) > 0)
    : events
  const skipped = Math.min(skip, beyond.length)
  return { events: beyond.slice(skipped, skipped + room), skipped }
}

/** Events read at first when a term chooses among them; when few match, more and more are. */
const FIRST_SEARCHED = 8192

/** Calls for each event of a page, in order. */
async function readInto(
  db: Snapshot,
  organizationIds: readonly string[],
  reach: Reach,
  query: PageQuery,
  pace: Pace,
  add: (event: SealedEvent) => void,
): Promise<void> {
  const { term, sort, after, limit } = query
  const search = searchFor(term, pace)
  const range = { ...reach }
  if (after && sort === 'ASC') range.from = Math.max(range.from, after.timestamp)
  if (after && sort === 'DESC') range.until = Math.min(range.until, after.timestamp + 1)
  let room = limit
  let skip = query.skip
  const wanted = term ? Math.max(FIRST_SEARCHED, limit) : limit + Math.min(skip, FIRST_SEARCHED)
  for await (const window of windowsOf(db, organizationIds, range, sort, wanted)) {
    const { events, skipped } = await pageOf(db, search, window, query, room, skip)
    skip -= skipped
    room -= events.length
    for (const event of events) {
      add(event)
      const wait = pace.breathe()
      if (wait) await wait
    }
    if (room === 0) return
  }
}

/** A page of events. */
export async function readPage(
  db: TenantDb,
  organizationIds: readonly string[],
  query: EventQuery,
  page = new EventPage(),
  pace = new Pace(),
): Promise<EventPage> {
  const reach = await reachOf(db, query)
  await db.snapshot((snapshot) =>
    readInto(
      snapshot,
      organizationIds,
      reach,
      { ...query, term: wholeTerm(query) },
      pace,
      (event) => page.add(event),
    ),
  )
  return page
}

export interface EventCursor {
  timestamp: number
  id: string
}

/** The events after a cursor and before an instant, which must be a watermark that was read earlier. */
export async function readBetween(
  db: TenantDb,
  organizationIds: readonly string[],
  selection: Pick<Selection, 'services' | 'term'>,
  after: EventCursor,
  before: number,
  limit: number,
): Promise<(EventCursor & { document: string })[]> {
  const events: (EventCursor & { document: string })[] = []
  const query: PageQuery = { term: wholeTerm(selection), sort: 'ASC', after, limit, skip: 0 }
  const reach = { from: after.timestamp, until: before }
  await db.snapshot((snapshot) =>
    readInto(snapshot, organizationIds, reach, query, new Pace(), ({ time, id, document }) =>
      events.push({ timestamp: time, id: readUuid(id), document: document.toString() }),
    ),
  )
  return events
}

/** The first event in reach that matches, if any. */
export async function readFirst(
  db: TenantDb,
  organizationId: string,
  reach: Reach,
  term: Term | null,
): Promise<SealedEvent | undefined> {
  let first: SealedEvent | undefined
  const query: PageQuery = { term, sort: 'ASC', after: null, limit: 1, skip: 0 }
  await db.snapshot((snapshot) =>
    readInto(snapshot, [organizationId], reach, query, new Pace(), (event) => {
      first = event
    }),
  )
  return first
}
