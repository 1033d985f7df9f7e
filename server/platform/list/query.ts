import { Type } from 'typebox'
import { invalid } from '../errors.ts'
import { join, type Sql, sql } from '../sql.ts'
import { all, any, compare, fieldOf, type Operator, type Resource, search } from './conditions.ts'
import { offset } from './page.ts'

/** A list request, whichever convention it was written in. */
export interface ListQuery {
  where: Sql
  orderBy: Sql
  limit: number
  skip: number
  /** Null: every field. */
  fields: string[] | null
  /** Looks into texts: every row has to be read to count, so it is better done once. */
  searches: boolean
}

type Query = Record<string, unknown>

/** For OpenAPI and the typed client. `filter[0]=` and `filter[or][0]=` are read as well. */
const common = {
  limit: Type.Optional(Type.Integer({ minimum: 0, description: 'Records to return at once' })),
  skip: Type.Optional(Type.Integer({ minimum: 0, description: 'Offset into the records' })),
  sortIgnoreCase: Type.Optional(Type.String({ description: 'Like sort, without case' })),
}
export const ListQueryV1 = Type.Object({
  ...common,
  fields: Type.Optional(
    Type.String({ description: 'Space-separated names of the fields to return' }),
  ),
  sort: Type.Optional(
    Type.String({ description: 'Space-separated fields; a leading - turns the order' }),
  ),
  filter: Type.Optional(
    Type.Array(Type.String(), {
      description: 'field:$op:value with $eq $ne $gt $gte $lt $lte; several are combined with and',
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
      description: 'Comma-separated fields; a leading - turns the order',
    }),
  ),
  filter: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'field:op:value with eq ne gt ge lt le between search co nco in; several are combined with and',
    }),
  ),
  search: Type.Optional(Type.String({ description: 'Free text' })),
})

const OPERATORS_V1: Record<string, Operator> = {
  $eq: 'eq',
  $ne: 'ne',
  $gt: 'gt',
  $gte: 'gte',
  $lt: 'lt',
  $lte: 'lte',
}
const OPERATORS_V2: Record<string, Operator> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'gt',
  ge: 'gte',
  gte: 'gte',
  lt: 'lt',
  le: 'lte',
  lte: 'lte',
  between: 'between',
  search: 'contains',
  co: 'contains',
  in: 'in',
}
/** Those that hold where the other does not; a field without a value does not contain anything. */
const NEGATED_V2: Record<string, string> = { nco: 'co' }
const OPERATORS_BODY: Record<string, Operator> = { ...OPERATORS_V1, $in: 'in', $regex: 'regex' }

const texts = (value: unknown): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)]
const words = (value: unknown, separator: RegExp): string[] =>
  texts(value)
    .flatMap((text) => text.split(separator))
    .filter((word) => word !== '')

function operatorOf(table: Record<string, Operator>, operator: string, where: string): Operator {
  const known = Object.hasOwn(table, operator) ? table[operator] : undefined
  if (!known) {
    throw invalid(
      'unknown_operator',
      `filter: there is no operator "${operator}" (in ${where}); the operators are ${Object.keys(table).join(', ')}`,
    )
  }
  return known
}

/** field:op:value; only the first two colons separate, since dates contain more. */
function expression(text: string): [string, string, string] {
  const first = text.indexOf(':')
  const second = text.indexOf(':', first + 1)
  if (first < 1 || second < 0)
    throw invalid('bad_filter', `filter: "${text}" is not of the form field:operator:value`)
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)]
}

function filterV1(resource: Resource, text: string): Sql {
  const [name, operator, value] = expression(text)
  return compare(resource, name, operatorOf(OPERATORS_V1, operator, text), value)
}

function filterV2(resource: Resource, text: string): Sql {
  const [name, written, value] = expression(text)
  // Clients that know v1 send $eq here by mistake; some write operators in capitals.
  const word = written.replace(/^\$/, '').toLowerCase()
  const opposite = NEGATED_V2[word]
  if (opposite !== undefined)
    return sql`not coalesce(${compare(resource, name, OPERATORS_V2[opposite]!, value)}, false)`
  const operator = operatorOf(OPERATORS_V2, word, text)
  if (operator === 'in' || operator === 'between')
    return compare(resource, name, operator, value.split('|'))
  if (operator === 'eq' && value.includes('*')) return compare(resource, name, 'like', value)
  if (operator === 'ne' && value.includes('*'))
    return sql`not coalesce(${compare(resource, name, 'like', value)}, false)`
  return compare(resource, name, operator, value)
}

