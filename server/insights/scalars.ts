// Safe conversion of client input: String() and Number() would call methods that an object may define.

export type Scalar = string | number | boolean

export const isScalar = (value: unknown): value is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** The text of a scalar; empty for anything else. */
export const textOf = (value: unknown): string => (isScalar(value) ? String(value) : '')

/** A number or numeric string; NaN for anything else. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN

const MAX_SHOWN = 100

/** A value for an error message, shortened. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
