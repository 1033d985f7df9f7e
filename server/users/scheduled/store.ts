import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Resource } from '../../platform/list/conditions.ts'
import { readTenantPage } from '../../platform/list/page.ts'
import type { ListQuery } from '../../platform/list/query.ts'
import type { Actor } from '../context.ts'

export interface ScheduledStateRow {
  organization_id: string
  id: string
  user_id: string
  state: 'ACTIVATED' | 'SUSPENDED'
  start_date: string
  send_activation_emails: boolean
  activation_email_override: string | null
  planned_by: Actor
}

export const scheduledStateResource: Resource = {
  fields: {
    id: { column: sql`id`, kind: 'string' },
    scheduledJobId: { column: sql`id`, kind: 'string' },
    scheduledDate: { column: sql`start_date`, kind: 'date' },
    state: { column: sql`state`, kind: 'string' },
    systemUserId: { column: sql`user_id`, kind: 'string' },
  },
  defaultSort: 'scheduledDate',
  tieBreak: sql`id`,
}

/** Hides the changes of deleted users until they are restored. */
const ofExistingUser = sql`exists (
  select from users u
   where u.organization_id = scheduled_states.organization_id and u.id = scheduled_states.user_id
     and u.deleted_at is null)`

export const listScheduledStates = (
  db: Queryable,
  organizationId: string,
  userId: string | undefined,
  list: ListQuery,
) =>
  readTenantPage<ScheduledStateRow>(
    db,
    sql`scheduled_states`,
    organizationId,
    userId === undefined ? ofExistingUser : sql`user_id = ${userId} and ${ofExistingUser}`,
    list,
  )

export const findScheduledState = (db: Queryable, organizationId: string, id: string) =>
  db.one<ScheduledStateRow>(sql`
    select * from scheduled_states
     where organization_id = ${organizationId} and id = ${id} and ${ofExistingUser}`)

/** The next change per user and state. */
export const nextScheduledStates = (
  db: Queryable,
  organizationId: string,
  userIds: readonly string[],
) =>
  db.many<ScheduledStateRow>(sql`
    select * from (
      select distinct on (user_id, state) * from scheduled_states
       where organization_id = ${organizationId} and user_id = any(${userIds}::text[]) and ${ofExistingUser}
       order by user_id, state, start_date, id
    ) next order by start_date, id`)

export const insertScheduledStates = (tx: Queryable, rows: readonly ScheduledStateRow[]) =>
  tx.run(sql`
    insert into scheduled_states (organization_id, id, user_id, state, start_date, send_activation_emails,
                                  activation_email_override, planned_by)
    select r.organization_id, r.id, r.user_id, r.state, r.start_date, r.send_activation_emails,
           r.activation_email_override, r.planned_by
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r (organization_id text, id text, user_id text, state text, start_date timestamptz,
              send_activation_emails boolean, activation_email_override text, planned_by jsonb)`)

/** Consumes the row, once, if it is due and the user is not deleted. */
export const takeScheduledState = (
  tx: Queryable,
  organizationId: string,
  id: string,
  dueBy: Date,
) =>
  tx.one<ScheduledStateRow>(sql`
    delete from scheduled_states
     where organization_id = ${organizationId} and id = ${id} and start_date <= ${dueBy} and ${ofExistingUser}
    returning *`)

export const deleteScheduledState = (tx: Queryable, organizationId: string, id: string) =>
  tx.one<ScheduledStateRow>(
    sql`delete from scheduled_states where organization_id = ${organizationId} and id = ${id} returning *`,
  )

export const overdueScheduledStates = (db: Queryable, organizationId: string, before: Date) =>
  db.many<{ id: string }>(sql`
    select id from scheduled_states
     where organization_id = ${organizationId} and start_date < ${before} and ${ofExistingUser}`)
