// A parsed search term: the tree that budgets, digests and SQL are derived from.

export const OPERATORS = {
  string: ['eq', 'ne', 'contains', 'startsWith', 'endsWith', 'in', 'not_in'],
  number: ['eq', 'ne', 'lt', 'gt', 'lte', 'gte', 'in', 'not_in'],
  timestamp: ['eq', 'before', 'after', 'in', 'not_in'],
  boolean: ['eq', 'ne', 'in', 'not_in'],
} as const
export type LeafKind = keyof typeof OPERATORS
export type Operator = (typeof OPERATORS)[LeafKind][number]

/** One value of a term; strings are folded, timestamps are milliseconds. */
export type Value = string | number | boolean

export type Term =
  | { type: 'and' | 'or'; terms: Term[] }
  | { type: 'not'; term: Term }
  | { type: 'leaf'; field: string; kinds: LeafKind[]; operator: Operator; values: Value[] }
