import type { components } from '../../../../client/index.ts'
import { fieldNamed, type RuleField } from './rule-fields.ts'

export type MemberQuery = components['schemas']['MemberQuery']

type Kind = RuleField['kind']

interface OperatorEntry {
  label: string
  /** As the API takes it: the first is written, the others are read. */
  words: string[]
  kinds: Kind[]
  /** How many values; `many` is a list. */
  values: 0 | 1 | 2 | 'many'
}

const every: Kind[] = ['text', 'flag', 'number', 'date', 'choice']
const ordered: Kind[] = ['number', 'date']

export const OPERATORS = {
  eq: { label: 'is', words: ['eq', 'equals'], kinds: every, values: 1 },
  ne: {
    label: 'is not',
    words: ['ne', 'not_equals'],
    kinds: ['text', 'number', 'choice'],
    values: 1,
  },
  in: { label: 'is one of', words: ['in'], kinds: ['text', 'number', 'choice'], values: 'many' },
  nin: {
    label: 'is none of',
    words: ['nin', 'not_in'],
    kinds: ['text', 'number', 'choice'],
    values: 'many',
  },
  contains: { label: 'contains', words: ['contains', 'co', 'search'], kinds: ['text'], values: 1 },
  not_contains: {
    label: 'does not contain',
    words: ['not_contains', 'nco'],
    kinds: ['text'],
    values: 1,
  },
  starts_with: { label: 'starts with', words: ['starts_with'], kinds: ['text'], values: 1 },
  not_starts_with: {
    label: 'does not start with',
    words: ['not_starts_with'],
    kinds: ['text'],
    values: 1,
  },
  ends_with: { label: 'ends with', words: ['ends_with'], kinds: ['text'], values: 1 },
  not_ends_with: {
    label: 'does not end with',
    words: ['not_ends_with'],
    kinds: ['text'],
    values: 1,
  },
  gt: { label: 'is after', words: ['gt', 'greater_than'], kinds: ordered, values: 1 },
  gte: {
    label: 'is at or after',
    words: ['gte', 'ge', 'greater_than_or_equal'],
    kinds: ordered,
    values: 1,
  },
  lt: { label: 'is before', words: ['lt', 'less_than'], kinds: ordered, values: 1 },
  lte: {
    label: 'is at or before',
    words: ['lte', 'le', 'less_than_or_equal'],
    kinds: ordered,
    values: 1,
  },
  between: { label: 'is between', words: ['between'], kinds: ordered, values: 2 },
  empty: { label: 'is empty', words: [], kinds: ['text'], values: 0 },
  filled: { label: 'is not empty', words: [], kinds: ['text'], values: 0 },
} as const satisfies Record<string, OperatorEntry>

export type Operator = keyof typeof OPERATORS
const NAMES = Object.keys(OPERATORS) as Operator[]
const entryOf = (operator: Operator): OperatorEntry => OPERATORS[operator]

const NUMBER_LABELS: Partial<Record<Operator, string>> = {
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
}

/** Those that suit a field, and the one that a rule of another client has. */
export const operatorsFor = ({ kind }: RuleField, chosen: Operator) =>
  NAMES.filter((name) => name === chosen || entryOf(name).kinds.includes(kind)).map((value) => ({
    value,
    label: (kind === 'number' && NUMBER_LABELS[value]) || OPERATORS[value].label,
  }))

export interface Condition {
  field: string
  operator: Operator
  values: string[]
}

/** All conditions hold, and one of the terms is in one of the fields. */
export interface Rule {
  conditions: Condition[]
  search: { terms: string[]; fields: string[] } | null
}

/** As the API reads operators: in any case and spelling. */
const wordOf = (text: string): string =>
  text
    .replace(/^\$/, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()

const texts = (value: unknown): string[] =>
  value === undefined || value === null || value === '' ? [] : [value].flat().map(String)

function conditionOf(filter: Record<string, unknown>, prefix: RegExp): Condition {
  const { field, operator, operation = operator, value } = filter
  const word = wordOf(String(operation))
  const found = NAMES.find((name) => entryOf(name).words.includes(word)) ?? 'eq'
  const blank = value === null || value === ''
  const shown = blank && found === 'eq' ? 'empty' : blank && found === 'ne' ? 'filled' : found
  const listed = ['many', 2].includes(entryOf(shown).values as never)
  return {
    field: String(field).replace(prefix, ''),
    operator: shown,
    values: listed && typeof value === 'string' ? value.split(/[|,]/) : texts(value),
  }
}

/** Reads a rule of either form. */
export function ruleOf(type: 'user' | 'system', query: MemberQuery | null | undefined): Rule {
  const prefix = new RegExp(`^${type}\\.`)
  const { searchTerm, fields } = (query?.searchFilters ?? {}) as Record<string, unknown>
  const terms = texts(searchTerm)
  return {
    conditions: (query?.filters ?? []).map((filter) => conditionOf(filter, prefix)),
    search:
      terms.length === 0
        ? null
        : { terms, fields: texts(fields).map((name) => name.replace(prefix, '')) },
  }
}

function filterOf(fields: RuleField[], { field, operator, values }: Condition) {
  const { nullable } = fieldNamed(fields, field)
  if (operator === 'empty' || operator === 'filled')
    return { field, operator: operator === 'empty' ? 'eq' : 'ne', value: nullable ? null : '' }
  const entry = entryOf(operator)
  return { field, operator: entry.words[0], value: entry.values === 1 ? values[0] : values }
}

const isWhole = ({ field, operator, values }: Condition): boolean => {
  const wanted = entryOf(operator).values
  const given = values.filter((value) => value !== '').length
  return field !== '' && (wanted === 'many' ? given > 0 : given >= wanted)
}

/** The rule for the API, of the conditions that have their values so far; null while there are none. */
export function queryOf(fields: RuleField[], { conditions, search }: Rule): MemberQuery | null {
  const whole = conditions.filter(isWhole)
  const searching = search && search.terms.length > 0
  if (whole.length === 0 && !searching) return null
  return {
    queryType: whole.length > 0 ? 'FilterQuery' : 'Search',
    ...(whole.length > 0 && { filters: whole.map((condition) => filterOf(fields, condition)) }),
    ...(searching && {
      searchFilters: {
        searchTerm: search.terms,
        ...(search.fields.length > 0 && { fields: search.fields }),
      },
    }),
  }
}

/** Whether something is still missing. */
export const isUnfinished = ({ conditions, search }: Rule): boolean =>
  !conditions.every(isWhole) || (search !== null && search.terms.length === 0)

/** A rule without a type is in the newer form, which the API takes only with this header. */
export const headersFor = (query: MemberQuery | null | undefined) =>
  query && query.queryType === undefined ? { header: { 'x-query-dsl': 'v2' } } : {}
