import type { Queryable } from '../platform/db.ts'
import { sql } from '../platform/sql.ts'

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

/** Those that the application has no role for any more. */
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
