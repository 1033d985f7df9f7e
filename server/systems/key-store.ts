import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'

// System keys and connect keys are global tables: they identify the tenant.

interface SystemKeyRow {
  tenant: string
  public_key: string
}

export const findSystemKeys = (db: Queryable, systemId: string) =>
  db.many<SystemKeyRow>(
    sql`
      select tenant, public_key from system_keys where system_id = ${systemId} and not is_deleted(tenant)`,
  )

export const insertSystemKey = (
  db: Queryable,
  tenant: string,
  systemId: string,
  key: { fingerprint: Buffer; publicKey: string },
) =>
  db.run(sql`
    insert into system_keys (system_id, fingerprint, tenant, public_key)
    values (${systemId}, ${key.fingerprint}, ${tenant}, ${key.publicKey})`)

export interface SignerRow {
  id: string
  hostname: string
  display_name: string
  os_family: string
  provisioner_type: string
  enrollment_type: string | null
  dep: boolean | null
  stale: boolean
}

/** The fields that decide whether a system may sign; deleted systems have none. */
export const findSigner = (db: Queryable, organizationId: string, systemId: string) =>
  db.find<SignerRow>(sql`
    select id, hostname, display_name, os_family, provisioner_type, details #>> '{mdm,enrollmentType}' as enrollment_type,
           (details #>> '{mdm,dep}')::boolean as dep,
           coalesce(last_contact < now() - interval '1 minute', true) as stale
      from systems where organization_id = ${organizationId} and id = ${systemId} and deleted_at is null`)

/** The hash of the first body seen with this signature. */
export async function rememberBody(
  db: Queryable,
  organizationId: string,
  signatureHash: Buffer,
  bodyHash: Buffer,
  expiresAt: Date,
): Promise<Buffer> {
  await db.run(sql`
    delete from signed_bodies where organization_id = ${organizationId} and signature_hash in (
      select signature_hash from signed_bodies
       where organization_id = ${organizationId} and expires_at < now() limit 100 for update skip locked)`)
  const row = await db.one<{ body_hash: Buffer }>(sql`
    insert into signed_bodies (organization_id, signature_hash, body_hash, expires_at)
    values (${organizationId}, ${signatureHash}, ${bodyHash}, ${expiresAt.toISOString()})
    on conflict (organization_id, signature_hash) do update set body_hash = signed_bodies.body_hash
    returning body_hash`)
  return row!.body_hash
}

// Enrolment --------------------------------------------------------------------------------------------------

interface ConnectKeyRow {
  tenant: string
  sealed_key: string
  created: string
}

export const findConnectKey = (db: Queryable, organizationId: string) =>
  db.one<ConnectKeyRow>(
    sql`select tenant, sealed_key, created from connect_keys where tenant = ${organizationId}`,
  )

/** Takes no tenant: the key identifies it. */
export const findTenantOfConnectKey = (db: Queryable, hash: Buffer) =>
  db.find<{ tenant: string }>(
    sql`select tenant from connect_keys where hash = ${hash} and not is_deleted(tenant)`,
  )

const putConnectKey =
  (onConflict: Sql) =>
  (db: Queryable, organizationId: string, key: { hash: Buffer; sealed: string }): Promise<number> =>
    db.run(sql`
      insert into connect_keys (tenant, hash, sealed_key) values (${organizationId}, ${key.hash}, ${key.sealed})
      on conflict (tenant) do ${onConflict}`)

/** Concurrent first requests get the same key. */
export const insertConnectKey = putConnectKey(sql`nothing`)
export const replaceConnectKey = putConnectKey(
  sql`update set hash = excluded.hash, sealed_key = excluded.sealed_key, created = clock_timestamp()`,
)

export interface AgentSigningKeyRow {
  id: string
  public_key: string
  private_key: string
}

/** The oldest key, so that all processes agree if two were created concurrently. */
export const findAgentSigningKey = (db: Queryable, organizationId: string) =>
  db.one<AgentSigningKeyRow>(sql`
    select id, public_key, private_key from agent_signing_keys
     where organization_id = ${organizationId} order by created, id limit 1`)

/** Held until the end of the transaction, so that each organization gets one key. */
export const lockAgentSigningKeys = (db: Queryable, organizationId: string) =>
  db.run(
    sql`select pg_advisory_xact_lock(hashtextextended(${`agent signing key ${organizationId}`}, 0))`,
  )

export const insertAgentSigningKey = (
  db: Queryable,
  organizationId: string,
  row: AgentSigningKeyRow,
) =>
  db.run(sql`
    insert into agent_signing_keys (organization_id, id, public_key, private_key)
    values (${organizationId}, ${row.id}, ${row.public_key}, ${row.private_key})`)
