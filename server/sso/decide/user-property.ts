import type { User } from '../../users/index.ts'

type Json = Record<string, unknown>

const written = (value: unknown): string[] => {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)]
  return Array.isArray(value) ? value.flatMap(written) : []
}

/** Addresses and phone numbers are lists whose entries have a type: `addresses.work.locality`, `phoneNumbers.mobile`. */
function within(value: unknown, path: string[]): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (Array.isArray(value)) {
    const entry = value.find((candidate) => Object(candidate).type === name) as Json | undefined
    return rest.length === 0 ? entry?.number : within(entry, rest)
  }
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? within((value as Json)[name], rest)
    : undefined
}

/** Attributes that the organization has defined. */
const custom = (user: User, name: string): unknown =>
  user.attributes?.find((attribute) => attribute.name === name)?.value

/** The values of a user property as strings; empty if the user has none. */
export function propertyOf(user: User, name: string): string[] {
  if (name === 'fullname') return written(`${user.firstname ?? ''} ${user.lastname ?? ''}`.trim())
  const own = within(user, name.split('.'))
  const found = own === undefined || own === null ? custom(user, name) : own
  return written(found ?? custom(user, name.replace(/^(customAttributes|attributes)\./, '')))
}
