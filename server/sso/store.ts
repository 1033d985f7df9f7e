import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

// Pending requests -----------------------------------------------------------------------------------------

export const insertPending = (
  db: Queryable,
  organizationId: string,
  row: { hash: Buffer; applicationId: string; request: object; seconds: number },
) =>
  db.run(sql`
    insert into sso_pending_requests (organization_id, hash, application_id, request, expires_at)
    values (${organizationId}, ${row.hash}, ${row.applicationId}, ${JSON.stringify(row.request)},
            now() + make_interval(secs => ${row.seconds}))`)

/** Skips rows that a concurrent request is taking. */
export const trimPending = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  limit: number,
) =>
  db.run(sql`
    delete from sso_pending_requests
     where organization_id = ${organizationId} and hash = any(array(
       select hash from sso_pending_requests
        where organization_id = ${organizationId} and application_id = ${applicationId}
        order by expires_at desc, hash offset ${limit} for update skip locked))`)

export const findPending = (db: Queryable, organizationId: string, hash: Buffer) =>
  db.find<{ application_id: string; request: unknown }>(sql`
    select application_id, request from sso_pending_requests
     where organization_id = ${organizationId} and hash = ${hash} and expires_at > now()`)

/** False: a concurrent request took it. */
export const takePending = async (db: Queryable, organizationId: string, hash: Buffer) =>
  (await db.run(sql`
    delete from sso_pending_requests where organization_id = ${organizationId} and hash = ${hash}`)) >
  0

interface AnsweredRow {
  applicationId: string
  hash: Buffer
  seconds: number
}

/** Violates ANSWERED_ONCE if the request has already been answered. */
export const insertAnswered = (db: Queryable, organizationId: string, row: AnsweredRow) =>
  db.run(sql`
    insert into sso_answered_requests (organization_id, application_id, hash, expires_at)
    values (${organizationId}, ${row.applicationId}, ${row.hash}, now() + make_interval(secs => ${row.seconds}))`)
export const ANSWERED_ONCE = 'sso_answered_requests_pkey'

/** The same, but does nothing if the request has already been answered. */
export const noteAnswered = (db: Queryable, organizationId: string, row: AnsweredRow) =>
  db.run(sql`
    insert into sso_answered_requests (organization_id, application_id, hash, expires_at)
    values (${organizationId}, ${row.applicationId}, ${row.hash}, now() + make_interval(secs => ${row.seconds}))
    on conflict do nothing`)

export async function deleteExpired(db: Queryable, organizationId: string): Promise<void> {
  await db.run(sql`
    delete from sso_pending_requests where organization_id = ${organizationId} and expires_at <= now()`)
  await db.run(sql`
    delete from sso_answered_requests where organization_id = ${organizationId} and expires_at <= now()`)
}

// Session participants ------------------------------------------------------------------------------------------

interface ParticipantRow {
  application_id: string
  name_id: string
  name_id_format: string
  session_index: string
}

/** Does nothing if the row exists, and then takes no row lock. */
export const insertParticipant = (
  db: Queryable,
  organizationId: string,
  sessionId: string,
  row: ParticipantRow & { name_hash: Buffer },
) =>
  db.run(sql`
    insert into sso_participants (organization_id, session_id, application_id, name_hash, name_id, name_id_format,
                                  session_index)
    values (${organizationId}, ${sessionId}, ${row.application_id}, ${row.name_hash}, ${row.name_id},
            ${row.name_id_format}, ${row.session_index})
    on conflict do nothing`)

export const takeParticipants = (db: Queryable, organizationId: string, sessionId: string) =>
  db.many<ParticipantRow>(sql`
    with taken as (
      delete from sso_participants where organization_id = ${organizationId} and session_id = ${sessionId} returning *)
    select application_id, name_id, name_id_format, session_index from taken order by created, application_id`)

export const readParticipants = (db: Queryable, organizationId: string, sessionId: string) =>
  db.many<ParticipantRow>(sql`
    select application_id, name_id, name_id_format, session_index from sso_participants
     where organization_id = ${organizationId} and session_id = ${sessionId} order by created, application_id`)
