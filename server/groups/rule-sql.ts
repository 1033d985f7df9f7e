import { type Sql, sql } from '../platform/db/sql.ts'
import { invalid } from '../platform/errors.ts'
import type { ListLimits } from '../platform/limits.ts'
import {
  all,
  compare,
  escapeLike,
  fieldOf,
  like,
  type Resource,
  search as searchIn,
  single,
} from '../platform/list/conditions.ts'
import type { Condition, Rule } from './member-query.ts'

/** Fields whose name in rules differs from the record. */
const ALIASES = new Map([
  ['userState', 'state'],
  ['employee_id', 'employeeIdentifier'],
])

/** The v2 form of rules writes `user_job_title` for jobTitle, but `account_locked` is a field's real name. */
function nameIn({ fields }: Resource, field: string): string {
  const camel = field
    .replace(/^user_/, '')
    .replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
  return (
    [field, ALIASES.get(field), camel].find((name) => name && Object.hasOwn(fields, name)) ?? field
  )
}

/** Rules may use lower case and "active" for user states. */
const stateOf = (value: unknown): unknown =>
  typeof value !== 'string'
    ? value
    : value.toLowerCase() === 'active'
      ? 'ACTIVATED'
      : value.toUpperCase()

function valueFor(name: string, value: unknown): unknown {
  if (name !== 'state') return value
  return Array.isArray(value) ? value.map(stateOf) : stateOf(value)
}

function conditionSql(resource: Resource, condition: Condition, max: ListLimits): Sql {
  const { operator, not } = condition
  const field = nameIn(resource, condition.field)
  const value = valueFor(field, condition.value)
  const { column } = fieldOf(resource, field, 'filter', max)
  const holds = (): Sql => {
    switch (operator) {
      case 'starts':
        return like(column, `${escapeLike(single(field, value, max))}%`)
      case 'ends':
        return like(column, `%${escapeLike(single(field, value, max))}`)
      default:
        return compare(resource, field, operator, value, max)
    }
  }
  return not ? sql`not coalesce(${holds()}, false)` : sql`coalesce(${holds()}, false)`
}

/** Compiles the rule to a condition on the member table; an unknown field is named in the error. */
export function ruleSql(resource: Resource, { conditions, search }: Rule, max: ListLimits): Sql {
  try {
    return all([
      ...conditions.map((condition) => conditionSql(resource, condition, max)),
      ...(search
        ? [
            searchIn(
              resource,
              search.terms,
              search.fields.length > 0
                ? search.fields.map((field) => nameIn(resource, field))
                : (resource.searchFields ?? []),
              max,
            ),
          ]
        : []),
    ])
  } catch (error) {
    const message = (error as Error).message.replace(/^(filter|search): /, '')
    throw invalid('bad_member_query', `memberQuery.filters: ${message}`, { cause: error })
  }
}
