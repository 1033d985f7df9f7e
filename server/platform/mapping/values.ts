import { MAX_VALUE_LENGTH, MAX_WORK, type Scalar, type Value } from './schema.ts'

export const isMissing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)

/** Two values are equal when their texts differ in case only, as names in the directory; so "5" equals 5. */
export const fold = (value: Scalar): string => String(value).normalize().toLowerCase()

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Own members only: a path must not reach a prototype. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

const lengthOf = (value: Scalar): number => (typeof value === 'string' ? value.length : 1)
export const TOO_LONG = `is longer than ${MAX_VALUE_LENGTH} characters`
export const TOO_COSTLY = `takes more work than ${MAX_WORK} characters of one record`
const NO_VALUE = 'is an object, not a value'

export type Usable = { value: Value | undefined } | { problem: string }

/** To look at an element, whatever its length. */
export const ELEMENT_WORK = 8

/** The work for a value, as of MAX_WORK. */
export const workFor = (value: Value | undefined): number =>
  Array.isArray(value)
    ? value.reduce<number>((sum, element) => sum + ELEMENT_WORK + lengthOf(element), 0)
    : value === undefined
      ? 0
      : lengthOf(value)

function usableList(elements: readonly unknown[]): Usable {
  const list: Scalar[] = []
  let length = 0
  for (const element of elements) {
    // Each element counts as one more, so that a long list of nothing ends as well.
    length += 1
    if (!isMissing(element)) {
      if (!isScalar(element)) return { problem: NO_VALUE }
      length += lengthOf(element)
      list.push(element)
    }
    if (length > MAX_VALUE_LENGTH) return { problem: TOO_LONG }
  }
  return { value: list.length > 0 ? list : undefined }
}

/** A scalar, or a new list of scalars without the missing ones; records are untrusted and may hold anything. */
export function usable(raw: unknown): Usable {
  if (isMissing(raw)) return { value: undefined }
  if (Array.isArray(raw)) return usableList(raw)
  if (!isScalar(raw)) return { problem: NO_VALUE }
  return lengthOf(raw) > MAX_VALUE_LENGTH ? { problem: TOO_LONG } : { value: raw }
}
