import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { ReportFormat } from './schema.ts'
import type { ReportType } from './types.ts'

export interface Run {
  organizationId: string
  reportId: string
  runId: string
}

/** Claims the report, also from another run; undefined when it is completed or failed. */
export const claimReport = (tx: Queryable, { organizationId, reportId, runId }: Run) =>
  tx.one<{ type: ReportType; attempts: number }>(sql`
    update reports set status = 'IN_PROGRESS', run_id = ${runId}, attempts = attempts + 1, updated_at = now()
     where organization_id = ${organizationId} and id = ${reportId} and status in ('PENDING', 'IN_PROGRESS')
    returning type, attempts`)

/** Deletes the files of earlier runs. A run still in progress notices when it writes its next piece. */
export const deleteOtherRuns = (tx: Queryable, { organizationId, reportId, runId }: Run) =>
  tx.run(sql`
    delete from report_artifacts
     where organization_id = ${organizationId} and report_id = ${reportId} and run_id <> ${runId}`)

export const insertArtifact = (tx: Queryable, run: Run, id: string, format: ReportFormat) =>
  tx.run(sql`
    insert into report_artifacts (organization_id, report_id, id, run_id, format)
    values (${run.organizationId}, ${run.reportId}, ${id}, ${run.runId}, ${format})`)

/**
 * False when another run has claimed the report, or it has failed. Locks the report until the end of the transaction:
 * a claim locks it first too, so that two runs cannot deadlock on each other's files.
 */
export const insertPiece = async (
  tx: Queryable,
  { organizationId, reportId, runId }: Run,
  artifactId: string,
  position: number,
  content: Buffer,
): Promise<boolean> =>
  (await tx.run(sql`
    insert into report_artifact_pieces (organization_id, report_id, artifact_id, position, content)
    select ${organizationId}, id, ${artifactId}, ${position}, ${content} from reports
     where organization_id = ${organizationId} and id = ${reportId} and run_id = ${runId} and status = 'IN_PROGRESS'
       for share`)) > 0

/** False when another run has claimed the report. */
export const completeReport = async (
  tx: Queryable,
  { organizationId, reportId, runId }: Run,
): Promise<boolean> =>
  (await tx.run(sql`
    update reports set status = 'COMPLETED', updated_at = now()
     where organization_id = ${organizationId} and id = ${reportId} and run_id = ${runId} and status = 'IN_PROGRESS'`)) >
  0

/** Deletes the partial files too. */
export async function failReport(tx: Queryable, run: Run, message: string): Promise<void> {
  const { organizationId, reportId, runId } = run
  await tx.run(sql`
    with failed as (
      update reports set status = 'FAILED', error_message = ${message}, updated_at = now()
       where organization_id = ${organizationId} and id = ${reportId} and run_id = ${runId} and status = 'IN_PROGRESS'
      returning id
    )
    delete from report_artifacts a using failed
     where a.organization_id = ${organizationId} and a.report_id = failed.id`)
}

/** Fails reports whose jobs were lost. */
export const failForgotten = (
  tx: Queryable,
  organizationId: string,
  before: Date,
  message: string,
) =>
  tx.run(sql`
    update reports set status = 'FAILED', error_message = ${message}, updated_at = now()
     where organization_id = ${organizationId} and status in ('PENDING', 'IN_PROGRESS') and updated_at < ${before}`)

export const expiredReports = (db: Queryable, organizationId: string, now: Date) =>
  db.many<{ id: string; type: ReportType }>(sql`
    select id, type from reports
     where organization_id = ${organizationId} and status <> 'DELETED' and expiration <= ${now} order by id`)

/** Deletes the files and keeps the row. False when already done. */
export async function expireReport(
  tx: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const expired = await tx.run(sql`
    update reports set status = 'DELETED', updated_at = now()
     where organization_id = ${organizationId} and id = ${id} and status <> 'DELETED'`)
  await tx.run(
    sql`delete from report_artifacts where organization_id = ${organizationId} and report_id = ${id}`,
  )
  return expired > 0
}

export const purgeReports = (tx: Queryable, organizationId: string, createdBefore: Date) =>
  tx.run(sql`
    delete from reports
     where organization_id = ${organizationId} and status = 'DELETED' and created_at < ${createdBefore}`)
