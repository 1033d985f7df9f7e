import { invalid } from '../platform/errors.ts'
import {
  all,
  compare,
  escapeLike,
  fieldOf,
  type Resource,
  search as searchIn,
} from '../platform/list/conditions.ts'
import { type Sql, sql } from '../platform/sql.ts'
import type { Condition, Rule } from './member-query.ts'

function conditionSql(resource: Resource, { field, operator, not, value }: Condition): Sql {
  const { column } = fieldOf(resource, field, 'filter')
  const holds = (): Sql => {
    switch (operator) {
      case 'starts':
        return sql`${column}::text ilike ${`${escapeLike(String(value))}%`}`
      case 'ends':
        return sql`${column}::text ilike ${`%${escapeLike(String(value))}`}`
      default:
        return compare(resource, field, operator, value)
    }
  }
  return not ? sql`not coalesce(${holds()}, false)` : sql`coalesce(${holds()}, false)`
}

/** The rule as a condition on the table of its members; a field that they do not have is named. */
export function ruleSql(resource: Resource, { conditions, search }: Rule): Sql {
  try {
    return all([
      ...conditions.map((condition) => conditionSql(resource, condition)),
      ...(search
        ? [
            searchIn(
              resource,
              search.terms,
              search.fields.length > 0 ? search.fields : (resource.searchFields ?? []),
            ),
          ]
        : []),
    ])
  } catch (error) {
    const message = (error as Error).message.replace(/^(filter|search): /, '')
    throw invalid('bad_member_query', `memberQuery.filters: ${message}`, { cause: error })
  }
}
