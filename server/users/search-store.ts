import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { Search } from '../platform/list/conditions.ts'

/** What the index users_by_words knows (migration 0035). */
const INDEXED = ['username', 'email', 'firstname', 'lastname', 'displayname']

/** More of them are not worth it: reading all users in order takes about as long. */
const MAX_CANDIDATES = 2000

/** Terms that the index can find: it knows sequences of three letters or digits, and bytes of other characters. */
const INDEXABLE = /[a-z0-9]{3}|[^\0-\x7f]/i

/**
 * The ids of the users that a search can match: those who have one of the terms in any indexed field. Row-level security
 * keeps LIKE from an index, so a function of the database searches it, in the tenant of the connection.
 */
export async function searchCandidates(
  db: Queryable,
  { terms, fields }: Search,
): Promise<string[] | null> {
  const indexed = fields.every((name) => INDEXED.includes(name))
  if (!indexed || !terms.every((term) => INDEXABLE.test(term))) return null
  const found = await db.many<{ id: string }>(
    sql`select id from search_users(${terms}::text[], ${MAX_CANDIDATES + 1}::int)`,
  )
  return found.length > MAX_CANDIDATES ? null : found.map(({ id }) => id)
}
