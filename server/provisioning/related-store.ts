import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

// Reads from tables of other slices.

/** Those of the users who are bound to the application now, directly or through a group. */
export async function boundAmong(
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.many<{ id: string }>(sql`
    select e.from_id::text as id from edges e
     where e.organization_id = ${organizationId} and e.from_type = 'user' and e.from_id = any(${userIds}::text[])
       and e.to_type = 'application' and e.to_id = ${applicationId} and e.valid_until is null
    union
    select m.to_id::text from edges m join edges e
        on e.organization_id = ${organizationId} and e.from_type = 'user_group' and e.from_id = m.from_id
       and e.to_type = 'application' and e.to_id = ${applicationId} and e.valid_until is null
     where m.organization_id = ${organizationId} and m.from_type = 'user_group' and m.to_type = 'user'
       and m.to_id = any(${userIds}::text[]) and m.valid_until is null`)
  return new Set(rows.map(({ id }) => id))
}

interface GroupName {
  id: string
  name: string
}

/** The user groups that are bound to the application. */
export const boundGroups = (db: Queryable, organizationId: string, applicationId: string) =>
  db.many<GroupName>(sql`
    select g.id::text as id, g.name
      from edges e join groups g
        on g.organization_id = ${organizationId} and g.type = 'user_group' and g.id = e.from_id and g.deleted_at is null
     where e.organization_id = ${organizationId} and e.from_type = 'user_group' and e.to_type = 'application'
       and e.to_id = ${applicationId} and e.valid_until is null
     order by g.id`)

/** Those of the applications that a user group is bound to. */
export const boundApplications = async (
  db: Queryable,
  organizationId: string,
  groupId: string,
  applicationIds: readonly string[],
): Promise<string[]> => {
  const rows = await db.many<{ id: string }>(sql`
    select to_id::text as id from edges
     where organization_id = ${organizationId} and from_type = 'user_group' and from_id = ${groupId}
       and to_type = 'application' and to_id = any(${applicationIds}::text[]) and valid_until is null
     order by to_id`)
  return rows.map(({ id }) => id)
}

/** The users who report to these directly. */
export const reportsOf = async (
  db: Queryable,
  organizationId: string,
  managerIds: readonly string[],
): Promise<string[]> => {
  const rows = await db.many<{ id: string }>(sql`
    select id::text as id from users
     where organization_id = ${organizationId} and manager = any(${managerIds}::text[]) and deleted_at is null`)
  return rows.map(({ id }) => id)
}

/** Whether the user group still exists, bound or not. */
export const groupExists = async (
  db: Queryable,
  organizationId: string,
  groupId: string,
): Promise<boolean> =>
  (await db.one(sql`
    select from groups where organization_id = ${organizationId} and type = 'user_group' and id = ${groupId}
       and deleted_at is null`)) !== undefined
