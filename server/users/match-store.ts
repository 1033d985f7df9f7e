import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'

/** Found for the key at this place of the list, which begins with 1. */
interface UserMatch {
  id: string
  place: number
  matched: 'email' | 'username'
}

/**
 * The ids of users by any of these addresses and usernames, regardless of case; null entries match nobody. The keys are computed
 * first: row-level security lets an index be used only for comparisons that call no other function.
 */
export const findMatches = (
  db: Queryable,
  organizationId: string,
  emails: readonly (string | null)[],
  usernames: readonly (string | null)[],
) => {
  const living = (key: Sql) =>
    sql`users u on u.organization_id = ${organizationId} and ${key} = k.key and u.deleted_at is null`
  return db.many<UserMatch>(sql`
    with emails as materialized (
      select lower(value) as key, place from unnest(${emails}::text[]) with ordinality as e (value, place)),
    usernames as materialized (
      select fold(value) as key, place from unnest(${usernames}::text[]) with ordinality as n (value, place))
    select u.id, k.place::int, 'email' as matched from emails k join ${living(sql`u.email_key`)}
    union all
    select u.id, k.place::int, 'username' as matched from usernames k join ${living(sql`u.username_key`)}`)
}

/** Users by their employee identifiers, which are compared exactly. */
export const findByEmployeeIdentifiers = (
  db: Queryable,
  organizationId: string,
  identifiers: readonly string[],
) =>
  db.many<{ id: string; identifier: string }>(sql`
    select id, employee_identifier as identifier from users
     where organization_id = ${organizationId} and employee_identifier = any(${identifiers}::text[])
       and deleted_at is null`)
