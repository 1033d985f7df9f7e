import { Type } from 'typebox'
import type { Db, Queryable, Tx } from '../db/index.ts'
import { sql } from '../db/sql.ts'
import { defineJob, FOREVER, UPKEEP } from './definition.ts'

/** After so many attempts a job that is tried for ever counts as failed: an hour's quarter, not a hiccup. */
const MIN_ATTEMPTS = 5

/** Given up, or tried in vain for so long that somebody should know. An attempt under way settles nothing. */
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
  /** The one concerned; for a job that concerns nobody in particular the first of the installation. */
  organization: string
  jobs: string[]
}

/** Called in the transaction that marks the jobs as told. */
export type TellFailure = (tx: Tx, failure: Failure) => Promise<void>

const untold = (db: Db) =>
  db.many<Failure>(sql`
    select j.name as queue, o.id as organization, array_agg(j.id order by j.id) as jobs
      from pgboss.job j
      join organizations o on o.id = coalesce(
        (select c.id from organizations c where c.id in (j.data->>'organizationId', j.data->>'organization')),
        (select f.id from organizations f order by f.created, f.id limit 1))
     where ${FAILED} and not exists (select from job_failures f where f.job = j.id)
     group by j.name, o.id`)

/** Tells of each failure once; whoever is tried again and fails anew is told of again. */
export async function watchJobs(db: Db, tell: TellFailure): Promise<void> {
  await db.run(sql`
    delete from job_failures f
     where not exists (select from pgboss.job j where j.id = f.job and ${FAILED})`)
  for (const { queue, organization, jobs } of await untold(db)) {
    await db.tx(organization, async (tx) => {
      const told = await tx.many<{ job: string }>(sql`
        insert into job_failures (job, queue) select job, ${queue} from unnest(${jobs}::uuid[]) as job
        on conflict do nothing returning job`)
      if (told.length > 0) await tell(tx, { queue, organization, jobs: told.map(({ job }) => job) })
    })
  }
}

/** By queue, for health: a table of few rows, where the queue itself may hold very many. */
export const failuresByQueue = (db: Queryable) =>
  db.many<{ queue: string; failed: number }>(
    sql`select queue, count(*)::int as failed from job_failures group by queue order by queue`,
  )

interface FailedJob {
  id: string
  queue: string
  state: 'failed' | 'retrying'
  attempts: number
  created: string
  /** When it is tried again. */
  next: string | null
  reason: string | null
}

/** What has failed at least once and is not done, the oldest first. */
export const listFailedJobs = (db: Queryable) =>
  db.many<FailedJob>(sql`
    select j.id, j.name as queue, case j.state when 'failed' then 'failed' else 'retrying' end as state,
           j.retry_count + 1 as attempts, j.created_on as created,
           case j.state when 'retry' then j.start_after end as next,
           coalesce(j.output->>'message', j.output->>'value') as reason
      from pgboss.job j
     where j.state in ('failed', 'retry') and j.name not like '__pgboss%'
     order by j.created_on, j.id`)

/** Due at once, with all its attempts before it again. `job` is an id, the name of a queue, or `all`. */
export const retryJobs = (db: Queryable, job: string): Promise<number> =>
  db.run(sql`
    update pgboss.job
       set state = 'retry', retry_count = 0, start_after = now(), completed_on = null,
           keep_until = greatest(keep_until, now() + interval '14 days')
     where state in ('failed', 'retry') and name not like '__pgboss%'
       and (${job} = 'all' or name = ${job} or id::text = ${job})`)
