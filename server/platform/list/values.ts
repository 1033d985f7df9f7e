import { invalid } from '../errors.ts'
import type { ListLimits } from '../limits.ts'
import { atMost } from './limits.ts'

// Client input in queries and bodies: a string, a list, or any other JSON.

/** A single value as text; numbers and booleans in their JSON form. */
export function textOf(value: unknown, parameter: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalid('bad_value', `${parameter}: must be a string or an array of strings`)
}

/** One or several strings; none when absent. */
export function texts(value: unknown, parameter: string): string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value)
    ? value.map((item) => textOf(item, parameter))
    : [textOf(value, parameter)]
}

/** Distinct words, in order. */
export const words = (value: unknown, separator: RegExp, parameter: string): string[] => [
  ...new Set(
    texts(value, parameter)
      .flatMap((text) => text.split(separator))
      .filter((word) => word !== ''),
  ),
]

/** A count such as `limit` or `skip`; digits in a query, a number in a body. */
export function countOf(value: unknown, parameter: string): number {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof count !== 'number' || !(count >= 0))
    throw invalid('bad_value', `${parameter}: must be a non-negative integer`)
  return count
}

/** `fields`, the names of the fields to return; null for all. */
export function readFields(value: unknown, max: ListLimits): string[] | null {
  const fields = words(value, /[\s,]+/, 'fields')
  return fields.length > 0 ? atMost(max.fields, fields, 'fields', 'names') : null
}

/** Clamp: PostgreSQL rejects offsets above 2^63−1. */
export const offset = (skip: number): number => Math.min(skip, Number.MAX_SAFE_INTEGER)
