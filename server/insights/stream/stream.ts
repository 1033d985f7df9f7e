import type { Db } from '../../platform/db/index.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { type EventQuery, readEventQuery } from '../query/event-query.ts'
import { projector } from '../query/projection.ts'
import type { Pulse } from './pulse.ts'
import { type Place, readBetween, type StreamedEvent } from './store.ts'

/** What one client may have on its way at once. */
const PAGE = 200
/**
 * Other sources tell of events a little late. For this long a stream that has shown nothing newer still looks
 * for them; it cannot look back further, or a rare search term would be looked for in ever more events.
 */
const LOOK_BACK_MS = 10_000

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const startOf = (timestamp: number): Place => ({ timestamp, id: FIRST_ID })

export const idOf = ({ timestamp, id }: Place): string => `${timestamp}:${id}`

/** The id of the last message a client has seen; null when it has seen none. */
export function readLastEventId(raw: string | undefined): Place | null {
  if (raw === undefined || raw.trim() === '') return null
  const match = /^(\d{1,13}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(raw.trim())
  if (!match)
    throw invalid('bad_last_event_id', 'Last-Event-ID must be the id of a message of this stream')
  return { timestamp: Number(match[1]), id: match[2]!.toLowerCase() }
}

type StreamQuery = Pick<EventQuery, 'services' | 'term' | 'fields'>

const split = (list: string[] | undefined): string[] =>
  (list ?? [])
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')

/** The selection in the form of an address, read by the rules of the queries. */
export function readStreamQuery(
  query: { service?: string[]; search_term?: string; fields?: string[] },
  now: number,
): StreamQuery {
  let search_term: unknown
  try {
    if (query.search_term) search_term = JSON.parse(query.search_term)
  } catch {
    throw invalid('bad_term', 'search_term: is not valid JSON')
  }
  const service = split(query.service)
  const fields = split(query.fields)
  const body = {
    service: service.length > 0 ? service : ['all'],
    start_time: new Date(now).toISOString(),
    search_term,
    ...(fields.length > 0 && { fields }),
  }
  return readEventQuery(body, now)
}

function messageWriter(fields: string[] | null): (event: StreamedEvent) => string {
  const project = fields && projector(fields)
  return ({ document, ...place }) => {
    const text = project ? JSON.stringify(project(JSON.parse(document))) : document
    // A line break would end the field; in JSON it can only stand between words.
    return `id: ${idOf(place)}\ndata: ${text.replace(/[\r\n]+/g, ' ')}\n\n`
  }
}

export interface Follower {
  /** Where its reader belongs: turns are taken by it. */
  home: string
  tenantIds: readonly string[]
  query: StreamQuery
  /** Moves on with what was written. */
  place: Place
  signal: AbortSignal
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Asked before events are handed out: a key may be revoked while its stream is open. */
  allowed(): Promise<boolean>
}

/** Hands out what lies before the mark; false when the follower may not read on. */
async function catchUp(db: Db, pulse: Pulse, to: Follower, mark: number): Promise<boolean> {
  const { tenantIds, query, signal } = to
  const message = messageWriter(query.fields)
  for (let more = true; more && !signal.aborted; ) {
    const events = await pulse.inTurn(to.home, () =>
      readBetween(db.tenant(tenantIds), tenantIds, query, to.place, mark, PAGE),
    )
    more = events.length === PAGE
    const last = events.at(-1)
    if (!last) break
    if (!(await to.allowed())) return false
    to.place = { timestamp: last.timestamp, id: last.id }
    await to.write(events.map(message).join(''))
  }
  if (to.place.timestamp < mark - LOOK_BACK_MS) to.place = startOf(mark - LOOK_BACK_MS)
  return true
}

const isOutage = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'database_unavailable'

/** Until the signal, or until the follower may not read on. A database that is away is waited for. */
export async function follow(db: Db, pulse: Pulse, follower: Follower): Promise<void> {
  const { signal } = follower
  while (!signal.aborted) {
    try {
      const mark = await pulse.next()
      if (!signal.aborted && !(await catchUp(db, pulse, follower, mark))) return
    } catch (error) {
      if (!signal.aborted && !isOutage(error)) throw error
    }
  }
}
