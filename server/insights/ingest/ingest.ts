import { hash } from 'node:crypto'
import type { Db, Recording } from '../../platform/db/index.ts'
import type { InsightsContext } from '../context.ts'
import { foldInPlace } from '../document.ts'
import { type FieldKind, type FieldShape, SHAPES } from '../fields.ts'
import { shown, textOf } from '../scalars.ts'
import { isOwnService, type Service, serviceOf } from '../services.ts'
import { createPartitions, insertPastEvents, type PastEvent } from '../store.ts'
import { parseTime } from '../times.ts'
import { dropReserved, type Ingested } from './ingested.ts'

const DAY = 86_400_000
/** Tolerance for source clocks that run ahead. */
const AHEAD_MS = DAY
/** A batch ends with either: a thousand large events would take a gigabyte. */
const BATCH = { events: 1000, characters: 4_194_304 }
/** While one batch waits for the disk, the next is written. */
const MAX_STORING = 2
const MAX_ERRORS = 1000
const MAX_DEPTH = 64

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Why a line was rejected, for the response. */
class LineError extends Error {}

const FITS: Record<FieldKind, (value: unknown) => boolean> = {
  string: (value) => ['string', 'number'].includes(typeof value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  timestamp: (value) => parseTime(value) !== null,
  object: (value) => typeof value === 'object',
  list: (value) => Array.isArray(value),
}

/**
 * Rejects text that the database could store but not parse as JSON: it would fail every later search of the
 * organization.
 */
function checkReadable(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new LineError('the character \\u0000 cannot be stored')
    if (!value.isWellFormed())
      throw new LineError('contains a lone surrogate, which cannot be stored')
  } else if (typeof value === 'object' && value !== null) {
    if (depth === MAX_DEPTH) throw new LineError(`nested more than ${MAX_DEPTH} levels deep`)
    for (const [name, member] of Object.entries(value)) {
      checkReadable(name)
      checkReadable(member, depth + 1)
    }
  }
}

const countUpTo = (text: string, sign: string, max: number): number => {
  let count = 0
  for (let at = text.indexOf(sign); at >= 0 && count < max; at = text.indexOf(sign, at + 1)) count++
  return count
}

/** Whether a line may contain anything that `checkReadable` rejects. */
const isSuspect = (text: string): boolean =>
  !text.isWellFormed() ||
  /\\u(?:0000|d[89a-f])/i.test(text) ||
  countUpTo(text, '{', MAX_DEPTH) + countUpTo(text, '[', MAX_DEPTH) >= MAX_DEPTH

interface ShapeNode {
  shape: FieldShape | undefined
  members: Map<string, ShapeNode>
}

/** The dotted names of a service, as a tree. */
function treeOf(fields: Record<string, FieldShape>): ShapeNode {
  const root: ShapeNode = { shape: undefined, members: new Map() }
  for (const [path, shape] of Object.entries(fields)) {
    let node = root
    for (const name of path.split('.')) {
      const next = node.members.get(name) ?? { shape: undefined, members: new Map() }
      node.members.set(name, next)
      node = next
    }
    node.shape = shape
  }
  return root
}

const TREES = Object.fromEntries(
  Object.entries(SHAPES).map(([service, { fields }]) => [service, treeOf(fields)]),
) as Record<Service, ShapeNode>

/**
 * Checks listed names only: producers send more. A number in a string field becomes a string, in place, so that
 * searches find it. Inside lists nothing is rejected.
 */
function conform(node: ShapeNode, document: Json, prefix = '', inList = false): void {
  for (const name in document) {
    const field = node.members.get(name)
    if (!field?.shape) continue
    const { shape, members } = field
    const value = document[name]
    if (value === null || value === undefined) continue
    if (!inList && !FITS[shape.kind](value))
      throw new LineError(`${prefix}${name} must be a ${shape.kind}`)
    if (Array.isArray(value)) {
      for (const one of value) if (isObject(one)) conform(field, one, `${prefix}${name}.`, true)
    } else if (isObject(value)) {
      if (members.size > 0) conform(field, value, `${prefix}${name}.`, inList)
    } else if (shape.kind === 'string' && typeof value === 'number' && shape.searchable)
      document[name] = String(value)
  }
}

/** The service's own events use the id of their row, so that an export can be ingested again. */
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Without the members that may have been added at the first ingest. */
const asSent = ({ geoip: _, ...sent }: Json): string => JSON.stringify(sent)

