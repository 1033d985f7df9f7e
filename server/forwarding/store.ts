import type { Queryable } from '../platform/db/index.ts'
import { empty, type Sql, sql } from '../platform/db/sql.ts'
import type { EventCursor } from './filter.ts'
import type { Delivery, FORMATS, Forwarder, STATUSES } from './schema.ts'

// Forwarders as the API shows them. run-store.ts has the state of workers.

export interface Settings {
  name: string
  url: string
  format: (typeof FORMATS)[number]
  service: string[]
  search_term: Record<string, unknown> | null
  enabled: boolean
  batch_size: number
}

interface Secrets {
  /** Sealed. */
  secret: string
  previous_secret: string | null
  previous_secret_until: string | null
}

export type ForwarderRow = Settings &
  Secrets & { id: string; status: (typeof STATUSES)[number]; cursor: EventCursor }

export const iso = (time: number): string => new Date(time).toISOString()
export const millis = (column: Sql): Sql => sql`floor(extract(epoch from ${column}) * 1000)::int8`

const settings = sql`f.name, f.url, f.format, f.services as service, f.search_term, f.enabled, f.batch_size`
const cursor = sql`jsonb_build_object('timestamp', ${millis(sql`r.cursor_timestamp`)}, 'id', r.cursor_id) as cursor`

/**
 * Locks a forwarder for the transaction. Every change starts here, which avoids deadlocks. `for no key update`, so that
 * arrivals, which reference it, can still be recorded.
 */
export const lockForwarder = (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ForwarderRow | undefined> =>
  db.one<ForwarderRow>(sql`
    select f.id, ${settings}, f.secret, f.previous_secret, f.previous_secret_until, f.status, ${cursor}
      from forwarders f join forwarder_runs r on r.tenant = f.organization_id and r.forwarder_id = f.id
     where f.organization_id = ${organizationId} and f.id = ${id}
       for no key update of f`)

/** A forwarder as the API shows it, but for how far it is behind. */
type StoredForwarder = Omit<Forwarder, 'cursor' | 'lag_seconds'> & { cursor: EventCursor }

/** With their state, ordered by name; all of the organization, or one. */
export const readForwarders = (
  db: Queryable,
  organizationId: string,
  id?: string,
): Promise<StoredForwarder[]> =>
  db.many<StoredForwarder>(sql`
    select f.id, ${settings}, f.status, f.last_success, f.last_error, f.last_error_at, f.delivered_to, ${cursor},
           case when f.status = 'retrying' then r.next_at end as next_attempt, f.created, f.updated
      from forwarders f
      join forwarder_runs r on r.tenant = f.organization_id and r.forwarder_id = f.id
     where f.organization_id = ${organizationId} ${id === undefined ? empty : sql`and f.id = ${id}`}
     order by lower(f.name), f.id`)

export async function countForwarders(db: Queryable, organizationId: string): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) as count from forwarders where organization_id = ${organizationId}`,
  )
  return row?.count ?? 0
}

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export async function insertForwarder(
  db: Queryable,
  organizationId: string,
  id: string,
  forwarder: Settings & { secret: string },
  from: EventCursor,
  now: number,
): Promise<void> {
  const { name, url, format, service, search_term, batch_size, enabled, secret } = forwarder
  await db.run(sql`
    insert into forwarders (organization_id, id, name, url, format, services, search_term, batch_size, enabled, secret, status)
    values (${organizationId}, ${id}, ${name}, ${url}, ${format}, ${service}, ${asJson(search_term)}, ${batch_size},
            ${enabled}, ${secret}, ${enabled ? 'active' : 'paused'})`)
  await db.run(sql`
    insert into forwarder_runs (forwarder_id, tenant, active, cursor_timestamp, cursor_id, next_at)
    values (${id}, ${organizationId}, ${enabled}, ${iso(from.timestamp)}, ${from.id}, ${iso(now)})`)
}

export async function saveForwarder(
  db: Queryable,
  organizationId: string,
  id: string,
  forwarder: Settings & Secrets,
  now: number,
): Promise<void> {
  const { name, url, format, service, search_term, batch_size, enabled } = forwarder
  await db.run(sql`
    update forwarders
       set name = ${name}, url = ${url}, format = ${format}, services = ${service}, search_term = ${asJson(search_term)},
           batch_size = ${batch_size}, enabled = ${enabled}, secret = ${forwarder.secret},
           previous_secret = ${forwarder.previous_secret}, previous_secret_until = ${forwarder.previous_secret_until},
           updated = ${iso(now)}
     where organization_id = ${organizationId} and id = ${id}`)
}

export async function deleteForwarder(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<void> {
  await db.run(sql`delete from forwarders where organization_id = ${organizationId} and id = ${id}`)
}

interface Attempt {
  id: string
  webhook_id: string
  events: number
  http_status: number | null
  duration_ms: number
  error: string | null
  cursor: EventCursor
}
const KEPT = 200

export async function insertDelivery(
  db: Queryable,
  organizationId: string,
  forwarderId: string,
  attempt: Attempt,
  at: number,
): Promise<void> {
  const { id, webhook_id, events, http_status, duration_ms, error, cursor: place } = attempt
  await db.run(sql`
    insert into forwarder_deliveries
      (organization_id, forwarder_id, at, id, webhook_id, events, http_status, duration_ms, error, cursor_timestamp, cursor_id)
    values (${organizationId}, ${forwarderId}, ${iso(at)}, ${id}, ${webhook_id}, ${events}, ${http_status}, ${duration_ms},
            ${error}, ${iso(place.timestamp)}, ${place.id})`)
  await db.run(sql`
    delete from forwarder_deliveries
     where organization_id = ${organizationId} and forwarder_id = ${forwarderId}
       and (at, id) <= (select at, id from forwarder_deliveries
                         where organization_id = ${organizationId} and forwarder_id = ${forwarderId}
                         order by at desc, id desc offset ${KEPT} limit 1)`)
}

/** Newest first. */
export async function readDeliveries(
  db: Queryable,
  organizationId: string,
  forwarderId: string,
): Promise<Delivery[]> {
  const rows = await db.many<Omit<Delivery, 'cursor'> & { cursor: EventCursor }>(sql`
    select at as time, webhook_id, events as count, http_status, duration_ms, error,
           jsonb_build_object('timestamp', ${millis(sql`cursor_timestamp`)}, 'id', cursor_id) as cursor
      from forwarder_deliveries
     where organization_id = ${organizationId} and forwarder_id = ${forwarderId}
     order by at desc, id desc`)
  return rows.map((row) => ({ ...row, cursor: [row.cursor.timestamp, row.cursor.id] }))
}
