import type { Db } from '../../platform/db/index.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { EventLimits } from '../../platform/limits.ts'
import { type EventQuery, readEventQuery } from '../query/event-query.ts'
import { type EventCursor, readBetween } from '../query/page.ts'
import { projector } from '../query/projection.ts'
import type { Pulse } from './pulse.ts'

/** Events in flight per client. */
const PAGE = 200
/**
 * Other sources report events slightly late. A stream still looks for them this far back, as long as it has sent
 * nothing newer; looking further would make a rare search term scan ever more events.
 */
const LOOK_BACK_MS = 10_000

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const startOf = (timestamp: number): EventCursor => ({ timestamp, id: FIRST_ID })

export const idOf = ({ timestamp, id }: EventCursor): string => `${timestamp}:${id}`

/** The id of the last message a client has seen, or null. */
export function readLastEventId(raw: string | undefined): EventCursor | null {
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

/** Parses the query string of a stream by the rules of queries. */
export function readStreamQuery(
  query: { service?: string[]; search_term?: string; fields?: string[] },
  now: number,
  max: EventLimits,
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
  return readEventQuery(body, now, max)
}

function messageWriter(
  fields: string[] | null,
): (event: EventCursor & { document: string }) => string {
  const project = fields && projector(fields)
  return ({ document, ...cursor }) => {
    const text = project ? JSON.stringify(project(JSON.parse(document))) : document
    // A line break would end the SSE field; in JSON it occurs only between tokens.
    return `id: ${idOf(cursor)}\ndata: ${text.replace(/[\r\n]+/g, ' ')}\n\n`
  }
}

export interface Follower {
  /** The tenant of its reader, for fair sharing of reads. */
  home: string
  tenantIds: readonly string[]
  query: StreamQuery
  /** Advances with each write. */
  cursor: EventCursor
  signal: AbortSignal
  /** Resolves when the client can take more. */
  write(text: string): Promise<void>
  /** Checked before events are sent: a key may be revoked while its stream is open. */
  allowed(): Promise<boolean>
}

/** Sends the events before the watermark; false when the follower may no longer read. */
async function catchUp(db: Db, pulse: Pulse, to: Follower, mark: number): Promise<boolean> {
  const { tenantIds, query, signal } = to
  const message = messageWriter(query.fields)
  for (let more = true; more && !signal.aborted; ) {
    const events = await pulse.inTurn(to.home, () =>
      readBetween(db.tenant(tenantIds), tenantIds, query, to.cursor, mark, PAGE),
    )
    more = events.length === PAGE
    const last = events.at(-1)
    if (!last) break
    if (!(await to.allowed())) return false
    to.cursor = { timestamp: last.timestamp, id: last.id }
    await to.write(events.map(message).join(''))
  }
  if (to.cursor.timestamp < mark - LOOK_BACK_MS) to.cursor = startOf(mark - LOOK_BACK_MS)
  return true
}

const isOutage = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'database_unavailable'

/** Runs until the signal, or until the follower may no longer read. Database outages are waited out. */
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
