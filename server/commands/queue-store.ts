import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { Field, Resource } from '../platform/list/conditions.ts'
import { readPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'

export interface QueuedRow {
  organization_id: string
  id: string
  system_id: string
  command_id: string | null
  workflow_instance_id: string
  launched_by: 'manual' | 'triggered' | 'scheduled' | 'built-in'
  name: string
  command: string
  run_as: string
  run_as_name: string
  sudo: boolean
  timeout_seconds: number
  payload: unknown
  request_time: string
  expires_at: string
}

export type NewQueued = Omit<
  QueuedRow,
  'id' | 'system_id' | 'organization_id' | 'request_time' | 'expires_at'
> & { seconds_to_live: number }

/** Queues the same command for every target. */
export const enqueue = (
  db: Queryable,
  organizationId: string,
  row: NewQueued,
  targets: { id: string; systemId: string }[],
) =>
  db.run(sql`
    insert into command_queue (organization_id, id, system_id, command_id, workflow_instance_id, launched_by, name,
                               command, run_as, run_as_name, sudo, timeout_seconds, payload, expires_at)
    select ${organizationId}, target.id, target.system_id, ${row.command_id}, ${row.workflow_instance_id},
           ${row.launched_by}, ${row.name}, ${row.command}, ${row.run_as}, ${row.run_as_name}, ${row.sudo},
           ${row.timeout_seconds}, ${row.payload === null ? null : JSON.stringify(row.payload)}::jsonb,
           clock_timestamp() + make_interval(secs => ${row.seconds_to_live})
      from unnest(${targets.map(({ id }) => id)}::text[], ${targets.map(({ systemId }) => systemId)}::text[])
        as target (id, system_id)`)

/** The oldest pending entries of a system. They stay until a result arrives; the agent runs nothing twice. */
export const fetchQueued = (db: Queryable, organizationId: string, systemId: string) =>
  db.many<QueuedRow>(sql`
    with due as (
      select id from command_queue
       where organization_id = ${organizationId} and system_id = ${systemId} and expires_at > now()
       order by request_time, id limit 50
    )
    update command_queue q set fetched_at = coalesce(q.fetched_at, now()) from due
     where q.organization_id = ${organizationId} and q.id = due.id
    returning q.*`)

export const takeQueued = (db: Queryable, organizationId: string, systemId: string, id: string) =>
  db.one<QueuedRow>(sql`
    delete from command_queue
     where organization_id = ${organizationId} and system_id = ${systemId} and id = ${id} returning *`)

export const cancelWorkflow = (db: Queryable, organizationId: string, workflowInstanceId: string) =>
  db.many<QueuedRow>(sql`
    delete from command_queue
     where organization_id = ${organizationId} and workflow_instance_id = ${workflowInstanceId} returning *`)

export const deleteExpired = (db: Queryable, organizationId: string) =>
  db.run(
    sql`delete from command_queue where organization_id = ${organizationId} and expires_at < now()`,
  )

export interface RunRow {
  id: string
  system_id: string
  /** Null while the system has not answered. */
  system_name: string | null
  request_time: string
  fetched_at: string | null
  response_time: string | null
  exit_code: number | null
  total: number
  pending: number
  failed: number
}

/** One run of a command: results, and entries of the queue. The command is named for its index on results. */
export const readRun = (
  db: Queryable,
  organizationId: string,
  commandId: string,
  runId: string,
  limit: number,
  skip: number,
) =>
  db.many<RunRow>(sql`
    select *, count(*) over () as total, count(*) filter (where response_time is null) over () as pending,
           count(*) filter (where response_time is not null and exit_code is distinct from 0) over () as failed
      from (select id, system_id, system_name, request_time, response_time as fetched_at, response_time, exit_code
              from command_results
             where organization_id = ${organizationId} and command_id = ${commandId} and workflow_instance_id = ${runId}
             union all
            select id, system_id, null, request_time, fetched_at, null, null from command_queue
             where organization_id = ${organizationId} and command_id = ${commandId} and workflow_instance_id = ${runId}
               and expires_at > now()) run
     order by response_time desc nulls last, id limit ${limit} offset ${skip}`)

interface WorkflowRow {
  id: string
  name: string
  command: string
  command_id: string | null
  launched_by: string
  pending: number
  request_time: string
}

const string = (column: Sql): Field => ({ column, kind: 'string' })

export const workflowResource: Resource = {
  fields: {
    id: string(sql`id`),
    name: string(sql`name`),
    command: string(sql`command`),
    commandId: string(sql`command_id`),
    launchType: string(sql`launched_by`),
    pendingCount: { column: sql`pending`, kind: 'number' },
    requestTime: { column: sql`request_time`, kind: 'date' },
  },
  defaultSort: '-requestTime',
  tieBreak: sql`id`,
  searchFields: ['name'],
}

/** A run (workflow instance) is the set of entries queued together. */
export const listWorkflows = (db: Queryable, organizationId: string, list: ListQuery) =>
  readPage<WorkflowRow>(
    db,
    sql`*`,
    sql`(select workflow_instance_id as id, min(name) as name, min(command) as command, min(command_id) as command_id,
                min(launched_by) as launched_by, count(*) as pending, min(request_time) as request_time
           from command_queue
          where organization_id = ${organizationId} and expires_at > now()
          group by workflow_instance_id) runs`,
    sql`true`,
    list,
  )
