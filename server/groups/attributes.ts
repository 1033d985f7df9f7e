import { readSudo } from '../graph/index.ts'
import { invalid } from '../platform/errors.ts'
import type { GroupType } from './store.ts'

export type Attributes = Record<string, unknown>

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

const posix = (value: unknown): string =>
  JSON.stringify((value as { id: number; name: string }[]).map(({ id, name }) => [id, name]))

/**
 * The attributes of a group after a write; null when none are set. The LDAP name is the group's name at creation and
 * does not follow a rename. The POSIX group never changes once set, because files on systems belong to its gid.
 */
export function attributesAfter(
  type: GroupType,
  name: string,
  before: Attributes | null | undefined,
  sent: Attributes | null | undefined,
): Attributes | null {
  const after: Attributes = readSudo({ ...sent })
  if (type === 'user_group') {
    if (!isSet(after.ldapGroups)) after.ldapGroups = before?.ldapGroups ?? [{ name }]
    if (isSet(before?.posixGroups)) {
      if (after.posixGroups === undefined) after.posixGroups = before?.posixGroups
      else if (!isSet(after.posixGroups) || posix(after.posixGroups) !== posix(before?.posixGroups))
        throw invalid(
          'posix_groups_fixed',
          'attributes.posixGroups: existing attribute posixGroups may not be changed',
        )
    }
  }
  return Object.keys(after).length === 0 ? null : after
}