/** RFC 9562 §5.8: derived from the event's id, or from its whole content, so that a repeat is a duplicate. */
function internalId(organizationId: string, service: Service, document: Json): string {
  const own =
    typeof document.id === 'string' && document.id !== ''
      ? document.id.toLowerCase()
      : asSent(document)
  if (UUID_V7.test(own)) return own
  const hex = hash('sha256', `${organizationId} ${service} ${own}`, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A location from the source takes precedence; some services have none in their documents. */
function addLocation({ locate }: Recording, service: Service, document: Json): void {
  const { fields, free } = SHAPES[service]
  const { geoip, client_ip } = document
  if (geoip !== undefined || !(free || Object.hasOwn(fields, 'geoip'))) return
  const location = typeof client_ip === 'string' ? locate(client_ip) : undefined
  // A copy: the GeoIP cache keeps the object, and this one will be folded.
  if (location) document.geoip = { ...location }
}

/** The tenant, the principal and the rights of an ingest request. */
interface Intake {
  organizationId: string
  retentionDays: number
  /** May also store events of the services that are recorded here. */
  mayImport: boolean
  ingested: Ingested
}

function readService(raw: unknown, mayImport: boolean): Service {
  const service = raw === undefined || raw === null ? 'notifications' : serviceOf(textOf(raw))
  if (!service) throw new LineError(`service: unknown service ${shown(raw)}`)
  if (!mayImport && isOwnService(service))
    throw new LineError(
      `service: events of ${service} are recorded here; storing others requires the scope insights.import`,
    )
  return service
}

/** Converts a line of a source to its row. */
function prepareEvent(recording: Recording, text: string, intake: Intake, now: number): PastEvent {
  const { organizationId, retentionDays, mayImport, ingested } = intake
  const raw: unknown = JSON.parse(text)
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new LineError('must be a JSON object')
  const document = raw as Json
  const service = readService(document.service, mayImport)
  if (typeof document.event_type !== 'string' || document.event_type === '')
    throw new LineError('event_type is missing')
  const time = parseTime(document.timestamp)
  if (time === null) throw new LineError('timestamp must be an RFC 3339 date')
  if (time < now - retentionDays * DAY)
    throw new LineError(`timestamp is older than ${retentionDays} days`)
  if (time > now + AHEAD_MS) throw new LineError('timestamp is more than a day in the future')
  const { organization } = document
  if (organization !== undefined && organization !== null && organization !== organizationId) {
    throw new LineError('organization does not match that of the request')
  }
  dropReserved(document)
  if (isSuspect(text)) checkReadable(document)
  conform(TREES[service], document)
  // Events of the multi-tenant portal have null: they belong to no organization.
  if (organization === undefined) document.organization = organizationId
  addLocation(recording, service, document)
  foldInPlace(document)
  // Derived only from the content sent: the same event has the same id, whoever ingests it.
  const id = internalId(organizationId, service, document)
  Object.assign(document, ingested)
  return {
    id,
    timestamp: new Date(time).toISOString(),
    service,
    document: JSON.stringify(document),
  }
}

interface IngestReport {
  received: number
  stored: number
  duplicates: number
  rejected: number
  errors: { line: number; message: string }[]
}

/** One element of the body with its line number, or the error it could not be read with. */
export interface Line {
  line: number
  text: string
  error?: string
}

const WEEK = 7 * DAY

/**
 * Old weeks have no partition if none was needed yet or it was dropped. Created once per body and week; an event
 * without one goes to the default partition.
 */
function weekMaker(db: Db, now: number): (events: PastEvent[]) => Promise<void> {
  const known = new Set<number>()
  return async (events) => {
    for (const { timestamp } of events) {
      const time = Date.parse(timestamp)
      // Weeks start on Monday, as did 5 January 1970.
      const week = Math.floor((time - 4 * DAY) / WEEK)
      if (time > now - WEEK || known.has(week)) continue
      known.add(week)
      await createPartitions(db, new Date(time), new Date(time))
    }
  }
}

/**
 * Stores valid lines in batches, reading the next while the last two are committed; invalid ones are reported by
 * number.
 */
export async function ingest(
  { db, arrived }: InsightsContext,
  intake: Intake,
  lines: AsyncIterable<Line[]>,
  now = Date.now,
): Promise<IngestReport> {
  const { organizationId } = intake
  const report: IngestReport = { received: 0, stored: 0, duplicates: 0, rejected: 0, errors: [] }
  const makeWeeks = weekMaker(db, now())
  const store = async (events: PastEvent[]) => {
    await makeWeeks(events)
    const stored = await db.tx(organizationId, (tx) =>
      insertPastEvents(tx, organizationId, events, (places) => arrived.fire(tx, intake, places)),
    )
    report.stored += stored
    report.duplicates += events.length - stored
  }
  const reject = (line: number, message: string) => {
    report.rejected++
    if (report.errors.length < MAX_ERRORS) report.errors.push({ line, message })
  }
  const take = ({ line, text, error }: Line): PastEvent | null => {
    if (error === undefined) {
      try {
        return prepareEvent(db.recording, text, intake, now())
      } catch (problem) {
        if (problem instanceof LineError) reject(line, problem.message)
        else if (problem instanceof SyntaxError) reject(line, `not valid JSON: ${problem.message}`)
        else throw problem
      }
    } else reject(line, error)
    return null
  }
  let batch: PastEvent[] = []
  let characters = 0
  const storing: Promise<void>[] = []
  const send = async () => {
    if (storing.length === MAX_STORING) await storing.shift()
    const stored = store(batch)
    // Handled where it is awaited.
    stored.catch(() => {})
    storing.push(stored)
    batch = []
    characters = 0
  }
  for await (const some of lines) {
    report.received += some.length
    for (const line of some) {
      const event = take(line)
      if (event === null) continue
      batch.push(event)
      characters += event.document.length
      if (batch.length >= BATCH.events || characters >= BATCH.characters) await send()
    }
  }
  if (batch.length > 0) await send()
  await Promise.all(storing)
  return report
}
