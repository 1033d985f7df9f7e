import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Paging } from '../../platform/list/page.ts'
import { readCountedPage } from '../../platform/list/page.ts'
import type { StoredActor } from '../context.ts'

export type BulkKind = 'create' | 'update' | 'expire' | 'unlock'

export interface BulkJobRow {
  organization_id: string
  id: string
  kind: BulkKind
  creation_source: string
  mail_to: string | null
  started_by: StoredActor
}

export interface BulkResultRow {
  organization_id: string
  job_id: string
  id: string
  position: number
  status: 'Pending' | 'Finished'
  status_msg: string
  persisted_fields: Record<string, unknown>
  password: string | null
  meta: Record<string, unknown>
  created: string
  updated: string
}

type NewBulkResult = Pick<BulkResultRow, 'id' | 'persisted_fields' | 'password'>

export async function insertBulkJob(
  tx: Queryable,
  job: BulkJobRow,
  results: readonly NewBulkResult[],
): Promise<void> {
  await tx.run(sql`
    insert into bulk_jobs (organization_id, id, kind, creation_source, mail_to, started_by)
    values (${job.organization_id}, ${job.id}, ${job.kind}, ${job.creation_source}, ${job.mail_to},
            ${JSON.stringify(job.started_by)})`)
  await tx.run(sql`
    insert into bulk_job_results (organization_id, job_id, id, position, persisted_fields, password)
    select ${job.organization_id}, ${job.id}, r.value ->> 'id', r.position, r.value -> 'persisted_fields',
           r.value ->> 'password'
      from jsonb_array_elements(${JSON.stringify(results)}::jsonb) with ordinality as r (value, position)`)
}

export const findBulkJob = (db: Queryable, organizationId: string, id: string) =>
  db.one<BulkJobRow>(
    sql`select * from bulk_jobs where organization_id = ${organizationId} and id = ${id}`,
  )

export const listBulkResults = (
  db: Queryable,
  organizationId: string,
  jobId: string,
  paging: Paging,
) =>
  readCountedPage(
    (limit, skip) =>
      db.many<BulkResultRow & { total: number }>(sql`
        select *, count(*) over () as total from bulk_job_results
         where organization_id = ${organizationId} and job_id = ${jobId}
         order by position limit ${limit} offset ${skip}`),
    paging,
  )

export const nextBulkResult = (
  db: Queryable,
  organizationId: string,
  jobId: string,
  after: number,
) =>
  db.one<BulkResultRow>(sql`
    select * from bulk_job_results
     where organization_id = ${organizationId} and job_id = ${jobId} and status = 'Pending' and position > ${after}
     order by position limit 1`)

/** False when another run has already finished it. */
export const finishBulkResult = async (
  tx: Queryable,
  { organization_id, job_id, id }: BulkResultRow,
  message: string,
  meta: object,
): Promise<boolean> =>
  (await tx.run(sql`
    update bulk_job_results
       set status = 'Finished', status_msg = ${message}, meta = ${JSON.stringify(meta)}, password = null, updated = now()
     where organization_id = ${organization_id} and job_id = ${job_id} and id = ${id} and status = 'Pending'`)) >
  0

/** The summary once the last result is in; nothing when the job is already finished. */
export const finishBulkJob = (tx: Queryable, organizationId: string, jobId: string) =>
  tx.one<{ mail_to: string | null; total: number; failed: number }>(sql`
    update bulk_jobs j set finished_at = now()
     where organization_id = ${organizationId} and id = ${jobId} and finished_at is null
    returning mail_to,
      (select count(*) from bulk_job_results r
        where r.organization_id = ${organizationId} and r.job_id = j.id) as total,
      (select count(*) from bulk_job_results r
        where r.organization_id = ${organizationId} and r.job_id = j.id and r.meta ->> 'success' = 'false') as failed`)

export const purgeBulkJobs = (tx: Queryable, organizationId: string, before: Date) =>
  tx.run(
    sql`delete from bulk_jobs where organization_id = ${organizationId} and created < ${before}`,
  )
