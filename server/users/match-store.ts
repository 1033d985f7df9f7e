import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { UserRow } from './store.ts'

/** Found for the key at this place of the list. */
type UserMatch = UserRow & { place: number; matched: 'email' | 'username' }

/** Users by any of these addresses and usernames, regardless of case; null entries match nobody. */
export const findMatches = (
  db: Queryable,
  organizationId: string,
  emails: readonly (string | null)[],
  usernames: readonly (string | null)[],
) =>
  db.many<UserMatch>(sql`
    select u.*, k.place::int, 'email' as matched
      from unnest(${emails}::text[]) with ordinality as k (value, place)
      join users u on u.organization_id = ${organizationId} and u.email_key = lower(k.value) and u.deleted_at is null
    union all
    select u.*, k.place::int, 'username' as matched
      from unnest(${usernames}::text[]) with ordinality as k (value, place)
      join users u on u.organization_id = ${organizationId} and u.username_key = fold(k.value) and u.deleted_at is null`)
