import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../platform/errors.ts'
import { auditFields } from './records.ts'
import type { UserRow } from './store.ts'

/** Compares list items without ids, since items sent without an id get a new one. */
const plain = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(({ id: _, ...item }) => item) : value

const valuesOf = (row: UserRow): Record<string, unknown> => ({
  ...auditFields(row),
  password: row.password_hash,
})

/**
 * Refuses changes to fields that an external authority owns: it would change them back. Only fields restricted before
 * and after count, so a request that lifts a restriction may also change the field. The authority itself, given as
 * `owner`, may change its own fields.
 */
export function checkRestricted(before: UserRow, after: UserRow, owner?: string): void {
  const kept = after.profile.restrictedFields ?? []
  const restricted = (before.profile.restrictedFields ?? []).filter(
    ({ field, id }) =>
      (id === undefined || id !== owner) && kept.some((other) => other.field === field),
  )
  if (restricted.length === 0) return
  const [old, now] = [valuesOf(before), valuesOf(after)]
  const changed = restricted.find(
    ({ field }) => !isDeepStrictEqual(plain(old[field]), plain(now[field])),
  )
  if (changed)
    throw invalid(
      'field_restricted',
      `${changed.field}: is managed by ${changed.type ?? 'another directory'}; change it there, or lift the restriction (restrictedFields)`,
    )
}

export const isRestricted = ({ profile }: UserRow, field: string): boolean =>
  (profile.restrictedFields ?? []).some((restricted) => restricted.field === field)
