import type { Queryable } from '../platform/db/index.ts'
import { empty, sql } from '../platform/db/sql.ts'
import type { EventCursor } from './filter.ts'
import { iso, millis } from './store.ts'

// State of forwarders for workers: finding work, fixing batches, leases, cursors.

export interface Due {
  tenant: string
  id: string
}

/** Across tenants: enabled forwarders that are neither backing off nor leased. */
export const listReady = (db: Queryable, now: number): Promise<Due[]> =>
  db.many<Due>(sql`
    select tenant, forwarder_id as id from forwarder_runs
     where active and not is_deleted(tenant) and next_at <= ${iso(now)} and (lease_until is null or lease_until <= ${iso(now)})
     order by next_at, forwarder_id`)

/** Filters for those with work to do. `db` acts for all these tenants; read-only. */
export const listDue = (db: Queryable, ready: readonly Due[], watermark: number): Promise<Due[]> =>
  db.many<Due>(sql`
    select r.tenant, r.forwarder_id as id
      from unnest(${ready.map(({ id }) => id)}::text[]) with ordinality as ready (id, place)
      join forwarder_runs r on r.forwarder_id = ready.id
     where r.pending
        or has_events_between(r.tenant, r.cursor_timestamp, r.cursor_id, ${iso(watermark)}::timestamptz)
        or exists (select from forwarder_arrivals a
                    where a.organization_id = r.tenant and a.forwarder_id = r.forwarder_id
                      and (a.timestamp, a.id) <= (r.cursor_timestamp, r.cursor_id))
     order by ready.place`)

export interface Run {
  url: string
  format: 'json' | 'ndjson'
  service: string[]
  search_term: unknown
  batch_size: number
  secret: string
  previous_secret: string | null
  previous_secret_until: string | null
  active: boolean
  pending: boolean
  step: number
  cursor: EventCursor
  attempts: number
  failing_since: string | null
}

