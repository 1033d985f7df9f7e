import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { CredentialTx } from './credential-cache.ts'

// Global tables: the credential determines the tenant, so it is looked up first.

export interface CredentialRow {
  hash: Buffer
  kind: 'api-key' | 'client-secret'
  administrator_id: string | null
  service_account_id: string | null
  auth_config_id: string | null
  tenant: string | null
  prefix: string
  scopes: string[] | null
  created: string
  expires_at: string | null
  last_used_at: string | null
}

/** Of the last use; to write it with every request would cost more than it tells. */
const USE_MINUTES = 5

const isStale = ({ last_used_at }: CredentialRow): boolean =>
  last_used_at === null || Date.now() - Date.parse(last_used_at) > USE_MINUTES * 60_000

/** Notes that the credential is used, unless that was noted a moment ago. Other processes note it too. */
export const noteUse = async (db: Queryable, credential: CredentialRow): Promise<void> => {
  if (!isStale(credential)) return
  await db.run(sql`
    update credentials set last_used_at = now()
     where hash = ${credential.hash}
       and (last_used_at is null or last_used_at < now() - make_interval(mins => ${USE_MINUTES}))`)
}

export const findCredential = (db: Queryable, hash: Buffer) =>
  db.find<CredentialRow>(
    sql`select * from credentials where hash = ${hash} and (expires_at is null or expires_at > now())`,
  )

export const deleteAdministratorKey = (db: CredentialTx, administratorId: string) =>
  db.run(sql`delete from credentials where administrator_id = ${administratorId}`)

export const insertAdministratorKey = (
  db: Queryable,
  administratorId: string,
  key: { hash: Buffer; prefix: string; scopes: string[] | null; expiresAt: string | null },
) =>
  db.one<CredentialRow>(sql`
    insert into credentials (hash, kind, administrator_id, prefix, scopes, expires_at)
    values (${key.hash}, 'api-key', ${administratorId}, ${key.prefix}, ${key.scopes}, ${key.expiresAt})
    returning *`)

export const insertServiceAccountCredential = (
  db: Queryable,
  organizationId: string,
  credential: {
    hash: Buffer
    kind: CredentialRow['kind']
    serviceAccountId: string
    authConfigId: string
    prefix: string
    expiresAt: string
  },
) =>
  db.run(sql`
    insert into credentials (hash, kind, service_account_id, auth_config_id, tenant, prefix, expires_at)
    values (${credential.hash}, ${credential.kind}, ${credential.serviceAccountId}, ${credential.authConfigId}, ${organizationId},
            ${credential.prefix}, ${credential.expiresAt})`)

/** All credentials of a service account or of one of its auth configs, with the tokens issued for them. */
export async function deleteServiceAccountCredentials(
  db: CredentialTx,
  organizationId: string,
  serviceAccountId: string,
  authConfigId: string | null,
): Promise<void> {
  await db.run(sql`
    delete from credentials where tenant = ${organizationId} and service_account_id = ${serviceAccountId}
       and (${authConfigId}::text is null or auth_config_id = ${authConfigId})`)
  await db.run(sql`
    delete from access_tokens where tenant = ${organizationId} and service_account_id = ${serviceAccountId}
       and (${authConfigId}::text is null or auth_config_id = ${authConfigId})`)
}

interface AccessTokenRow {
  service_account_id: string
  auth_config_id: string
  tenant: string
  expires_at: string
}

export const insertAccessToken = (db: Queryable, hash: Buffer, token: AccessTokenRow) =>
  db.run(sql`
    insert into access_tokens (hash, service_account_id, auth_config_id, tenant, expires_at)
    values (${hash}, ${token.service_account_id}, ${token.auth_config_id}, ${token.tenant}, ${token.expires_at})`)

export const findAccessToken = (db: Queryable, hash: Buffer) =>
  db.find<AccessTokenRow & { secret_expires_at: string }>(
    sql`
      select t.service_account_id, t.auth_config_id, t.tenant, t.expires_at, c.expires_at as secret_expires_at
        from access_tokens t join credentials c using (tenant, service_account_id, auth_config_id)
       where t.hash = ${hash} and t.expires_at > now()`,
  )

export const deleteExpired = async (db: Queryable): Promise<void> => {
  await db.run(sql`delete from access_tokens where expires_at < now()`)
  await db.run(sql`delete from sessions where expires_at < now()`)
  await db.run(sql`delete from password_resets where expires_at < now()`)
}
