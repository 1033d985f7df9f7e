import { invalid } from '../platform/errors.ts'
import type { ListLimits } from '../platform/limits.ts'
import { textOf, texts } from '../platform/list/values.ts'
import type { MemberQuery } from './schema.ts'

/** One comparison. `not` inverts the result, so a member without the field then matches. */
export interface Condition {
  field: string
  operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'between' | 'contains' | 'starts' | 'ends'
  not: boolean
  value: unknown
}

interface Search {
  terms: string[]
  fields: string[]
}

/** A member matches when all conditions hold and the search, if any, finds it. */
export interface Rule {
  conditions: Condition[]
  search: Search | null
}

const QUERY_TYPES = ['Filter', 'FilterQuery', 'Search']

/** Operators of both forms of a rule. */
const OPERATORS = new Map<string, [Condition['operator'], boolean]>([
  ['eq', ['eq', false]],
  ['equals', ['eq', false]],
  ['ne', ['eq', true]],
  ['not_equals', ['eq', true]],
  ['gt', ['gt', false]],
  ['greater_than', ['gt', false]],
  ['ge', ['gte', false]],
  ['gte', ['gte', false]],
  ['greater_than_or_equal', ['gte', false]],
  ['lt', ['lt', false]],
  ['less_than', ['lt', false]],
  ['le', ['lte', false]],
  ['lte', ['lte', false]],
  ['less_than_or_equal', ['lte', false]],
  ['in', ['in', false]],
  ['nin', ['in', true]],
  ['not_in', ['in', true]],
  ['between', ['between', false]],
  ['co', ['contains', false]],
  ['nco', ['contains', true]],
  ['search', ['contains', false]],
  ['contains', ['contains', false]],
  ['not_contains', ['contains', true]],
  ['starts_with', ['starts', false]],
  ['not_starts_with', ['starts', true]],
  ['ends_with', ['ends', false]],
  ['not_ends_with', ['ends', true]],
])

export const bad = (where: string, message: string) =>
  invalid('bad_member_query', `memberQuery${where}: ${message}`)

/** Normalizes camelCase, spaces and dashes. */
const wordOf = (text: string): string =>
  text
    .replace(/^\$/, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()

function conditionOf(filter: unknown, at: number, bare: (name: string) => string): Condition {
  const where = `.filters[${at}]`
  const { field, operator, operation, value } = filter as Record<string, unknown>
  if (typeof field !== 'string' || field === '') throw bad(`${where}.field`, 'is required')
  const name = operator !== undefined ? 'operator' : 'operation'
  const word = operator ?? operation
  const known = typeof word === 'string' ? OPERATORS.get(wordOf(word)) : undefined
  if (!known) throw bad(`${where}.${name}`, `must be one of ${[...OPERATORS.keys()].join(', ')}`)
  if (value === undefined) throw bad(`${where}.value`, 'is required')
  const [compared, not] = known
  const several = compared === 'in' || compared === 'between'
  const list =
    several && !Array.isArray(value)
      ? textOf(value, `memberQuery${where}.value`).split(/[|,]/)
      : value
  if (!several && typeof list === 'object' && list !== null)
    throw bad(`${where}.value`, 'must be a single value')
  if (compared === 'between' && (list as unknown[]).length !== 2)
    throw bad(`${where}.value`, 'must be two values, the lower first')
  return { field: bare(field), operator: compared, not, value: list }
}

/**
 * Parses a rule in either form: v1 has `queryType` and `operator`; v2, selected by the header `x-query-dsl: v2`, has
 * no queryType, `operation` instead of `operator`, and fields like `user.email`.
 */
export function readMemberQuery(
  memberType: 'user' | 'system',
  query: MemberQuery,
  newer: boolean,
  { comparisons }: ListLimits,
): Rule {
  const { queryType, filters, searchFilters } = query
  if (queryType === undefined && !newer)
    throw bad('.queryType', `is required: must be one of ${QUERY_TYPES.join(', ')}`)
  if (queryType !== undefined && !QUERY_TYPES.includes(queryType))
    throw bad('.queryType', `must be one of ${QUERY_TYPES.join(', ')}`)
  if (filters && filters.length > comparisons)
    throw bad('.filters', `there may be at most ${comparisons} conditions`)
  const prefix = `${memberType}.`
  const bare = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name)
  const conditions = (filters ?? []).map((filter, at) => conditionOf(filter, at, bare))
  const { searchTerm, fields } = (searchFilters ?? {}) as { searchTerm?: unknown; fields?: unknown }
  const terms = texts(searchTerm, 'memberQuery.searchFilters.searchTerm')
  const names = texts(fields, 'memberQuery.searchFilters.fields')
  const search = terms.length === 0 ? null : { terms, fields: names.map(bare) }
  // A rule without conditions would match every user.
  if (conditions.length === 0 && search === null)
    throw bad('.filters', 'at least one condition is required')
  return { conditions, search }
}
