import { type AppError, invalid } from '../errors.ts'

// How much one list may ask for. The statement made of it stays small, and so does the work for each row.

/** Comparisons of one request, in filters as in rules. */
export const MAX_COMPARISONS = 200
/** Filters within filters. */
export const MAX_FILTER_DEPTH = 16
/** Values of one `in`: they are one parameter, and looked up rather than gone through. */
export const MAX_IN_VALUES = 10_000
/** Characters of a name, a value or a term. */
const MAX_TEXT = 1024
/** Wildcards of one value: each of them is tried at every place behind the one before. */
export const MAX_WILDCARDS = 10
export const MAX_TERMS = 50
export const MAX_SEARCH_FIELDS = 50
/** Terms times fields: each term is looked for in each field of each row. */
export const MAX_LOOKUPS = 500
export const MAX_SORTS = 10
/** Names in `fields`. */
export const MAX_FIELDS = 200

/** Refuses what has more items than that, and says which parameter it was. */
export function atMost<T>(most: number, items: T[], parameter: string, what: string): T[] {
  if (items.length > most) throw tooMany(most, parameter, what)
  return items
}

export const tooMany = (most: number, parameter: string, what: string): AppError =>
  invalid('too_many_values', `${parameter}: there may be at most ${most} ${what}`)

export function bounded(text: string, parameter: string): string {
  if (text.length > MAX_TEXT)
    throw invalid(
      'value_too_long',
      `${parameter}: a value may have at most ${MAX_TEXT} characters, and "${quoted(text)}" has ${text.length}`,
    )
  return text
}

const MAX_QUOTED = 100
/** What somebody sent, as an error tells it again. */
export const quoted = (text: string): string =>
  text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
