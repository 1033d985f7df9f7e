import { instantOf, localOf } from '../../../ui/time.ts'
import type { User } from '../user.ts'
import {
  CONTACT,
  EMPLOYMENT,
  type Flag,
  type ListField,
  MANAGED,
  type NumberField,
  OTHER,
  PERSON,
  RIGHTS,
  type SpecialField,
  type TextField,
} from './fields.ts'

type Row = Record<string, string>
type Restriction = NonNullable<User['restrictedFields']>[number]

/** What the form edits. Times are those of the fields of a browser. */
export type Profile = Record<TextField | SpecialField, string> &
  Record<Flag, boolean> &
  Record<NumberField, number | ''> &
  Record<ListField, Row[]> & {
    /** Id of a user; empty for none. */
    manager: string
    /** Names of the fields that another directory owns. */
    restrictedFields: string[]
  }

const FIELDS = [...PERSON, EMPLOYMENT, ...RIGHTS, MANAGED].flatMap(({ fields }) => fields)
const local = (time: string | null | undefined) => (time ? localOf(Date.parse(time)) : '')

const special = (user: User): Record<SpecialField, string> => ({
  recoveryEmail: user.recoveryEmail?.address ?? '',
  mfaFrom: user.mfa?.exclusion ? local(user.mfa.exclusionUntil) : '',
  external_password_expiration_date: local(user.external_password_expiration_date),
})

export function profileOf(user: User): Profile {
  const values: Record<string, unknown> = {
    ...special(user),
    manager: user.manager ?? '',
    restrictedFields: (user.restrictedFields ?? []).map(({ field }) => field),
  }
  for (const { kind, name } of FIELDS)
    if (!(name in values)) values[name] = user[name as keyof User] ?? (kind === 'flag' ? false : '')
  for (const { path, columns } of [...CONTACT, ...OTHER])
    values[path] = (user[path] ?? []).map((row) => ({
      ...Object.fromEntries(columns.map(({ name }) => [name, ''])),
      ...row,
    }))
  return values as Profile
}

/** The body of a request that makes these changes. */
export const bodyOf = ({ restrictedFields = [] }: User, changes: Partial<Profile>) =>
  Object.fromEntries(
    (Object.keys(changes) as (keyof Profile)[]).map((name) =>
      wireOf(name, changes as Profile, restrictedFields),
    ),
  )

/** A member of the record of the API and its value. */
function wireOf(name: keyof Profile, after: Profile, owned: Restriction[]): [string, unknown] {
  switch (name) {
    case 'recoveryEmail':
      return [name, { address: after[name] }]
    case 'mfaFrom': {
      const from = after[name]
      return ['mfa', { exclusion: from !== '', ...(from && { exclusionUntil: instantOf(from) }) }]
    }
    case 'external_password_expiration_date':
      return [name, after[name] && instantOf(after[name])]
    case 'unix_uid':
    case 'unix_guid':
      return [name, after[name] === '' ? null : after[name]]
    case 'restrictedFields':
      // Who owns a field stays as it is.
      return [
        name,
        after[name].map((field) => owned.find((each) => each.field === field) ?? { field }),
      ]
    default:
      return [name, after[name]]
  }
}