export const readRun = (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<Run | undefined> =>
  db.one<Run>(sql`
    select f.url, f.format, f.services as service, f.search_term, f.batch_size, f.secret, f.previous_secret,
           f.previous_secret_until, r.active, r.pending, r.step, r.attempts, r.failing_since,
           jsonb_build_object('timestamp', ${millis(sql`r.cursor_timestamp`)}, 'id', r.cursor_id) as cursor
      from forwarders f join forwarder_runs r on r.tenant = f.organization_id and r.forwarder_id = f.id
     where f.organization_id = ${organizationId} and f.id = ${id}`)

/** The current snapshot: events of all arrivals visible in it are visible to every later statement. */
export async function readSnapshot(db: Queryable): Promise<string> {
  const row = await db.one<{ snapshot: string }>(
    sql`select pg_current_snapshot()::text as snapshot`,
  )
  return row!.snapshot
}

/** Late arrivals behind the cursor that are not sent yet. */
export const readArrivals = (
  db: Queryable,
  organizationId: string,
  id: string,
  cursor: EventCursor,
  limit: number,
): Promise<EventCursor[]> =>
  db.many<EventCursor>(sql`
    select ${millis(sql`timestamp`)} as timestamp, id::text as id from forwarder_arrivals
     where organization_id = ${organizationId} and forwarder_id = ${id}
       and (timestamp, id) <= (${iso(cursor.timestamp)}::timestamptz, ${cursor.id}::uuid)
     order by timestamp, id limit ${limit}`)

const places = (list: readonly EventCursor[]) =>
  sql`unnest(${list.map(({ timestamp }) => iso(timestamp))}::timestamptz[], ${list.map(({ id }) => id)}::uuid[])`

export interface Step {
  /** The version of the state it was read from. */
  number: number
  from: EventCursor
  to: EventCursor
  snapshot: string
  /** Sent events, and arrivals that do not match. */
  settled: readonly EventCursor[]
}

/** Deletes the arrivals that a step has processed, but not those newer than its snapshot. */
async function settleArrivals(db: Queryable, organizationId: string, id: string, step: Step) {
  const { from, to, snapshot, settled } = step
  if (settled.length > 0) {
    await db.run(sql`
      delete from forwarder_arrivals a using ${places(settled)} as place (timestamp, id)
       where a.organization_id = ${organizationId} and a.forwarder_id = ${id}
         and a.timestamp = place.timestamp and a.id = place.id`)
  }
  await db.run(sql`
    delete from forwarder_arrivals
     where organization_id = ${organizationId} and forwarder_id = ${id}
       and (timestamp, id) > (${iso(from.timestamp)}::timestamptz, ${from.id}::uuid)
       and (timestamp, id) <= (${iso(to.timestamp)}::timestamptz, ${to.id}::uuid)
       and pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)`)
}

/** Optimistic check: the forwarder has not moved since the step began, and has no lease. */
const untouched = (id: string, step: Step, now: number) => sql`
  forwarder_id = ${id} and active and not pending and (lease_until is null or lease_until <= ${iso(now)})
  and step = ${step.number}`

/** Skips events that do not match. False when another worker was first. */
export async function skipTo(
  db: Queryable,
  organizationId: string,
  id: string,
  step: Step,
  now: number,
): Promise<boolean> {
  const moved = await db.run(sql`
    update forwarder_runs
       set step = step + 1, cursor_timestamp = ${iso(step.to.timestamp)}, cursor_id = ${step.to.id}
     where ${untouched(id, step, now)}`)
  if (moved > 0) await settleArrivals(db, organizationId, id, step)
  return moved > 0
}

export interface Lease {
  token: string
  until: number
}

/** Fixes the events of a batch under its id, for every retry. False when another worker was first. */
export async function fixBatch(
  db: Queryable,
  organizationId: string,
  id: string,
  step: Step,
  batch: { webhookId: string; places: readonly EventCursor[] },
  lease: Lease,
  now: number,
): Promise<boolean> {
  const taken = await db.run(sql`
    update forwarder_runs set step = step + 1, pending = true, lease = ${lease.token}, lease_until = ${iso(lease.until)}
     where ${untouched(id, step, now)}`)
  if (taken === 0) return false
  await db.run(sql`
    insert into forwarder_batches (organization_id, forwarder_id, webhook_id, next_timestamp, next_id, timestamps, ids)
    values (${organizationId}, ${id}, ${batch.webhookId}, ${iso(step.to.timestamp)}, ${step.to.id},
            ${batch.places.map(({ timestamp }) => iso(timestamp))}::timestamptz[],
            ${batch.places.map((place) => place.id)}::uuid[])`)
  await settleArrivals(db, organizationId, id, step)
  return true
}

export interface Batch {
  webhookId: string
  next: EventCursor
  places: EventCursor[]
}

/** Leases an existing batch; null when another worker holds it. */
export async function takeBatch(
  db: Queryable,
  organizationId: string,
  id: string,
  lease: Lease,
  now: number,
): Promise<Batch | null> {
  const taken = await db.run(sql`
    update forwarder_runs set lease = ${lease.token}, lease_until = ${iso(lease.until)}
     where forwarder_id = ${id} and active and pending and next_at <= ${iso(now)}
       and (lease_until is null or lease_until <= ${iso(now)})`)
  if (taken === 0) return null
  const row = await db.one<{
    webhookId: string
    next: EventCursor
    timestamps: number[]
    ids: string[]
  }>(sql`
    select webhook_id as "webhookId",
           jsonb_build_object('timestamp', ${millis(sql`next_timestamp`)}, 'id', next_id) as next,
           array(select ${millis(sql`t`)} from unnest(timestamps) with ordinality u (t, at) order by at) as timestamps,
           ids::text[] as ids
      from forwarder_batches where organization_id = ${organizationId} and forwarder_id = ${id}`)
  const { webhookId, next, timestamps, ids } = row!
  const list = ids.map((key, at) => ({ timestamp: Number(timestamps[at]), id: key }))
  return { webhookId, next, places: list }
}

/** False when another worker has taken the lease. */
export const renewLease = async (db: Queryable, id: string, lease: Lease): Promise<boolean> =>
  (await db.run(sql`
    update forwarder_runs set lease_until = ${iso(lease.until)} where forwarder_id = ${id} and lease = ${lease.token}`)) >
  0

/** The batch was delivered. False, without changes, when the lease is no longer ours. */
export async function saveSuccess(
  db: Queryable,
  organizationId: string,
  id: string,
  lease: Lease,
  batch: Batch,
  now: number,
): Promise<boolean> {
  const held = await db.run(sql`
    update forwarder_runs
       set cursor_timestamp = ${iso(batch.next.timestamp)}, cursor_id = ${batch.next.id}, pending = false,
           lease = null, lease_until = null, attempts = 0, failing_since = null
     where forwarder_id = ${id} and lease = ${lease.token}`)
  if (held === 0) return false
  await db.run(
    sql`delete from forwarder_batches where organization_id = ${organizationId} and forwarder_id = ${id}`,
  )
  const newest = batch.places.reduce((most, { timestamp }) => Math.max(most, timestamp), 0)
  await db.run(sql`
    update forwarders
       set status = case when enabled then 'active' else status end, last_success = ${iso(now)}, last_error = null,
           last_error_at = null, delivered_to = greatest(delivered_to, ${iso(newest)}::timestamptz)
     where organization_id = ${organizationId} and id = ${id}`)
  return true
}

interface SavedFailure {
  error: string
  attempts: number
  failingSince: number
  /** Null for no further retry. */
  nextAt: number | null
  gone: boolean
}

export async function saveFailure(
  db: Queryable,
  organizationId: string,
  id: string,
  lease: Lease,
  failure: SavedFailure,
  now: number,
): Promise<boolean> {
  const { error, attempts, failingSince, nextAt, gone } = failure
  const held = await db.run(sql`
    update forwarder_runs
       set lease = null, lease_until = null, attempts = ${attempts}, failing_since = ${iso(failingSince)},
           next_at = ${iso(nextAt ?? now)}, active = active and ${nextAt !== null}
     where forwarder_id = ${id} and lease = ${lease.token}`)
  if (held === 0) return false
  await db.run(sql`
    update forwarders
       set status = case when enabled then ${nextAt === null ? 'failed' : 'retrying'} else status end,
           enabled = enabled and not ${gone}, last_error = ${error}, last_error_at = ${iso(now)}
     where organization_id = ${organizationId} and id = ${id}`)
  return true
}

/** Stops a forwarder that cannot continue until it is changed. False when it was changed meanwhile. */
export async function saveStandstill(
  db: Queryable,
  organizationId: string,
  id: string,
  step: number,
  error: string,
  now: number,
): Promise<boolean> {
  const stopped = await db.run(sql`
    update forwarder_runs set active = false where forwarder_id = ${id} and active and step = ${step}`)
  if (stopped === 0) return false
  await db.run(sql`
    update forwarders set status = 'failed', last_error = ${error}, last_error_at = ${iso(now)}
     where organization_id = ${organizationId} and id = ${id}`)
  return true
}

/** Discards the batch so that it can be rebuilt; its events behind the cursor become arrivals again. */
export async function dropBatch(db: Queryable, organizationId: string, id: string): Promise<void> {
  await db.run(sql`
    insert into forwarder_arrivals (organization_id, forwarder_id, timestamp, id)
    select b.organization_id, b.forwarder_id, place.timestamp, place.id
      from forwarder_batches b
      join forwarder_runs r on r.tenant = b.organization_id and r.forwarder_id = b.forwarder_id
     cross join unnest(b.timestamps, b.ids) as place (timestamp, id)
     where b.organization_id = ${organizationId} and b.forwarder_id = ${id}
       and (place.timestamp, place.id) <= (r.cursor_timestamp, r.cursor_id)
    on conflict do nothing`)
  await db.run(
    sql`delete from forwarder_batches where organization_id = ${organizationId} and forwarder_id = ${id}`,
  )
  await db.run(sql`
    update forwarder_runs set step = step + 1, pending = false, lease = null, lease_until = null
     where forwarder_id = ${id}`)
}

/** Resets the failure state, enables or disables, and moves to the cursor if given. */
export async function restart(
  db: Queryable,
  organizationId: string,
  id: string,
  enabled: boolean,
  now: number,
  cursor: EventCursor | null = null,
): Promise<void> {
  const moved = cursor
    ? sql`, cursor_timestamp = ${iso(cursor.timestamp)}, cursor_id = ${cursor.id}`
    : empty
  await db.run(sql`
    update forwarder_runs
       set active = ${enabled}, next_at = ${iso(now)}, attempts = 0, failing_since = null ${moved}
     where forwarder_id = ${id}`)
  await db.run(sql`
    update forwarders set status = ${enabled ? 'active' : 'paused'} where organization_id = ${organizationId} and id = ${id}`)
}

/** Across tenants. */
export const listTenants = (db: Queryable): Promise<{ tenant: string }[]> =>
  db.many(sql`select distinct tenant from forwarder_runs order by tenant`)

/**
 * Records arrivals for all forwarders of the organization. Future events are left to the cursor. Ordered by key, so that
 * concurrent batches cannot deadlock. The lock is that of the foreign key, but waits for a forwarder that is being
 * deleted, and leaves it out.
 */
export const insertArrivals = (
  db: Queryable,
  organizationId: string,
  arriving: readonly { timestamp: string; id: string }[],
): Promise<number> =>
  db.run(sql`
    with present as materialized (
      select organization_id, id from forwarders where organization_id = ${organizationId} order by id for key share)
    insert into forwarder_arrivals (organization_id, forwarder_id, timestamp, id)
    select f.organization_id, f.id, place.timestamp, place.id
      from unnest(${arriving.map(({ timestamp }) => timestamp)}::timestamptz[],
                  ${arriving.map(({ id }) => id)}::uuid[]) as place (timestamp, id)
     cross join present f
     where place.timestamp < clock_timestamp() + interval '1 minute'
     order by f.id, place.timestamp, place.id
    on conflict do nothing`)

/** The places of arrivals after one of them, in order, whichever forwarders they are for. */
export const listArrivals = (
  db: Queryable,
  organizationId: string,
  after: EventCursor,
  limit: number,
): Promise<EventCursor[]> =>
  db.many<EventCursor>(sql`
    select distinct ${millis(sql`timestamp`)} as timestamp, id::text as id from forwarder_arrivals
     where organization_id = ${organizationId}
       and (timestamp, id) > (${iso(after.timestamp)}::timestamptz, ${after.id}::uuid)
     order by 1, 2 limit ${limit}`)

export const deleteArrivals = (
  db: Queryable,
  organizationId: string,
  list: readonly EventCursor[],
): Promise<number> =>
  db.run(sql`
    delete from forwarder_arrivals a using ${places(list)} as place (timestamp, id)
     where a.organization_id = ${organizationId} and a.timestamp = place.timestamp and a.id = place.id`)
