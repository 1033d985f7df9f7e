import { type AppError, invalid } from '../errors.ts'
import type { ListLimits } from '../limits.ts'

// Limits on one list request, to bound the size of its statement and the work per row.

/** Throws when there are too many items, naming the parameter. */
export function atMost<T>(max: number, items: T[], parameter: string, what: string): T[] {
  if (items.length > max) throw tooMany(max, parameter, what)
  return items
}

export const tooMany = (max: number, parameter: string, what: string): AppError =>
  invalid('too_many_values', `${parameter}: at most ${max} ${what} are allowed`)

export function bounded(text: string, parameter: string, { valueLength }: ListLimits): string {
  if (text.length > valueLength)
    throw invalid(
      'value_too_long',
      `${parameter}: a value may have at most ${valueLength} characters; "${quoted(text)}" has ${text.length}`,
    )
  return text
}

const MAX_QUOTED = 100
/** Client input, shortened for an error message. */
export const quoted = (text: string): string =>
  text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
