import { readAt, readBetween, readWatermark, recordEvent } from '../insights/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { AppError } from '../platform/errors.ts'
import { newId, uuidv7 } from '../platform/ids.ts'
import { judge } from '../platform/outbound/retry.ts'
import { randomToken } from '../platform/secrets.ts'
import { type ForwardingContext, secretContext } from './context.ts'
import { type EventCursor, type Filter, isAfter, readFilter, startOf } from './filter.ts'
import {
  type Batch,
  type Due,
  fixBatch,
  type Lease,
  type Run,
  readArrivals,
  readRun,
  readSnapshot,
  renewLease,
  type Step,
  saveFailure,
  saveStandstill,
  saveSuccess,
  skipTo,
  takeBatch,
} from './run-store.ts'
import { type Outcome, send, type Target } from './send.ts'
import { insertDelivery, lockForwarder } from './store.ts'

/** Renewed during a request; short, so that another worker can soon take over from a dead one. */
const LEASE_MS = 10_000
const RENEW_MS = 3_000
/** Total size of the documents in one request, unless a single one is larger. */
const MAX_BYTES = 4 * 1_048_576
/** Time range searched per statement, so that a rare search term does not make it slow. */
const WINDOW_MS = 24 * 3_600_000

export async function secretsOf(
  { sealer }: ForwardingContext,
  id: string,
  run: Pick<Run, 'secret' | 'previous_secret' | 'previous_secret_until'>,
  now: number,
): Promise<string[]> {
  const { secret, previous_secret, previous_secret_until: until } = run
  const sealed = [secret]
  if (previous_secret && until && Date.parse(until) > now) sealed.push(previous_secret)
  return Promise.all(sealed.map((one) => sealer.unseal(one, secretContext(id))))
}

type StoredEvent = EventCursor & { document: string }

function cutToSize(events: readonly StoredEvent[]): StoredEvent[] {
  let bytes = 0
  const end = events.findIndex(({ document }, at) => {
    bytes += Buffer.byteLength(document)
    return at > 0 && bytes > MAX_BYTES
  })
  return end === -1 ? [...events] : events.slice(0, end)
}

const keyOf = ({ timestamp, id }: EventCursor): string => `${timestamp}:${id}`

/** Reads the next batch: late arrivals first, then events after the cursor, in order. */
async function nextStep(
  { db, searchDb }: ForwardingContext,
  { tenant, id }: Due,
  run: Run,
  filter: Filter,
): Promise<Step & { events: StoredEvent[]; more: boolean }> {
  const own = db.tenant(tenant)
  const search = searchDb.tenant(tenant)
  const { cursor: from, batch_size: limit } = run
  // The order matters: the events of all arrivals in the snapshot are visible to the reads below.
  const snapshot = await readSnapshot(own)
  const watermark = await readWatermark(db)
  const late = await readArrivals(own, tenant, id, from, limit)
  const matching = late.length === 0 ? [] : await readAt(search, tenant, late, filter)
  const before = Math.min(watermark, from.timestamp + WINDOW_MS)
  const room = limit - matching.length
  const fresh = room === 0 ? [] : await readBetween(search, [tenant], filter, from, before, room)
  const events = cutToSize([...matching, ...fresh])

  const sent = new Set(events.map(keyOf))
  const kept = new Set(matching.map(keyOf).filter((key) => !sent.has(key)))
  // Includes all sent events: one may have arrived between the snapshot and its read.
  const settled = [...late.filter((place) => !kept.has(keyOf(place))), ...events]
  const lastFresh = events.length > matching.length ? events.at(-1)! : null
  const exhausted = fresh.length < room && events.length === matching.length + fresh.length
  const end = startOf(before)
  const to = exhausted && isAfter(end, from) ? end : (lastFresh ?? from)
  return {
    number: run.step,
    from,
    to: { timestamp: to.timestamp, id: to.id },
    snapshot,
    settled,
    events,
    // The watermark advances with the clock; everything before its current value has been read.
    more: !exhausted || before < watermark,
  }
}

interface Parcel {
  /** Whether more events may follow. */
  more: boolean
  batch: Batch
  documents: string[]
  lease: Lease
}

const newLease = (now: number): Lease => ({ token: randomToken(12), until: now + LEASE_MS })

const recordFailed = (tx: Tx, { tenant, id }: Due, name: string, error: string) =>
  recordEvent(tx, systemCaller(tenant, 'forwarding'), {
    event_type: 'forwarder_failed',
    resource: { type: 'forwarder', id, name },
    success: false,
    error_message: error,
  })

/**
 * Null when a stored filter is no longer valid, such as after the search budget was lowered. A retry would not help, so
 * the forwarder stops and reports why.
 */
async function filterOf(
  { db, limits }: ForwardingContext,
  due: Due,
  run: Run,
  now: number,
): Promise<Filter | null> {
  try {
    return readFilter(run.service, run.search_term, now, limits.events)
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'invalid')) throw error
    const { tenant, id } = due
    const { message } = error
    await db.tx(tenant, async (tx) => {
      const forwarder = await lockForwarder(tx, tenant, id)
      if (forwarder && (await saveStandstill(tx, tenant, id, run.step, message, now)))
        await recordFailed(tx, due, forwarder.name, message)
    })
    return null
  }
}

