import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { UserRow } from './store.ts'

// Tables of other slices; only read here.

interface AdministratorLink {
  user_id: string
  id: string
  role_ids: string[]
}

/** Users who are also administrators of the organization, matched by e-mail address. */
export const administratorsAmong = (
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
) =>
  db.many<AdministratorLink>(sql`
    select u.id as user_id, a.id, a.role_ids
      from administrators a join users u on u.email_key = lower(a.email) collate "C"
     where a.organization = ${organizationId} and u.organization_id = ${organizationId}
       and u.id = any(${ids}::text[])`)

export const findAdministrator = (db: Queryable, organizationId: string, email: string) =>
  db.find<Pick<AdministratorLink, 'id' | 'role_ids'>>(sql`
    select id, role_ids from administrators
     where organization = ${organizationId} and lower(email) = lower(${email}) limit 1`)

/** A user and the administrator with the same address, in one statement because it is the most frequent read. */
export const findUserWithAdministrator = (db: Queryable, organizationId: string, id: string) =>
  db.find<UserRow & { admin_id: string | null; admin_role_ids: string[] }>(sql`
    select u.*, a.id as admin_id, a.role_ids as admin_role_ids
      from users u
      left join administrators a on lower(a.email) = u.email_key collate "default" and a.organization = ${organizationId}
     where u.organization_id = ${organizationId} and u.id = ${id} and u.deleted_at is null`)

/** The groups of each user, manual and dynamic. */
export const groupIdsOf = (db: Queryable, organizationId: string, ids: readonly string[]) =>
  db.many<{ user_id: string; group_ids: string[] }>(sql`
    select to_id as user_id, array_agg(from_id::text order by from_id) as group_ids from edges
     where organization_id = ${organizationId} and valid_until is null and from_type = 'user_group'
       and to_type = 'user' and to_id = any(${ids}::text[])
     group by to_id`)
