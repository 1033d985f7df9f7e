import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

export interface AttemptRow {
  id: string
  at: string
  kind: 'sign-in' | 'logout'
  idp_initiated: boolean
  reason: string | null
  explanation: string
  user_id: string | null
  username: string | null
  client_ip: string
  request: string | null
  response: string | null
}

/** Kept per application. */
const MAX_ATTEMPTS = 50

export const insertAttempt = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  row: Omit<AttemptRow, 'at'>,
) =>
  db.run(sql`
    insert into sso_attempts (organization_id, application_id, id, kind, idp_initiated, reason, explanation, user_id,
                              username, client_ip, request, response)
    values (${organizationId}, ${applicationId}, ${row.id}, ${row.kind}, ${row.idp_initiated}, ${row.reason},
            ${row.explanation}, ${row.user_id}, ${row.username}, ${row.client_ip}, ${row.request}, ${row.response})`)

/** Skips rows that a concurrent request is deleting. */
export const trimAttempts = (db: Queryable, organizationId: string, applicationId: string) =>
  db.run(sql`
    delete from sso_attempts
     where organization_id = ${organizationId} and application_id = ${applicationId} and id = any(array(
       select id from sso_attempts
        where organization_id = ${organizationId} and application_id = ${applicationId}
        order by id desc offset ${MAX_ATTEMPTS} for update skip locked))`)

export const readAttempts = (db: Queryable, organizationId: string, applicationId: string) =>
  db.many<AttemptRow>(sql`
    select id, at, kind, idp_initiated, reason, explanation, user_id, username, client_ip, request, response
      from sso_attempts
     where organization_id = ${organizationId} and application_id = ${applicationId}
     order by id desc limit ${MAX_ATTEMPTS}`)

export const deleteOldAttempts = (db: Queryable, organizationId: string) =>
  db.run(sql`
    delete from sso_attempts where organization_id = ${organizationId} and at < now() - interval '30 days'`)