/** Fixes the next batch. Without one, `more` says whether events may follow the skipped ones. */
async function prepare(
  context: ForwardingContext,
  due: Due,
  run: Run,
  now: number,
): Promise<Parcel | { more: boolean }> {
  const { db, searchDb } = context
  const { tenant, id } = due
  const lease = newLease(now)
  if (run.pending) {
    const batch = await db.tx(tenant, async (tx) => {
      await lockForwarder(tx, tenant, id)
      return takeBatch(tx, tenant, id, lease, now)
    })
    if (!batch) return { more: false }
    const events = await readAt(searchDb.tenant(tenant), tenant, batch.places)
    return { batch, documents: events.map(({ document }) => document), lease, more: true }
  }
  const filter = await filterOf(context, due, run, now)
  if (!filter) return { more: false }
  const step = await nextStep(context, due, run, filter)
  const places = step.events.map(({ timestamp, id: key }) => ({ timestamp, id: key }))
  const batch = { webhookId: `msg_${uuidv7(now)}`, next: step.to, places }
  const moves = keyOf(step.to) !== keyOf(step.from) || step.settled.length > 0
  if (places.length === 0 && !moves) return { more: false }
  const done = await db.tx(tenant, async (tx) => {
    await lockForwarder(tx, tenant, id)
    return places.length === 0
      ? skipTo(tx, tenant, id, step, now)
      : fixBatch(tx, tenant, id, step, batch, lease, now)
  })
  if (!done) return { more: false }
  const { more } = step
  if (places.length === 0) return { more }
  return { batch, documents: step.events.map(({ document }) => document), lease, more }
}

/** Outcome, cursor and attempt are saved together: a worker that dies before this has delivered nothing. */
async function saveOutcome(
  { db }: ForwardingContext,
  due: Due,
  run: Run,
  { batch, lease }: Parcel,
  outcome: Outcome,
  now: number,
): Promise<void> {
  const { tenant, id } = due
  const { http_status, duration_ms, error } = outcome
  await db.tx(tenant, async (tx) => {
    const forwarder = await lockForwarder(tx, tenant, id)
    if (!forwarder) return
    const attempt = {
      id: newId(now),
      webhook_id: batch.webhookId,
      events: batch.places.length,
      http_status,
      duration_ms,
      error,
      cursor: batch.next,
    }
    if (error === null) {
      if (await saveSuccess(tx, tenant, id, lease, batch, now))
        await insertDelivery(tx, tenant, id, attempt, now)
      return
    }
    const attempts = run.attempts + 1
    const failingSince = run.failing_since === null ? now : Date.parse(run.failing_since)
    const verdict = judge({ ...outcome, attempts, failingSince }, now)
    const nextAt = verdict.status === 'failed' ? null : verdict.nextAt
    const failure = { error, attempts, failingSince, nextAt, gone: outcome.gone }
    if (!(await saveFailure(tx, tenant, id, lease, failure, now))) return
    await insertDelivery(tx, tenant, id, attempt, now)
    if (nextAt === null) await recordFailed(tx, due, forwarder.name, error)
  })
}

async function sendUnderLease(
  { db, outbound }: ForwardingContext,
  id: string,
  target: Target,
  { batch, documents, lease }: Parcel,
  now: () => number,
): Promise<Outcome> {
  const renew = () =>
    renewLease(db, id, { ...lease, until: now() + LEASE_MS }).catch(() => {
      // The database is unavailable: the outcome cannot be saved either, and the batch will be sent again.
    })
  const timer = setInterval(() => void renew(), RENEW_MS)
  try {
    return await send(outbound, target, batch.webhookId, documents, now)
  } finally {
    clearInterval(timer)
  }
}

/** One step of one forwarder. `more` means that another may follow at once. */
export async function deliverNext(
  context: ForwardingContext,
  due: Due,
): Promise<{ more: boolean; delivered: number }> {
  const now = context.now ?? Date.now
  const nothing = { more: false, delivered: 0 }
  const run = await readRun(context.db.tenant(due.tenant), due.tenant, due.id)
  if (!run?.active) return nothing
  const parcel = await prepare(context, due, run, now())
  if (!('batch' in parcel)) return { ...nothing, more: parcel.more }
  const secrets = await secretsOf(context, due.id, run, now())
  const target = { url: run.url, format: run.format, secrets }
  // Events past their retention cannot be sent, and need not be.
  const outcome =
    parcel.documents.length === 0
      ? {
          delivered: true,
          http_status: null,
          duration_ms: 0,
          error: null,
          gone: false,
          retryAfter: 0,
        }
      : await sendUnderLease(context, due.id, target, parcel, now)
  await saveOutcome(context, due, run, parcel, outcome, now())
  return {
    more: outcome.delivered && parcel.more,
    delivered: outcome.delivered ? parcel.documents.length : 0,
  }
}
