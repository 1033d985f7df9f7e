import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { forEachTenant } from '../platform/each-tenant.ts'
import type { Resource } from '../platform/list/conditions.ts'
import { readPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'

// Organizations and providers are global tables: every list takes the ids that the caller can access.

export interface OrganizationRow {
  id: string
  provider: string | null
  name: string
  logo_url: string | null
  settings: Record<string, unknown>
  max_system_users: number
  created: string
  deleted_at: string | null
}

export interface ProviderRow {
  id: string
  name: string
  contact: unknown
  disallow_org_creation: boolean
}

export const organizationResource: Resource = {
  fields: {
    _id: { column: sql`id`, kind: 'string' },
    id: { column: sql`id`, kind: 'string' },
    displayName: { column: sql`name`, kind: 'string' },
    name: { column: sql`name`, kind: 'string' },
    'settings.name': { column: sql`name`, kind: 'string' },
    logoUrl: { column: sql`logo_url`, kind: 'string' },
    maxSystemUsers: { column: sql`max_system_users`, kind: 'number' },
    created: { column: sql`created`, kind: 'date' },
  },
  defaultSort: 'displayName',
  tieBreak: sql`id`,
  searchFields: ['displayName'],
  maxLimit: 1000,
}

/** For callers who may see ids and names only. */
export const briefResource: Resource = {
  ...organizationResource,
  fields: Object.fromEntries(
    Object.entries(organizationResource.fields).filter(([name]) =>
      ['_id', 'id', 'displayName', 'name'].includes(name),
    ),
  ),
}

export const listOrganizations = (
  db: Queryable,
  organizationIds: Iterable<string>,
  list: ListQuery,
) =>
  readPage<OrganizationRow>(
    db,
    sql`*`,
    sql`organizations`,
    sql`deleted_at is null and id = any(${[...organizationIds]}::text[])`,
    list,
  )

export const listProviderOrganizations = (
  db: Queryable,
  providerId: string,
  organizationIds: Iterable<string>,
  list: ListQuery,
) =>
  readPage<OrganizationRow>(
    db,
    sql`*`,
    sql`organizations`,
    sql`deleted_at is null and provider = ${providerId} and id = any(${[...organizationIds]}::text[])`,
    list,
  )

export const organizationsOf = (
  db: Queryable,
  providerId: string,
  organizationIds: Iterable<string>,
) =>
  db.many<OrganizationRow>(sql`
    select * from organizations
     where provider = ${providerId} and id = any(${[...organizationIds]}::text[]) order by name, id`)

export const deletedOrganizationsOf = (db: Queryable, providerId: string) =>
  db.many<OrganizationRow & { deleted_at: string }>(sql`
    select * from organizations
     where provider = ${providerId} and deleted_at is not null order by deleted_at desc, id`)

/** Across all providers: for the operator only. */
export const listAllOrganizations = (db: Queryable) =>
  db.many<OrganizationRow & { provider_name: string | null }>(sql`
    select o.*, p.name as provider_name
      from organizations o left join providers p on p.id = o.provider
     order by p.name nulls first, o.name, o.id`)

/** Runs upkeep for every organization; see `forEachTenant`. */
export async function forEachOrganization(
  db: Queryable,
  work: (organizationId: string) => Promise<unknown>,
): Promise<void> {
  const rows = await db.many<{ id: string }>(
    sql`select id from organizations where deleted_at is null order by id`,
  )
  await forEachTenant(
    rows.map(({ id }) => id),
    work,
  )
}

export const findOrganization = (db: Queryable, organizationId: string) =>
  db.find<OrganizationRow>(
    sql`select * from organizations where id = ${organizationId} and deleted_at is null`,
  )

/** Also a deleted one. */
export const findAnyOrganization = (db: Queryable, organizationId: string) =>
  db.one<OrganizationRow>(sql`select * from organizations where id = ${organizationId}`)

/** Null restores it. */
export const markDeleted = (db: Queryable, organizationId: string, at: Date | null) =>
  db.run(sql`update organizations set deleted_at = ${at} where id = ${organizationId}`)

export const deletedBefore = (db: Queryable, before: Date) =>
  db.many<OrganizationRow>(
    sql`select * from organizations where deleted_at < ${before} order by deleted_at, id`,
  )

export const lockOrganization = (db: Queryable, organizationId: string) =>
  db.one<OrganizationRow>(sql`select * from organizations where id = ${organizationId} for update`)

export const insertOrganization = (
  db: Queryable,
  row: Pick<OrganizationRow, 'id' | 'provider' | 'name' | 'settings' | 'max_system_users'>,
) =>
  db.one<OrganizationRow>(sql`
    insert into organizations (id, provider, name, settings, max_system_users)
    values (${row.id}, ${row.provider}, ${row.name}, ${row.settings}, ${row.max_system_users})
    returning *`)

export const saveOrganization = (
  db: Queryable,
  { id, name, settings, max_system_users }: OrganizationRow,
) =>
  db.run(sql`
    update organizations set name = ${name}, settings = ${settings}, max_system_users = ${max_system_users}
     where id = ${id}`)

export const findProvider = (db: Queryable, providerId: string) =>
  db.find<ProviderRow>(
    sql`select id, name, contact, disallow_org_creation from providers where id = ${providerId}`,
  )

export const lockProvider = (db: Queryable, providerId: string) =>
  db.one<ProviderRow>(
    sql`select id, name, contact, disallow_org_creation from providers where id = ${providerId} for update`,
  )

export const insertProvider = (db: Queryable, id: string, name: string) =>
  db.run(sql`insert into providers (id, name) values (${id}, ${name})`)

export const saveProvider = (
  db: Queryable,
  { id, name, contact, disallow_org_creation }: ProviderRow,
) =>
  db.run(sql`
    update providers set name = ${name}, contact = ${contact === null ? null : JSON.stringify(contact)},
           disallow_org_creation = ${disallow_org_creation}
     where id = ${id}`)
