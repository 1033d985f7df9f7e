import { Type } from 'typebox'
import { join, type Sql, sql } from '../db/sql.ts'
import { invalid } from '../errors.ts'
import type { ListLimits } from '../limits.ts'
import { all, any, fieldOf, isField, type Resource, type Search, search } from './conditions.ts'
import { filterBody, filterV1, filterV2 } from './filters.ts'
import { atMost } from './limits.ts'
import { countOf, offset, readFields, texts, words } from './values.ts'

/** A parsed list request, independent of its convention. */
export interface ListQuery {
  where: Sql
  orderBy: Sql
  limit: number
  skip: number
  /** Null for every field. */
  fields: string[] | null
  /** The free-text search in `where`, or null. */
  search: Search | null
}

type Query = Record<string, unknown>

/** For OpenAPI and the typed client. `filter[0]=` and `filter[or][0]=` are accepted too. */
const common = {
  limit: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Maximum number of records to return' }),
  ),
  skip: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of records to skip' })),
  sortIgnoreCase: Type.Optional(Type.String({ description: 'Like sort, but case-insensitive' })),
}
export const ListQueryV1 = Type.Object({
  ...common,
  fields: Type.Optional(
    Type.String({ description: 'Space-separated names of the fields to return' }),
  ),
  sort: Type.Optional(
    Type.String({ description: 'Space-separated fields; a leading - sorts descending' }),
  ),
  filter: Type.Optional(
    Type.Array(Type.String(), {
      description: 'field:$op:value with $eq $ne $gt $gte $lt $lte; several are combined with AND',
    }),
  ),
  search: Type.Optional(Type.String({ description: 'JSON: {"searchTerm": …, "fields": […]}' })),
})
export const ListQueryV2 = Type.Object({
  ...common,
  fields: Type.Optional(
    Type.Array(Type.String(), { description: 'Comma-separated names of the fields to return' }),
  ),
  sort: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Comma-separated fields; a leading - sorts descending',
    }),
  ),
  filter: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'field:op:value with eq ne gt ge lt le between search co nco in; several are combined with AND',
    }),
  ),
  search: Type.Optional(Type.String({ description: 'Free text' })),
})

type Sorts = [names: string[], ignoreCase: string[]]
const fieldNameOf = (sort: string): string => sort.replace(/^[-+]/, '')

function orderBy(resource: Resource, [names, ignoreCase]: Sorts, max: ListLimits): Sql {
  const part = (name: string, fold: boolean): Sql => {
    const descending = name.startsWith('-')
    const { column, kind } = fieldOf(resource, fieldNameOf(name), 'sort', max)
    // "C": the same order on every database, regardless of locale.
    const key =
      kind !== 'string'
        ? column
        : fold
          ? sql`fold(${column}::text) collate "C"`
          : sql`${column}::text collate "C"`
    return descending ? sql`${key} desc nulls last` : sql`${key} asc nulls first`
  }
  const chosen = [
    ...names.map((name) => part(name, false)),
    ...ignoreCase.map((name) => part(name, true)),
  ]
  if (chosen.length === 0) chosen.push(part(resource.defaultSort, false))
  return join([...chosen, resource.tieBreak], ', ')
}

function paging(
  resource: Resource,
  limit: unknown,
  skip: unknown,
): { limit: number; skip: number } {
  const max = resource.maxLimit ?? 100
  const asked = countOf(limit ?? 10, 'limit')
  // Zero means the maximum.
  return {
    limit: asked === 0 ? max : Math.min(asked, max),
    skip: offset(countOf(skip ?? 0, 'skip')),
  }
}

function readTerms(resource: Resource, value: unknown): Search | null {
  if (value === undefined || value === null || value === '') return null
  let term = value
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      term = JSON.parse(value)
    } catch {
      throw invalid('bad_search', 'search: must be a JSON object with searchTerm and fields')
    }
  }
  const byDefault = resource.searchFields ?? []
  if (typeof term === 'string') return { terms: [term], fields: byDefault }
  const { searchTerm, fields } = term as { searchTerm?: unknown; fields?: unknown }
  const terms = texts(searchTerm, 'search').filter((text) => text !== '')
  if (terms.length === 0) return null
  const names = words(fields, /[\s,]+/, 'search')
  return { terms, fields: names.length > 0 ? names : byDefault }
}

