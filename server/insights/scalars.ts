// What clients send, read without trusting it: String() and Number() call methods that an object may bring along.

export type Scalar = string | number | boolean

export const isScalar = (value: unknown): value is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** The text of a plain value; empty for anything else. */
export const textOf = (value: unknown): string => (isScalar(value) ? String(value) : '')

/** A number, also as a text; NaN for anything else. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN

const MAX_SHOWN = 100

/** A value as an error message repeats it: enough to be recognized. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
