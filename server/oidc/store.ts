import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { Scope } from './authorization-request.ts'

export interface GrantRow {
  id: string
  session_id: string
  redirect_uri: string
  challenge: string | null
  nonce: string | null
  scopes: Scope[]
  public_client: boolean
  authenticated_at: string
  methods: string[]
}

export const insertGrant = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  row: GrantRow & { code_hash: Buffer; seconds: number },
) =>
  db.run(sql`
    insert into oidc_grants (organization_id, id, application_id, session_id, code_hash, code_expires_at, redirect_uri,
                             challenge, nonce, scopes, public_client, authenticated_at, methods, expires_at)
    values (${organizationId}, ${row.id}, ${applicationId}, ${row.session_id}, ${row.code_hash},
            now() + make_interval(secs => ${row.seconds}), ${row.redirect_uri}, ${row.challenge}, ${row.nonce},
            ${row.scopes}, ${row.public_client}, ${row.authenticated_at}, ${row.methods},
            now() + make_interval(secs => ${row.seconds}))`)

/** By its code, even if used or expired. */
export const findByCode = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  codeHash: Buffer,
) =>
  db.find<GrantRow & { used: boolean; expired: boolean }>(sql`
    select id, session_id, redirect_uri, challenge, nonce, scopes, public_client, authenticated_at, methods,
           code_used_at is not null as used, code_expires_at <= now() as expired
      from oidc_grants
     where organization_id = ${organizationId} and application_id = ${applicationId} and code_hash = ${codeHash}`)

/** By one of its unexpired tokens. */
export const findByToken = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  kind: 'access' | 'refresh',
  hash: Buffer,
) =>
  db.find<GrantRow & { used: boolean }>(sql`
    select g.id, g.session_id, g.redirect_uri, g.challenge, g.nonce, g.scopes, g.public_client, g.authenticated_at,
           g.methods, t.used_at is not null as used
      from oidc_tokens t
      join oidc_grants g on g.organization_id = ${organizationId} and g.id = t.grant_id
       and g.application_id = ${applicationId}
     where t.organization_id = ${organizationId} and t.hash = ${hash} and t.kind = ${kind} and t.expires_at > now()`)

/**
 * Keeps the grant for that long; false if it is already gone. Must run first: ending a session also locks the grant
 * before its tokens, and the same lock order prevents a deadlock.
 */
export const extendGrant = async (
  db: Queryable,
  organizationId: string,
  grantId: string,
  seconds: number,
) =>
  (await db.run(sql`
    update oidc_grants set expires_at = greatest(expires_at, now() + make_interval(secs => ${seconds}))
     where organization_id = ${organizationId} and id = ${grantId}`)) > 0

/** False: a concurrent request took it. */
export const takeCode = async (db: Queryable, organizationId: string, grantId: string) =>
  (await db.run(sql`
    update oidc_grants set code_used_at = now()
     where organization_id = ${organizationId} and id = ${grantId} and code_used_at is null`)) > 0

/** False: a concurrent request took it. */
export const takeRefresh = async (db: Queryable, organizationId: string, hash: Buffer) =>
  (await db.run(sql`
    update oidc_tokens set used_at = now()
     where organization_id = ${organizationId} and hash = ${hash} and kind = 'refresh' and used_at is null`)) >
  0

export const insertToken = (
  db: Queryable,
  organizationId: string,
  grantId: string,
  row: { kind: 'access' | 'refresh'; hash: Buffer; seconds: number },
) =>
  db.run(sql`
    insert into oidc_tokens (organization_id, hash, grant_id, kind, expires_at)
    values (${organizationId}, ${row.hash}, ${grantId}, ${row.kind}, now() + make_interval(secs => ${row.seconds}))`)

/** An unexpired token of either kind, with its grant. */
export const findAnyToken = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  hash: Buffer,
) =>
  db.find<GrantRow & { kind: 'access' | 'refresh'; used: boolean; expires_at: string }>(sql`
    select g.id, g.session_id, g.redirect_uri, g.challenge, g.nonce, g.scopes, g.public_client, g.authenticated_at,
           g.methods, t.kind, t.used_at is not null as used, t.expires_at
      from oidc_tokens t
      join oidc_grants g on g.organization_id = ${organizationId} and g.id = t.grant_id
       and g.application_id = ${applicationId}
     where t.organization_id = ${organizationId} and t.hash = ${hash} and t.expires_at > now()`)

export const deleteToken = (db: Queryable, organizationId: string, hash: Buffer) =>
  db.run(sql`delete from oidc_tokens where organization_id = ${organizationId} and hash = ${hash}`)

/** Deletes the grant and, by cascade, its tokens. */
export const deleteGrant = (db: Queryable, organizationId: string, grantId: string) =>
  db.run(sql`delete from oidc_grants where organization_id = ${organizationId} and id = ${grantId}`)

// Clients that a session is known to -----------------------------------------------------------------------------------

export const insertParticipant = (
  db: Queryable,
  organizationId: string,
  sessionId: string,
  applicationId: string,
) =>
  db.run(sql`
    insert into oidc_participants (organization_id, session_id, application_id)
    values (${organizationId}, ${sessionId}, ${applicationId}) on conflict do nothing`)

export const takeParticipants = (db: Queryable, organizationId: string, sessionId: string) =>
  db.many<{ application_id: string }>(sql`
    delete from oidc_participants where organization_id = ${organizationId} and session_id = ${sessionId}
    returning application_id`)

export async function deleteExpired(db: Queryable, organizationId: string): Promise<void> {
  await db.run(
    sql`delete from oidc_tokens where organization_id = ${organizationId} and expires_at <= now()`,
  )
  await db.run(
    sql`delete from oidc_grants where organization_id = ${organizationId} and expires_at <= now()`,
  )
  // Of sessions that expired: nobody is told about these.
  await db.run(sql`
    delete from oidc_participants
     where organization_id = ${organizationId} and created < now() - interval '60 days'`)
}
