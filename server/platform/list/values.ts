import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { atMost } from './limits.ts'

// What clients write into queries and bodies: text, a list, or JSON of any other shape.

/** A single value as text; numbers and booleans are written as they are in JSON. */
export function textOf(value: unknown, parameter: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalid('bad_value', `${parameter}: must be text, or a list of texts`)
}

/** One or several; nothing is none. */
export function texts(value: unknown, parameter: string): string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value)
    ? value.map((item) => textOf(item, parameter))
    : [textOf(value, parameter)]
}

/** The different words of them, in their order. */
export const words = (value: unknown, separator: RegExp, parameter: string): string[] => [
  ...new Set(
    texts(value, parameter)
      .flatMap((text) => text.split(separator))
      .filter((word) => word !== ''),
  ),
]

/** A count such as `limit` and `skip`, of which a query has the digits. */
export function countOf(value: unknown, parameter: string): number {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof count !== 'number' || !(count >= 0))
    throw invalid('bad_value', `${parameter}: must be a number from 0`)
  return count
}

/** `fields`, the names of what shall be returned; null for all. */
export function readFields(value: unknown): string[] | null {
  const fields = words(value, /[\s,]+/, 'fields')
  return fields.length > 0 ? atMost(limits.list.fields, fields, 'fields', 'names') : null
}

/** Past the end of any list is past the end: the database knows no larger numbers than it can count to. */
export const offset = (skip: number): number => Math.min(skip, Number.MAX_SAFE_INTEGER)