const searching = (resource: Resource, found: Search | null, max: ListLimits): Sql[] =>
  found ? [search(resource, found.terms, found.fields, max)] : []

const comparisons = (filters: string[], max: ListLimits): string[] =>
  atMost(max.comparisons, filters, 'filter', 'comparisons')

const sorts = (query: Query, separator: RegExp, max: ListLimits): Sorts => {
  const some = (name: 'sort' | 'sortIgnoreCase') =>
    atMost(max.sorts, words(query[name], separator, name), name, 'fields')
  return [some('sort'), some('sortIgnoreCase')]
}

/** Older clients rely on v1 ignoring fields that it does not know. */
const knownSorts = (resource: Resource, sent: Sorts, max: ListLimits): Sorts =>
  sent.map((names) => names.filter((name) => isField(resource, fieldNameOf(name), max))) as Sorts

/** v1: `filter` once or repeated, `filter[0]`, and `filter[or][0]`. */
export function readListV1(resource: Resource, query: Query, max: ListLimits): ListQuery {
  const and = texts(query.filter, 'filter')
  const or: string[] = []
  for (const [key, value] of Object.entries(query)) {
    if (/^filter\[(and\]\[)?\d*\]$/.test(key)) and.push(...texts(value, 'filter'))
    else if (/^filter\[or\]\[\d*\]$/.test(key)) or.push(...texts(value, 'filter'))
  }
  comparisons([...and, ...or], max)
  const filters = and.filter((text) => text !== '').map((text) => filterV1(resource, text, max))
  const alternatives = or.map((text) => filterV1(resource, text, max))
  const wanted = readTerms(resource, query.search)
  return {
    search: wanted,
    where: all([
      ...filters,
      ...(alternatives.length > 0 ? [any(alternatives)] : []),
      ...searching(resource, wanted, max),
    ]),
    orderBy: orderBy(resource, knownSorts(resource, sorts(query, /[\s,]+/, max), max), max),
    ...paging(resource, query.limit, query.skip),
    fields: readFields(query.fields, max),
  }
}

/** v2: comma-separated lists everywhere. */
export function readListV2(resource: Resource, query: Query, max: ListLimits): ListQuery {
  const filters = comparisons(words(query.filter, /,/, 'filter'), max).map((text) =>
    filterV2(resource, text, max),
  )
  const wanted = readTerms(resource, query.search)
  return {
    search: wanted,
    where: all([...filters, ...searching(resource, wanted, max)]),
    orderBy: orderBy(resource, sorts(query, /,/, max), max),
    ...paging(resource, query.limit, query.skip),
    fields: readFields(query.fields, max),
  }
}

/** Body of the v1 search endpoints; `limit`, `skip` and `fields` are also accepted in the query. */
export const SearchBody = Type.Object(
  {
    filter: Type.Optional(
      Type.Unknown({
        description: '{"and": […]}, {"or": […]}, an array, or a string in v1 filter syntax',
      }),
    ),
    searchFilter: Type.Optional(
      Type.Unknown({ description: '{"searchTerm": string or array, "fields": […]}' }),
    ),
    search: Type.Optional(Type.Unknown()),
    fields: Type.Optional(Type.Unknown({ description: 'Space-separated string or an array' })),
    sort: Type.Optional(Type.Unknown()),
    limit: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
    skip: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
  },
  { title: 'Search', additionalProperties: true },
)

export function readSearch(
  resource: Resource,
  query: Query,
  body: Query,
  max: ListLimits,
): ListQuery {
  const merged = {
    ...query,
    limit: body.limit ?? query.limit,
    skip: body.skip ?? query.skip,
    fields: body.fields ?? query.fields,
    sort: body.sort ?? query.sort,
    search: body.searchFilter ?? body.search ?? query.search,
  }
  const list = readListV1(resource, merged, max)
  return body.filter === undefined || body.filter === null
    ? list
    : { ...list, where: all([list.where, filterBody(resource, body.filter, max)]) }
}
