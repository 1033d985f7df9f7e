import { identifier, join, type Sql, sql } from '../../platform/db/sql.ts'
import type { Term } from '../query/search-tree.ts'
import { markOf } from './digest.ts'
import { needlesOf, wholesOf } from './match.ts'

/** The digests `d` with one of the texts in the list of the field, or among its marks. */
function listed(
  organizationIds: readonly string[],
  field: string,
  column: 'list' | 'marks',
  texts: string[],
): Sql {
  const any = join(
    texts.map((text) => sql`strpos(l.${identifier(column)}, ${text}) > 0`),
    ' or ',
  )
  return sql`(d.organization_id, d.from_time) in (
    select l.organization_id, l.from_time from event_digest_lists l
     where l.organization_id = any(${organizationIds}::text[]) and l.field = ${field}
       and l.from_time >= (select earliest from reach) and (l.list is null or ${any}))`
}

/** Each is a subquery of its own. */
const MAX_PARTS = 50

/**
 * The condition on a digest `d` that it may hold a matching event; null when it always may. A table `reach`
 * with the earliest digest in question must be at hand.
 */
export function digestCondition(organizationIds: readonly string[], term: Term): Sql | null {
  if (term.type === 'not') return null
  if (term.type === 'leaf') {
    const texts = needlesOf(term)
    if (texts === null) return null
    if (texts.length === 0) return sql`false`
    const wholes = wholesOf(term)
    return wholes
      ? listed(organizationIds, term.field, 'marks', wholes.map(markOf))
      : listed(organizationIds, term.field, 'list', texts)
  }
  const parts = term.terms.map((part) => digestCondition(organizationIds, part))
  const known = parts.filter((part) => part !== null)
  if (known.length === 0) return null
  if (term.type === 'and') return sql`(${join(known.slice(0, MAX_PARTS), ' and ')})`
  if (known.length < parts.length || known.length > MAX_PARTS) return null
  return sql`(${join(known, ' or ')})`
}
