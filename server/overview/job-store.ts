import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { JOB_ORGANIZATION } from '../platform/jobs/failures.ts'
import type { Resource } from '../platform/list/conditions.ts'
import { readPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'
import type { OrganizationJob } from './schema.ts'

const batches = (organizationId: string): Sql => sql`
  select id::text,
         case when kind = 'users.bulk' then 'bulk' when kind = 'imports.undo' then 'undo'
              when (input -> 'dryRun')::boolean then 'plan' else 'import' end as kind,
         kind as name, state, total,
         case when state in ('queued', 'running', 'waiting') then
           (select count(*)::int from batch_rows r
             where r.organization_id = b.organization_id and r.batch_id = b.id and r.status = 'Pending')
         end as pending,
         (summary ->> 'failed')::int as failed, null::int as attempts,
         case when (input -> 'holdMails')::boolean then
           (select count(*)::int from mails m where m.state = 'held' and m.held_for = b.id)
         end as "heldMails",
         error as message,
         input ->> 'applicationId' as "applicationId", created, null::timestamptz as next, finished_at as finished
    from batches b where organization_id = ${organizationId}`

const reports = (organizationId: string): Sql => sql`
  select id::text, 'report' as kind, type as name,
         case status when 'PENDING' then 'queued' when 'IN_PROGRESS' then 'running' when 'FAILED' then 'failed'
                     else 'finished' end as state,
         null::int as total, null::int as pending, null::int as failed, attempts, null::int as "heldMails",
         error_message as message,
         null as "applicationId", created_at as created, null::timestamptz as next,
         case when status not in ('PENDING', 'IN_PROGRESS') then updated_at end as finished
    from reports where organization_id = ${organizationId}`

/** The reason of a failure may name hosts of the installation, so that it is shown on the command line only. */
const queued = (organizationId: string): Sql => sql`
  select j.id::text, 'queue' as kind, j.name, case j.state when 'failed' then 'failed' else 'retrying' end as state,
         null::int as total, null::int as pending, null::int as failed, j.retry_count + 1 as attempts,
         null::int as "heldMails", null as message, null as "applicationId", j.created_on as created,
         case j.state when 'retry' then j.start_after end as next, j.completed_on as finished
    from pgboss.job j where j.state in ('failed', 'retry') and ${JOB_ORGANIZATION} = ${organizationId}`

export const jobResource: Resource = {
  fields: {
    id: { column: sql`j.id`, kind: 'string' },
    kind: { column: sql`j.kind`, kind: 'string' },
    name: { column: sql`j.name`, kind: 'string' },
    state: { column: sql`j.state`, kind: 'string' },
    created: { column: sql`j.created`, kind: 'date' },
  },
  defaultSort: '-created',
  tieBreak: sql`j.id`,
  searchFields: ['name'],
}

export const readJobs = (db: Queryable, organizationId: string, list: ListQuery) =>
  readPage<OrganizationJob>(
    db,
    sql`j.*`,
    sql`(${batches(organizationId)} union all ${reports(organizationId)} union all ${queued(organizationId)}) j`,
    sql`true`,
    list,
  )
