import { bad } from './member-query.ts'

type Json = Record<string, unknown>

function parsed(value: unknown, where: string): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw bad(where, 'is a string that is not JSON')
  }
}

/**
 * Rewrites forms of a rule that published clients send into that of the schema, before it is validated: the vendor's SDK
 * sends its parts as stringified JSON, and some clients send `filter` for `filters`.
 */
export function normalizeRule(body: unknown): void {
  const query = (body as Json | null)?.memberQuery as Json | null | undefined
  if (typeof query !== 'object' || query === null) return
  const { filter, filters = filter, searchFilters } = query
  if (filters !== undefined) {
    const list = parsed(filters, '.filters')
    query.filters = Array.isArray(list) ? list.map((one) => parsed(one, '.filters')) : list
  }
  if (searchFilters !== undefined) query.searchFilters = parsed(searchFilters, '.searchFilters')
  delete query.filter
}
