import { Type } from 'typebox'
import type { Db, Queryable, Tx } from '../db/index.ts'
import { type Sql, sql } from '../db/sql.ts'
import { defineJob, FOREVER, UPKEEP } from './definition.ts'

/** Attempts after which a job with unlimited retries counts as failed: about a quarter of an hour. */
const MIN_ATTEMPTS = 5

/** Failed for good, or retried for too long. A running attempt does not change this. */
const FAILED = sql`(j.state = 'failed' or
  (j.state in ('retry', 'active') and j.retry_limit >= ${FOREVER} and j.retry_count >= ${MIN_ATTEMPTS}))`

export const watchJobsJob = defineJob({
  name: 'platform.watch-jobs',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '* * * * *',
})

interface Failure {
  queue: string
  /** The job's organization; the oldest of the installation for jobs without one. */
  organization: string
  jobs: string[]
}

/** Called in the transaction that marks the jobs as reported. */
export type RecordFailure = (tx: Tx, failure: Failure) => Promise<void>

const unreported = (db: Db) =>
  db.many<Failure>(sql`
    select j.name as queue, o.id as organization, array_agg(j.id order by j.id) as jobs
      from pgboss.job j
      join organizations o on o.id = coalesce(
        (select c.id from organizations c where c.id in (j.data->>'organizationId', j.data->>'organization')),
        (select f.id from organizations f order by f.created, f.id limit 1))
     where ${FAILED} and not exists (select from job_failures f where f.job = j.id)
     group by j.name, o.id`)

/** Reports each failure once; a job that is retried and fails again is reported again. */
export async function watchJobs(db: Db, record: RecordFailure): Promise<void> {
  await db.run(sql`
    delete from job_failures f
     where not exists (select from pgboss.job j where j.id = f.job and ${FAILED})`)
  for (const { queue, organization, jobs } of await unreported(db)) {
    await db.tx(organization, async (tx) => {
      const added = await tx.many<{ job: string }>(sql`
        insert into job_failures (job, queue) select job, ${queue} from unnest(${jobs}::uuid[]) as job
        on conflict do nothing returning job`)
      if (added.length > 0)
        await record(tx, { queue, organization, jobs: added.map(({ job }) => job) })
    })
  }
}

/** By queue, for health checks: a small table, unlike the queue itself. */
export const failuresByQueue = (db: Queryable, except: readonly string[]) =>
  db.many<{ queue: string; failed: number }>(sql`
    select queue, count(*)::int as failed from job_failures
     where queue <> all(${except}::text[]) group by queue order by queue`)

interface FailedJob {
  id: string
  queue: string
  state: 'failed' | 'retrying'
  attempts: number
  created: string
  /** Time of the next attempt. */
  next: string | null
  reason: string | null
}

/** Unfinished jobs that failed at least once, oldest first. */
export const listFailedJobs = (db: Queryable) =>
  db.many<FailedJob>(sql`
    select j.id, j.name as queue, case j.state when 'failed' then 'failed' else 'retrying' end as state,
           j.retry_count + 1 as attempts, j.created_on as created,
           case j.state when 'retry' then j.start_after end as next,
           coalesce(j.output->>'message', j.output->>'value') as reason
      from pgboss.job j
     where j.state in ('failed', 'retry') and j.name not like '__pgboss%'
     order by j.created_on, j.id`)

/** The organization that a job is about, if it is about one. */
export const JOB_ORGANIZATION = sql`coalesce(j.data->>'organizationId', j.data->>'organization')`

const retry = (db: Queryable, which: Sql) =>
  db.many<{ queue: string }>(sql`
    update pgboss.job j
       set state = 'retry', retry_count = 0, start_after = now(), completed_on = null,
           keep_until = greatest(keep_until, now() + interval '14 days')
     where state in ('failed', 'retry') and name not like '__pgboss%' and ${which}
    returning name as queue`)

/** Makes jobs due now, with a fresh retry count. `job` is an id, the name of a queue, or `all`. */
export const retryJobs = async (db: Queryable, job: string): Promise<number> =>
  (await retry(db, sql`(${job} = 'all' or name = ${job} or id::text = ${job})`)).length

/** The same for one job of an organization; the name of its queue, or undefined when there is no such job. */
export const retryJobOf = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<string | undefined> =>
  (await retry(db, sql`id::text = ${id} and ${JOB_ORGANIZATION} = ${organizationId}`))[0]?.queue