function orderBy(resource: Resource, names: string[], ignoreCase: string[]): Sql {
  const part = (name: string, fold: boolean): Sql => {
    const descending = name.startsWith('-')
    const { column, kind } = fieldOf(resource, name.replace(/^[-+]/, ''), 'sort')
    // "C": the same order on every database, whatever its locale.
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
  const most = resource.maxLimit ?? 100
  const asked = limit === undefined || limit === null ? 10 : Number(limit)
  // Zero means "no limit of mine".
  return { limit: asked === 0 ? most : Math.min(asked, most), skip: offset(Number(skip ?? 0)) }
}

function searchTerm(resource: Resource, value: unknown): Sql[] {
  if (value === undefined || value === null || value === '') return []
  let term = value
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      term = JSON.parse(value)
    } catch {
      throw invalid('bad_search', 'search: must be a JSON object with searchTerm and fields')
    }
  }
  if (typeof term === 'string') return [search(resource, [term], resource.searchFields ?? [])]
  const { searchTerm, fields } = term as { searchTerm?: unknown; fields?: unknown }
  const terms = texts(searchTerm).filter((text) => text !== '')
  if (terms.length === 0) return []
  const names = words(fields, /[\s,]+/)
  return [search(resource, terms, names.length > 0 ? names : (resource.searchFields ?? []))]
}

/** v1: `filter` once or repeated, `filter[0]`, and `filter[or][0]`. */
export function readListV1(resource: Resource, query: Query): ListQuery {
  const and = texts(query.filter)
  const or: string[] = []
  for (const [key, value] of Object.entries(query)) {
    if (/^filter\[(and\]\[)?\d*\]$/.test(key)) and.push(...texts(value))
    else if (/^filter\[or\]\[\d*\]$/.test(key)) or.push(...texts(value))
  }
  const filters = and.filter((text) => text !== '').map((text) => filterV1(resource, text))
  const alternatives = or.map((text) => filterV1(resource, text))
  const fields = words(query.fields, /[\s,]+/)
  const searches = searchTerm(resource, query.search)
  return {
    searches: searches.length > 0,
    where: all([...filters, ...(alternatives.length > 0 ? [any(alternatives)] : []), ...searches]),
    orderBy: orderBy(resource, words(query.sort, /[\s,]+/), words(query.sortIgnoreCase, /[\s,]+/)),
    ...paging(resource, query.limit, query.skip),
    fields: fields.length > 0 ? fields : null,
  }
}

/** v2: comma-separated lists everywhere. */
export function readListV2(resource: Resource, query: Query): ListQuery {
  const filters = words(query.filter, /,/).map((text) => filterV2(resource, text))
  const fields = words(query.fields, /[\s,]+/)
  const searches = searchTerm(resource, query.search)
  return {
    searches: searches.length > 0,
    where: all([...filters, ...searches]),
    orderBy: orderBy(resource, words(query.sort, /,/), words(query.sortIgnoreCase, /,/)),
    ...paging(resource, query.limit, query.skip),
    fields: fields.length > 0 ? fields : null,
  }
}

/** Body of the v1 search endpoints; `limit`, `skip` and `fields` may stand in the query as well. */
export const SearchBody = Type.Object(
  {
    filter: Type.Optional(
      Type.Unknown({
        description: '{"and": […]}, {"or": […]}, a list, or text in the form of v1 filters',
      }),
    ),
    searchFilter: Type.Optional(
      Type.Unknown({ description: '{"searchTerm": text or list, "fields": […]}' }),
    ),
    search: Type.Optional(Type.Unknown()),
    fields: Type.Optional(Type.Unknown({ description: 'Space-separated text or a list' })),
    sort: Type.Optional(Type.Unknown()),
    limit: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
    skip: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
  },
  { title: 'Search', additionalProperties: true },
)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function searchFilter(resource: Resource, filter: unknown, depth = 0): Sql {
  if (depth > 16) throw invalid('filter_too_deep', 'filter: nested deeper than 16 levels')
  if (typeof filter === 'string') return filterV1(resource, filter)
  if (Array.isArray(filter))
    return all(filter.map((part) => searchFilter(resource, part, depth + 1)))
  if (!isObject(filter)) throw invalid('bad_filter', 'filter: must be an object, a list or text')
  return all(
    Object.entries(filter).map(([key, value]) => {
      if (key === 'and' || key === 'or' || key === '$and' || key === '$or') {
        if (!Array.isArray(value)) throw invalid('bad_filter', `filter: ${key} must hold a list`)
        const parts = value.map((part) => searchFilter(resource, part, depth + 1))
        return key.endsWith('and') ? all(parts) : any(parts)
      }
      if (!isObject(value)) {
        return Array.isArray(value)
          ? compare(resource, key, 'in', value)
          : compare(resource, key, 'eq', value)
      }
      return all(
        Object.entries(value).map(([op, operand]) =>
          compare(
            resource,
            key,
            operatorOf(OPERATORS_BODY, op, key),
            op === '$in' ? texts(operand) : operand,
          ),
        ),
      )
    }),
  )
}

export function readSearch(resource: Resource, query: Query, body: Query): ListQuery {
  const list = readListV1(resource, {
    ...query,
    limit: body.limit ?? query.limit,
    skip: body.skip ?? query.skip,
    fields: body.fields ?? query.fields,
    sort: body.sort ?? query.sort,
    search: body.searchFilter ?? body.search ?? query.search,
  })
  return body.filter === undefined || body.filter === null
    ? list
    : { ...list, where: all([list.where, searchFilter(resource, body.filter)]) }
}
