import { type AppError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'

// How much one list may ask for. The statement made of it stays small, and so does the work for each row.

/** Refuses what has more items than that, and says which parameter it was. */
export function atMost<T>(most: number, items: T[], parameter: string, what: string): T[] {
  if (items.length > most) throw tooMany(most, parameter, what)
  return items
}

export const tooMany = (most: number, parameter: string, what: string): AppError =>
  invalid('too_many_values', `${parameter}: there may be at most ${most} ${what}`)

export function bounded(text: string, parameter: string): string {
  const { valueLength } = limits.list
  if (text.length > valueLength)
    throw invalid(
      'value_too_long',
      `${parameter}: a value may have at most ${valueLength} characters, and "${quoted(text)}" has ${text.length}`,
    )
  return text
}

const MAX_QUOTED = 100
/** What somebody sent, as an error tells it again. */
export const quoted = (text: string): string =>
  text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
