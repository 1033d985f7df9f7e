import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'

export interface CertificateRow {
  id: string
  certificate: string
  /** Sealed. */
  private_key: string
  fingerprint: string
  not_before: string
  not_after: string
  warned_days: number | null
  created: string
}

export const readCertificates = (db: Queryable, organizationId: string, applicationId: string) =>
  db.many<CertificateRow>(sql`
    select id, certificate, private_key, fingerprint, not_before, not_after, warned_days, created
      from application_certificates
     where organization_id = ${organizationId} and application_id = ${applicationId} order by created, id`)

export const insertCertificate = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  row: Omit<CertificateRow, 'warned_days' | 'created'>,
) =>
  db.run(sql`
    insert into application_certificates (organization_id, application_id, id, certificate, private_key, fingerprint,
                                          not_before, not_after)
    values (${organizationId}, ${applicationId}, ${row.id}, ${row.certificate}, ${row.private_key}, ${row.fingerprint},
            ${row.not_before}, ${row.not_after})`)

/** Deletes certificates that no longer have a role. */
export const deleteUnusedCertificates = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
) =>
  db.run(sql`
    delete from application_certificates c
     using applications a
     where c.organization_id = ${organizationId} and c.application_id = ${applicationId}
       and a.organization_id = ${organizationId} and a.id = ${applicationId}
       and c.id <> all(array_remove(array[a.certificate_id, a.next_certificate_id, a.previous_certificate_id]::text[], null))`)

export type CertificateSummary = Pick<
  CertificateRow,
  'id' | 'certificate' | 'fingerprint' | 'not_after' | 'created'
>

/** Without their private keys. */
export const certificatesById = async (
  db: Queryable,
  organizationId: string,
  ids: readonly (string | null)[],
): Promise<Map<string, CertificateSummary>> => {
  const wanted = ids.filter((id) => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.many<CertificateSummary>(sql`
    select id, certificate, fingerprint, not_after, created from application_certificates
     where organization_id = ${organizationId} and id = any(${wanted}::text[])`)
  return new Map(rows.map((row) => [row.id, row]))
}

interface FetchRow {
  certificate_id: string
  address: string
  user_agent: string
  first_at: string
  last_at: string
}

export const readFetches = (db: Queryable, organizationId: string, applicationId: string) =>
  db.many<FetchRow>(sql`
    select certificate_id, address, user_agent, first_at, last_at from application_metadata_fetches
     where organization_id = ${organizationId} and application_id = ${applicationId}
     order by last_at desc, address, user_agent`)

export interface EndingRow {
  application_id: string
  certificate_id: string
  display_label: string
  not_after: string
  warned_days: number | null
}

/** Current certificates of undeleted applications that expire by that time. */
export const endingCertificates = (db: Queryable, organizationId: string, before: Date) =>
  db.many<EndingRow>(sql`
    select a.id as application_id, c.id as certificate_id, a.display_label, c.not_after, c.warned_days
      from application_certificates c
      join applications a on a.organization_id = ${organizationId} and a.id = c.application_id
       and a.certificate_id = c.id and a.deleted_at is null
     where c.organization_id = ${organizationId} and c.not_after <= ${before.toISOString()}
     order by c.not_after, c.id`)

/** False: another process has already sent the warning. */
export const markWarned = async (
  db: Queryable,
  organizationId: string,
  { application_id, certificate_id }: Pick<EndingRow, 'application_id' | 'certificate_id'>,
  days: number,
): Promise<boolean> =>
  (await db.run(sql`
    update application_certificates set warned_days = ${days}
     where organization_id = ${organizationId} and application_id = ${application_id} and id = ${certificate_id}
       and (warned_days is null or warned_days > ${days})`)) > 0
