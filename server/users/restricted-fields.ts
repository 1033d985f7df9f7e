import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../platform/errors.ts'
import { auditFields } from './records.ts'
import type { UserRow } from './store.ts'

/** Lists get new ids when they are written without; what stands in them counts. */
const plain = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(({ id: _, ...item }) => item) : value

const valuesOf = (row: UserRow): Record<string, unknown> => ({
  ...auditFields(row),
  password: row.password_hash,
})

/**
 * Fields that an authority outside owns are not changed here, or it would change them back. They are those that are
 * restricted before and after: who lifts a restriction may change the field along with it.
 */
export function checkRestricted(before: UserRow, after: UserRow): void {
  const kept = after.profile.restrictedFields ?? []
  const restricted = (before.profile.restrictedFields ?? []).filter(({ field }) =>
    kept.some((other) => other.field === field),
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
