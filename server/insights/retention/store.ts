import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'

/** The days a tenant has chosen, or null. */
export async function findRetention(db: Queryable, organizationId: string): Promise<number | null> {
  const row = await db.find<{ days: number }>(
    sql`select value as days from event_settings where organization_id = ${organizationId} and name = 'retention_days'`,
  )
  return row?.days ?? null
}

export async function lockRetention(db: Queryable, organizationId: string): Promise<number | null> {
  const row = await db.one<{ days: number }>(
    sql`select value as days from event_settings where organization_id = ${organizationId} and name = 'retention_days' for update`,
  )
  return row?.days ?? null
}

export async function saveRetention(
  db: Queryable,
  organizationId: string,
  days: number | null,
): Promise<void> {
  await db.run(
    days === null
      ? sql`delete from event_settings where organization_id = ${organizationId} and name = 'retention_days'`
      : sql`
        insert into event_settings (organization_id, name, value) values (${organizationId}, 'retention_days', ${days})
        on conflict (organization_id, name) do update set value = excluded.value`,
  )
}

interface EventTenant {
  organization_id: string
  /** Null for the default. */
  days: number | null
}

/** All tenants of the installation, for the cleanup job. */
export const listEventTenants = (db: Queryable): Promise<EventTenant[]> =>
  db.many<EventTenant>(sql`select organization_id, days from event_tenants()`)

/** Oldest first, about as many as requested: events of one millisecond are deleted together. */
export const deleteEventsBefore = (
  db: Queryable,
  organizationId: string,
  before: Date,
  limit: number,
): Promise<number> =>
  db.run(sql`
    delete from events
     where organization_id = ${organizationId} and timestamp < ${before}
       and timestamp <= coalesce((
         select timestamp from events
          where organization_id = ${organizationId} and timestamp < ${before}
          order by timestamp limit 1 offset ${limit - 1}), 'infinity')`)
