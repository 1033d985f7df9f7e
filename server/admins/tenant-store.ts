import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { CredentialTx } from './credential-cache.ts'

export interface RoleRow {
  id: string
  name: string
  description: string
  scopes: string[]
}

export const listRoles = (db: Queryable, organizationId: string) =>
  db.many<RoleRow>(
    sql`select id, name, description, scopes from roles where organization_id = ${organizationId} order by name, id`,
  )

export const findRoles = (db: Queryable, organizationId: string, ids: string[]) =>
  db.many<RoleRow>(
    sql`select id, name, description, scopes from roles where organization_id = ${organizationId} and id = any(${ids}::text[])`,
  )

export const findRoleByName = (db: Queryable, organizationId: string, name: string) =>
  db.one<RoleRow>(
    sql`select id, name, description, scopes from roles where organization_id = ${organizationId} and lower(name) = lower(${name})`,
  )

export const lockRole = (db: Queryable, organizationId: string, id: string) =>
  db.one<RoleRow>(
    sql`select id, name, description, scopes from roles where organization_id = ${organizationId} and id = ${id} for update`,
  )

export const insertRole = (db: Queryable, organizationId: string, role: RoleRow) =>
  db.run(
    sql`insert into roles (organization_id, id, name, description, scopes) values (${organizationId}, ${role.id}, ${role.name}, ${role.description}, ${role.scopes})`,
  )

export const saveRole = (db: CredentialTx, organizationId: string, role: RoleRow) =>
  db.run(
    sql`update roles set name = ${role.name}, description = ${role.description}, scopes = ${role.scopes} where organization_id = ${organizationId} and id = ${role.id}`,
  )

export const deleteRole = (db: CredentialTx, organizationId: string, id: string) =>
  db.run(sql`delete from roles where organization_id = ${organizationId} and id = ${id}`)

/** Administrators are global and store role ids in an array, so no foreign key can check the reference. */
export const roleIsUsed = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> =>
  (await db.one(sql`
    select 1 where exists (select from administrators where (organization = ${organizationId} or provider = ${organizationId}) and ${id} = any(role_ids))
       or exists (select from service_accounts where organization_id = ${organizationId} and role_id = ${id})`)) !==
  undefined

export interface ServiceAccountRow {
  id: string
  name: string
  role_id: string
  status: 'ACTIVE' | 'INACTIVE'
  created: string
}

export interface AuthConfigRow {
  id: string
  service_account_id: string
  auth_type: 'API_KEY' | 'CLIENT_SECRET'
  prefix: string
  created: string
  expires_at: string
}

export const listServiceAccounts = (
  db: Queryable,
  organizationId: string,
  limit: number,
  skip: number,
) =>
  db.many<ServiceAccountRow & { total: number }>(sql`
    select id, name, role_id, status, created, count(*) over () as total from service_accounts where organization_id = ${organizationId}
     order by name, id limit ${limit} offset ${skip}`)

export const findServiceAccount = (db: Queryable, organizationId: string, id: string) =>
  db.one<ServiceAccountRow>(
    sql`select id, name, role_id, status, created from service_accounts where organization_id = ${organizationId} and id = ${id}`,
  )

export const listAuthConfigs = (
  db: Queryable,
  organizationId: string,
  serviceAccountIds: string[],
) =>
  db.many<AuthConfigRow>(sql`
    select id, service_account_id, auth_type, prefix, created, expires_at from service_account_auth_configs
     where organization_id = ${organizationId} and service_account_id = any(${serviceAccountIds}::text[])
     order by created, id`)

export const insertServiceAccount = (
  db: Queryable,
  organizationId: string,
  row: Pick<ServiceAccountRow, 'id' | 'name' | 'role_id'>,
) =>
  db.run(
    sql`insert into service_accounts (organization_id, id, name, role_id) values (${organizationId}, ${row.id}, ${row.name}, ${row.role_id})`,
  )

export const insertAuthConfig = (
  db: Queryable,
  organizationId: string,
  row: Omit<AuthConfigRow, 'created'>,
) =>
  db.one<AuthConfigRow>(sql`
    insert into service_account_auth_configs (organization_id, service_account_id, id, auth_type, prefix, expires_at)
    values (${organizationId}, ${row.service_account_id}, ${row.id}, ${row.auth_type}, ${row.prefix}, ${row.expires_at})
    returning id, service_account_id, auth_type, prefix, created, expires_at`)

export const deleteServiceAccount = (db: CredentialTx, organizationId: string, id: string) =>
  db.run(sql`delete from service_accounts where organization_id = ${organizationId} and id = ${id}`)

export const deleteAuthConfig = (
  db: Queryable,
  organizationId: string,
  serviceAccountId: string,
  id: string,
) =>
  db.run(
    sql`delete from service_account_auth_configs where organization_id = ${organizationId} and service_account_id = ${serviceAccountId} and id = ${id}`,
  )
