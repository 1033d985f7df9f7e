import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { Resource } from '../platform/list/conditions.ts'
import { readPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'
import type { CredentialTx } from './credential-cache.ts'

// Administrators are a global table (design D2): they are looked up before the tenant is known. Every function that a
// caller can reach takes the home (organization or provider) that the administrator must belong to.

export interface AdministratorRow {
  id: string
  organization: string | null
  provider: string | null
  email: string
  firstname: string
  lastname: string
  role_ids: string[]
  password_hash: string | null
  password_updated_at: string | null
  api_key_allowed: boolean
  enable_multi_factor: boolean
  totp_secret: string | null
  totp_pending_secret: string | null
  totp_updated_at: string | null
  totp_last_counter: number | null
  recovery_code_hashes: string[]
  suspended: boolean
  growth_data: Record<string, unknown>
  disable_introduction: boolean
  last_whats_new_checked: string | null
  users_time_zone: string | null
  created: string
}

/** With data about the administrator from other tables. */
export interface AdministratorDetail extends AdministratorRow {
  key_prefix: string | null
  key_created: string | null
  key_expires_at: string | null
  key_scopes: string[] | null
  key_last_used_at: string | null
  session_count: number
  organization_total: number
}

export const administratorResource: Resource = {
  fields: {
    _id: { column: sql`a.id`, kind: 'string' },
    id: { column: sql`a.id`, kind: 'string' },
    email: { column: sql`a.email`, kind: 'string' },
    firstname: { column: sql`a.firstname`, kind: 'string' },
    lastname: { column: sql`a.lastname`, kind: 'string' },
    enableMultiFactor: { column: sql`a.enable_multi_factor`, kind: 'boolean' },
    apiKeyAllowed: { column: sql`a.api_key_allowed`, kind: 'boolean' },
    suspended: { column: sql`a.suspended`, kind: 'boolean' },
    registered: { column: sql`(a.password_hash is not null)`, kind: 'boolean' },
    created: { column: sql`a.created`, kind: 'date' },
  },
  defaultSort: 'email',
  tieBreak: sql`a.id`,
  searchFields: ['email', 'firstname', 'lastname'],
}

const detail = sql`a.*, k.prefix as key_prefix, k.created as key_created, k.expires_at as key_expires_at, k.scopes as key_scopes,
  k.last_used_at as key_last_used_at,
  (select count(*) from sessions s where s.administrator_id = a.id and s.expires_at > now()) as session_count,
  (select count(*) from administrator_organizations l where l.administrator_id = a.id) as organization_total`
const from = sql`administrators a left join credentials k on k.administrator_id = a.id`

const livesIn = (homeId: string): Sql => sql`(a.organization = ${homeId} or a.provider = ${homeId})`

export const listAdministrators = (db: Queryable, homeId: string, list: ListQuery) =>
  readPage<AdministratorDetail>(db, detail, from, livesIn(homeId), list)

export const findAdministrator = (db: Queryable, homeId: string, id: string) =>
  db.one<AdministratorDetail>(
    sql`select ${detail} from ${from} where a.id = ${id} and ${livesIn(homeId)}`,
  )

export const lockAdministrator = (db: Queryable, homeId: string, id: string) =>
  db.one<AdministratorRow>(
    sql`select a.* from administrators a where a.id = ${id} and ${livesIn(homeId)} for update`,
  )

/** Without a home: for sign-in and for the administrator's own session. */
export const findAdministratorByEmail = (db: Queryable, email: string) =>
  db.find<AdministratorRow>(sql`select * from administrators where lower(email) = lower(${email})`)

/** Without a home: the id comes from a credential that was just verified. */
export const findAdministratorById = (db: Queryable, id: string) =>
  db.find<AdministratorRow>(sql`select * from administrators where id = ${id}`)

export const lockAdministratorById = (db: Queryable, id: string) =>
  db.one<AdministratorRow>(sql`select * from administrators where id = ${id} for update`)

interface AdministratorSummary
  extends Pick<
    AdministratorRow,
    'id' | 'email' | 'role_ids' | 'organization' | 'provider' | 'suspended' | 'created'
  > {
  totp: boolean
  key_prefix: string | null
}

/** Of all tenants: for the operator of the machine only. */
export const listAllAdministrators = (db: Queryable) =>
  db.many<AdministratorSummary>(sql`
    select a.id, a.email, a.role_ids, a.organization, a.provider, a.suspended,
           a.totp_secret is not null as totp, k.prefix as key_prefix, a.created
      from administrators a left join credentials k on k.administrator_id = a.id
     order by lower(a.email)`)

export const anyAdministrator = (db: Queryable) =>
  db.one<{ id: string }>(sql`select id from administrators limit 1`)

/** The first administrator, as long as no administrator can sign in. */
export const findFirstWithoutPassword = (db: Queryable) =>
  db.one<{ id: string; email: string }>(sql`
    select id, email from administrators
     where not suspended and not exists (select from administrators where password_hash is not null)
     order by created, id limit 1`)

/** Held until the end of the transaction. */
export const lockFirstStart = (db: Queryable) =>
  db.run(sql`select pg_advisory_xact_lock(4718236057)`)

type NewAdministrator = Pick<
  AdministratorRow,
  | 'id'
  | 'organization'
  | 'provider'
  | 'email'
  | 'firstname'
  | 'lastname'
  | 'role_ids'
  | 'enable_multi_factor'
  | 'api_key_allowed'
> & {
  password_hash?: string
}

export const insertAdministrator = (db: Queryable, row: NewAdministrator) =>
  db.run(sql`
    insert into administrators (id, organization, provider, email, firstname, lastname, role_ids, enable_multi_factor,
                                api_key_allowed, password_hash, password_updated_at)
    values (${row.id}, ${row.organization}, ${row.provider}, ${row.email}, ${row.firstname}, ${row.lastname}, ${row.role_ids},
            ${row.enable_multi_factor}, ${row.api_key_allowed}, ${row.password_hash ?? null},
            case when ${row.password_hash ?? null}::text is null then null else now() end)`)

export const saveAdministrator = (db: CredentialTx, row: AdministratorRow) =>
  db.run(sql`
    update administrators
       set email = ${row.email}, firstname = ${row.firstname}, lastname = ${row.lastname}, role_ids = ${row.role_ids},
           enable_multi_factor = ${row.enable_multi_factor}, api_key_allowed = ${row.api_key_allowed},
           suspended = ${row.suspended}, growth_data = ${row.growth_data},
           last_whats_new_checked = ${row.last_whats_new_checked}, users_time_zone = ${row.users_time_zone}
     where id = ${row.id}`)

export const deleteAdministrator = (db: CredentialTx, homeId: string, id: string) =>
  db.run(sql`delete from administrators a where a.id = ${id} and ${livesIn(homeId)}`)

export const savePassword = (db: Queryable, id: string, passwordHash: string) =>
  db.run(
    sql`update administrators set password_hash = ${passwordHash}, password_updated_at = now() where id = ${id}`,
  )

export const saveTotp = (
  db: Queryable,
  id: string,
  totp: {
    secret: string | null
    pending: string | null
    counter: number | null
    recoveryCodes: string[]
  },
) =>
  db.run(sql`
    update administrators
       set totp_secret = ${totp.secret}, totp_pending_secret = ${totp.pending}, totp_last_counter = ${totp.counter},
           recovery_code_hashes = ${totp.recoveryCodes}, totp_updated_at = now()
     where id = ${id}`)

// Links between administrators of a provider and its organizations ------------------------------------------

export interface LinkRow {
  id: string
  administrator_id: string
  organization: string
}

export const linkOrganizations = (
  db: CredentialTx,
  administratorId: string,
  links: { id: string; organization: string }[],
) =>
  db.run(sql`
    insert into administrator_organizations (administrator_id, id, organization)
    select ${administratorId}, id, organization
      from unnest(${links.map((link) => link.id)}::text[], ${links.map((link) => link.organization)}::text[]) as link (id, organization)
    on conflict do nothing`)

export const listLinksOfAdministrator = (
  db: Queryable,
  administratorId: string,
  organizationIds: Iterable<string>,
  limit: number,
  skip: number,
) =>
  db.many<LinkRow & { total: number }>(sql`
    select *, count(*) over () as total from administrator_organizations
     where administrator_id = ${administratorId} and organization = any(${[...organizationIds]}::text[])
     order by organization limit ${limit} offset ${skip}`)

export const listLinksOfOrganization = (
  db: Queryable,
  organizationId: string,
  limit: number,
  skip: number,
) =>
  db.many<LinkRow & { total: number }>(sql`
    select *, count(*) over () as total from administrator_organizations where organization = ${organizationId}
     order by administrator_id limit ${limit} offset ${skip}`)

export const deleteLink = (
  db: CredentialTx,
  administratorId: string,
  linkOrOrganizationId: string,
) =>
  db.one<LinkRow>(sql`
    delete from administrator_organizations
     where administrator_id = ${administratorId} and (organization = ${linkOrOrganizationId} or id = ${linkOrOrganizationId})
     returning *`)

export const organizationIdsOfAdministrator = (db: Queryable, administratorId: string) =>
  db.many<{ organization: string }>(
    sql`
      select organization from administrator_organizations
       where administrator_id = ${administratorId} and not is_deleted(organization)`,
  )

export const organizationIdsOfProvider = (db: Queryable, providerId: string) =>
  db.many<{ id: string }>(
    sql`select id from organizations where provider = ${providerId} and deleted_at is null`,
  )

/** Whether these are all organizations of the provider. */
export const reachesProvider = async (
  db: Queryable,
  providerId: string,
  organizationIds: string[],
): Promise<boolean> =>
  (await db.find(sql`
    select id from organizations
     where provider = ${providerId} and deleted_at is null and id <> all(${organizationIds}::text[]) limit 1`)) ===
  undefined

/** Linked to a new organization automatically: owners of the provider who can access all its other organizations. */
export const providerOwnerIds = (
  db: Queryable,
  providerId: string,
  ownerRoleId: string,
  newOrganizationId: string,
) =>
  db.many<{ id: string }>(sql`
    select a.id from administrators a
     where a.provider = ${providerId} and ${ownerRoleId} = any(a.role_ids) and not exists (
       select from organizations o
        where o.provider = ${providerId} and o.deleted_at is null and o.id <> ${newOrganizationId} and not exists (
          select from administrator_organizations l where l.administrator_id = a.id and l.organization = o.id))`)

/** The administrators who have the role, with all their roles. */
export const holdersOfRole = (db: Queryable, homeId: string, roleId: string) =>
  db.many<Pick<AdministratorRow, 'id' | 'organization' | 'provider' | 'role_ids'>>(sql`
    select a.id, a.organization, a.provider, a.role_ids from administrators a
     where ${livesIn(homeId)} and ${roleId} = any(a.role_ids)`)

/** Those of the organization, and those of its provider linked to it; `home` is the tenant of their roles. */
export const administratorsOf = (db: Queryable, organizationId: string) =>
  db.many<Pick<AdministratorRow, 'email' | 'role_ids'> & { home: string }>(sql`
    select a.email, a.role_ids, coalesce(a.organization, a.provider) as home from administrators a
     where not a.suspended and (a.organization = ${organizationId} or exists (
       select from administrator_organizations l
        where l.administrator_id = a.id and l.organization = ${organizationId}))
     order by lower(a.email)`)
