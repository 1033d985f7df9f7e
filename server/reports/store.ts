import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { Report, ReportFormat } from './schema.ts'
import type { ReportType } from './types.ts'

export interface ReportRow extends Omit<Report, 'parameters' | 'error_message'> {
  type: ReportType
  error_message: string | null
}

/** Artifacts are listed only once the report is completed. */
const COLUMNS = sql`r.id, r.type, r.status, r.created_at, r.updated_at, r.expiration, r.requester_id, r.requester_email,
  r.error_message,
  coalesce((select json_agg(json_build_object('id', a.id, 'format', a.format) order by a.format) from report_artifacts a
             where a.organization_id = r.organization_id and a.report_id = r.id and a.run_id = r.run_id
               and r.status = 'COMPLETED'), '[]') as artifacts`

export const SORTS = {
  CREATED_AT: sql`r.created_at`,
  EXPIRATION: sql`r.expiration`,
  REQUESTER_EMAIL: sql`r.requester_email`,
  STATUS: sql`r.status`,
  TYPE: sql`r.type`,
  UPDATED_AT: sql`r.updated_at`,
} as const
export type ReportSort = keyof typeof SORTS

interface ReportList {
  sort: ReportSort
  descending: boolean
  limit: number
  skip: number
}

export function listReports(
  db: Queryable,
  organizationId: string,
  { sort, descending, limit, skip }: ReportList,
): Promise<ReportRow[]> {
  const direction: Sql = descending ? sql`desc` : sql`asc`
  return db.many(sql`
    select ${COLUMNS} from reports r where r.organization_id = ${organizationId}
     order by ${SORTS[sort]} ${direction}, r.created_at desc, r.id desc limit ${limit} offset ${skip}`)
}

export const insertReport = async (
  tx: Queryable,
  organizationId: string,
  row: Pick<ReportRow, 'id' | 'type' | 'requester_id' | 'requester_email' | 'expiration'>,
): Promise<ReportRow> =>
  (await tx.one<ReportRow>(sql`
    insert into reports as r (organization_id, id, type, requester_id, requester_email, expiration)
    values (${organizationId}, ${row.id}, ${row.type}, ${row.requester_id}, ${row.requester_email}, ${row.expiration})
    returning ${COLUMNS}`))!

export const countUnfinished = async (db: Queryable, organizationId: string): Promise<number> =>
  (await db.one<{ count: number }>(sql`
    select count(*) as count from reports
     where organization_id = ${organizationId} and status in ('PENDING', 'IN_PROGRESS')`))!.count

interface Artifact {
  type: ReportType
  format: ReportFormat
  created_at: string
  pieces: number
}

/** An artifact of a completed report that has not expired. */
export const findArtifact = (
  db: Queryable,
  organizationId: string,
  reportId: string,
  id: string,
): Promise<Artifact | undefined> =>
  db.one(sql`
    select r.type, a.format, r.created_at,
           (select count(*) from report_artifact_pieces p
             where p.organization_id = ${organizationId} and p.report_id = r.id and p.artifact_id = a.id) as pieces
      from reports r
      join report_artifacts a
        on a.organization_id = ${organizationId} and a.report_id = r.id and a.run_id = r.run_id and a.id = ${id}
     where r.organization_id = ${organizationId} and r.id = ${reportId} and r.status = 'COMPLETED'
       and r.expiration > now()`)

export const findPiece = (
  db: Queryable,
  organizationId: string,
  reportId: string,
  artifactId: string,
  position: number,
): Promise<{ content: Buffer } | undefined> =>
  db.one(sql`
    select content from report_artifact_pieces
     where organization_id = ${organizationId} and report_id = ${reportId} and artifact_id = ${artifactId}
       and position = ${position}`)
