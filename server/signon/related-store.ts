import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

// Reads from tables of other slices.

/**
 * Names of the groups that bind the user to the application. Fixed text, prepared once, because it is read during
 * sign-on: the graph would compile its chains each time.
 */
export const groupNamesFor = (
  db: Queryable,
  organizationId: string,
  userId: string,
  applicationId: string,
) =>
  db.many<{ name: string }>(sql`
    select g.name
      from edges m
      join edges e on e.organization_id = ${organizationId} and e.from_type = 'user_group' and e.from_id = m.from_id
       and e.to_type = 'application' and e.to_id = ${applicationId} and e.valid_until is null
      join groups g on g.organization_id = ${organizationId} and g.type = 'user_group' and g.id = m.from_id
       and g.deleted_at is null
     where m.organization_id = ${organizationId} and m.from_type = 'user_group' and m.to_type = 'user'
       and m.to_id = ${userId} and m.valid_until is null
     order by lower(g.name)`)
