import { join, type Sql, sql } from '../db/sql.ts'
import { invalid } from '../errors.ts'
import type { ListLimits } from '../limits.ts'
import { atMost, bounded, quoted, tooMany } from './limits.ts'
import { checkRegex } from './regex.ts'
import { textOf } from './values.ts'

export type FieldKind = 'string' | 'number' | 'boolean' | 'date'

export interface Field {
  column: Sql
  kind: FieldKind
  /** A stored case-folded column with byte-wise comparison, which is faster to search. */
  folded?: Sql
}

/** Fields a list may filter and sort by. Declared once per resource, for every list convention. */
export interface Resource {
  /** Wire name to column; dotted paths are plain names. */
  fields: Record<string, Field>
  /** Fields with dynamic names. */
  more?: (name: string) => Field | undefined
  defaultSort: string
  /** A unique column that makes every order total. */
  tieBreak: Sql
  /** Default fields of a free-text `search`. */
  searchFields?: string[]
  maxLimit?: number
}

export type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'between'
  | 'contains'
  | 'regex'
  | 'like'

const lookup = (
  resource: Resource,
  name: string,
  use: string,
  max: ListLimits,
): Field | undefined =>
  Object.hasOwn(resource.fields, name)
    ? resource.fields[name]
    : resource.more?.(bounded(name, use, max))

export const isField = (resource: Resource, name: string, max: ListLimits): boolean =>
  lookup(resource, name, 'sort', max) !== undefined

export function fieldOf(
  resource: Resource,
  name: string,
  use: 'filter' | 'sort' | 'search',
  max: ListLimits,
): Field {
  const field = lookup(resource, name, use, max)
  if (!field) {
    const known = Object.keys(resource.fields).join(', ')
    throw invalid(
      'unknown_field',
      `${use}: unknown field "${quoted(name)}"; must be one of ${known}`,
    )
  }
  return field
}

/** Custom attributes, stored as a list of names and values: `attributes.<name>`. */
export const attributesIn =
  (list: Sql) =>
  (name: string): Field | undefined => {
    const attribute = /^attributes\.(.+)$/.exec(name)?.[1]
    if (attribute === undefined) return undefined
    const column = sql`(select a ->> 'value' from jsonb_array_elements(${list}) a where a ->> 'name' = ${attribute} limit 1)`
    return { column, kind: 'string' }
  }

const FIRST_DATE = Date.parse('0001-01-01T00:00:00Z')
const LAST_DATE = Date.parse('9999-12-31T23:59:59.999Z')

/** Converts a value to the type of its column, from query text or JSON. */
function typed(name: string, kind: FieldKind, value: unknown, max: ListLimits): unknown {
  const bad = (wanted: string) =>
    invalid('bad_filter_value', `filter: ${name} must be compared with ${wanted}`)
  switch (kind) {
    case 'boolean':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw bad('true or false')
    case 'number': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number !== 'number' || !Number.isFinite(number)) throw bad('a number')
      return number
    }
    case 'date': {
      const date = typeof value === 'string' || typeof value === 'number' ? new Date(value) : null
      // PostgreSQL spells other years differently.
      if (!date || !(date.getTime() >= FIRST_DATE && date.getTime() <= LAST_DATE))
        throw bad('a date')
      return date.toISOString()
    }
    case 'string':
      if (typeof value === 'object' && value !== null) throw bad('a single value')
      return bounded(String(value), `filter: ${name}`, max)
  }
}

const cast: Record<FieldKind, Sql> = {
  string: sql`text`,
  number: sql`numeric`,
  boolean: sql`boolean`,
  date: sql`timestamptz`,
}

/** Uses a collation with case mapping for every script; columns themselves compare byte by byte. */
const words = (column: Sql): Sql => sql`${column}::text collate folding`

/** Case-insensitive. Lower case and byte comparison: `ilike` takes more than twice as long. */
export const like = (column: Sql, pattern: string): Sql =>
  sql`lower(${words(column)}) collate "C" like ${folding(sql`${pattern}::text`)}`
const folding = (text: Sql): Sql => sql`lower(${text} collate folding) collate "C"`

/** Contains any of the texts. They are one parameter, folded once for all rows. */
function contains({ column, folded }: Field, texts: string[]): Sql {
  const patterns = texts.map((text) => `%${escapeLike(text)}%`)
  if (patterns.length === 1)
    return folded ? sql`${folded} like fold(${patterns[0]}::text)` : like(column, patterns[0]!)
  const each = folded ? sql`fold(pattern)` : folding(sql`pattern`)
  return sql`${folded ?? sql`lower(${words(column)}) collate "C"`}
    like any (array(select ${each} from unnest(${patterns}::text[]) pattern))`
}

export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

export function compare(
  resource: Resource,
  name: string,
  operator: Operator,
  value: unknown,
  max: ListLimits,
): Sql {
  const field = fieldOf(resource, name, 'filter', max)
  const { column, kind } = field
  const one = (v: unknown) => sql`${typed(name, kind, v, max)}::${cast[kind]}`
  if (value === null && (operator === 'eq' || operator === 'ne')) {
    return operator === 'eq' ? sql`${column} is null` : sql`${column} is not null`
  }
  switch (operator) {
    case 'eq':
      return sql`${column} = ${one(value)}`
    case 'ne':
      return sql`${column} is distinct from ${one(value)}`
    case 'gt':
      return sql`${column} > ${one(value)}`
    case 'gte':
      return sql`${column} >= ${one(value)}`
    case 'lt':
      return sql`${column} < ${one(value)}`
    case 'lte':
      return sql`${column} <= ${one(value)}`
    case 'in': {
      const items = [...new Set(value as unknown[])]
      atMost(max.inValues, items, 'filter', `distinct values for ${name}`)
      const values = items.map((v) => typed(name, kind, v, max))
      return sql`${column} = any(${values}::${cast[kind]}[])`
    }
    case 'between': {
      const [from, to, ...more] = value as unknown[]
      if (to === undefined || more.length > 0) {
        throw invalid(
          'bad_filter_value',
          `filter: between requires two values for ${name}, such as ${name}:between:a|b`,
        )
      }
      return sql`${column} between ${one(from)} and ${one(to)}`
    }
    case 'contains':
      return contains(field, [single(name, value, max)])
    case 'like': {
      const text = single(name, value, max)
      const { wildcards } = max
      if (text.split('*').length - 1 > wildcards)
        throw tooMany(wildcards, 'filter', `wildcards in the value for ${name}`)
      return sql`${column}::text like ${escapeLike(text).replaceAll('*', '%')}`
    }
    case 'regex':
      if (typeof value !== 'string')
        throw invalid('bad_filter_value', `filter: $regex of ${name} must be a string`)
      checkRegex(name, value, max)
      // PostgreSQL understands the leading (?i) that clients send.
      return sql`${words(column)} ~ ${value}`
  }
}

/** A value for a text comparison, whatever the kind of its column. */
export const single = (name: string, value: unknown, max: ListLimits): string =>
  bounded(value === null ? 'null' : textOf(value, `filter: ${name}`), `filter: ${name}`, max)

export interface Search {
  terms: string[]
  fields: string[]
}

/** Any term in any field, case-insensitive. */
export function search(resource: Resource, terms: string[], names: string[], max: ListLimits): Sql {
  const wanted = atMost(max.terms, [...new Set(terms)], 'search', 'terms')
  for (const term of wanted) bounded(term, 'search', max)
  const fields = atMost(max.searchFields, [...new Set(names)], 'search', 'fields').map((name) =>
    fieldOf(resource, name, 'search', max),
  )
  if (wanted.length * fields.length > max.lookups)
    throw tooMany(max.lookups, 'search', 'terms times fields')
  if (wanted.length === 0 || fields.length === 0) return everything
  return sql`(${join(
    fields.map((field) => contains(field, wanted)),
    ' or ',
  )})`
}

/** No condition: the total of such a list may be known without counting. */
export const everything: Sql = sql`true`

export function all(parts: Sql[]): Sql {
  const conditions = parts.filter((part) => part !== everything)
  if (conditions.length === 0) return everything
  return join(
    conditions.map((p) => sql`(${p})`),
    ' and ',
  )
}
export const any = (parts: Sql[]): Sql =>
  parts.length === 0
    ? sql`true`
    : sql`(${join(
        parts.map((p) => sql`(${p})`),
        ' or ',
      )})`
