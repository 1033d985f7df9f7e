import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Change, changesBetween } from '../insights/index.ts'
import { PROFILE_DEFAULTS } from './fields.ts'
import type { Enrollment, User } from './schema.ts'
import type { UserRow } from './store.ts'

/** The user as the resource of an event. */
export const resourceOf = ({ id, username }: Pick<UserRow, 'id' | 'username'>) => ({
  type: 'user',
  id,
  username,
})

/** The enrolment status of the second factor. */
function enrollmentOf(row: UserRow, now: number): Enrollment {
  if (row.totp_secret !== null) return 'ENROLLED'
  const { mfa, enable_user_portal_multifactor: required } = row.profile
  if (!required && !mfa?.exclusion) return 'DISABLED'
  if (row.state === 'STAGED') return 'PRE_ENROLLMENT'
  if (row.password_hash === null) return 'PENDING_ACTIVATION'
  if (mfa?.exclusionUntil)
    return Date.parse(mfa.exclusionUntil) > now ? 'IN_ENROLLMENT' : 'ENROLLMENT_EXPIRED'
  return 'NOT_ENROLLED'
}

function mfaOf(
  row: UserRow,
  now: number,
): Required<Pick<User, 'mfa' | 'mfaEnrollment' | 'totp_enabled'>> {
  const enrolled = row.totp_secret !== null
  const status = enrollmentOf(row, now)
  const other: Enrollment = 'NOT_ENROLLED'
  return {
    mfa: { exclusion: false, ...row.profile.mfa, configured: enrolled },
    mfaEnrollment: {
      overallStatus: status,
      totpStatus: status,
      pushStatus: other,
      webAuthnStatus: other,
      jcGoStatus: other,
    },
    totp_enabled: enrolled,
  }
}

export const isPasswordExpired = (row: UserRow, now: number): boolean =>
  row.password_expired ||
  (row.password_expiration_date !== null && Date.parse(row.password_expiration_date) <= now)

/** The full v1 record. `admin` and `memberof` belong to other slices and are added by describe.ts. */
export const toUser = (row: UserRow, now = Date.now()): User => ({
  ...PROFILE_DEFAULTS,
  ...row.profile,
  _id: row.id,
  id: row.id,
  account_locked: row.account_locked,
  account_locked_date: row.account_locked_date,
  activated: row.password_hash !== null,
  admin: null,
  badLoginAttempts: row.bad_login_attempts,
  created: row.created,
  creationSource: row.creation_source,
  email: row.email,
  employeeIdentifier: row.employee_identifier,
  firstname: row.firstname,
  lastname: row.lastname,
  manager: row.manager,
  ...mfaOf(row, now),
  organization: row.organization_id,
  password_date: row.password_date,
  password_expiration_date: row.password_expiration_date,
  password_expired: isPasswordExpired(row, now),
  ssh_keys: row.ssh_keys,
  state: row.state,
  suspended: row.state === 'SUSPENDED',
  unix_guid: row.unix_guid,
  unix_uid: row.unix_uid,
  username: row.username,
})

/** Sorts members, because the jsonb column does not keep their order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  // Assigned one by one: quicker than `Object.fromEntries`, and no record has a member that assigning would not define.
  const sorted: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort())
    sorted[name] = ordered((value as Record<string, unknown>)[name])
  return sorted
}

/** The fields recorded by an update event; state, lock and password have their own events. */
export function auditFields(row: UserRow): Record<string, unknown> {
  const fields = {
    username: row.username,
    email: row.email,
    firstname: row.firstname,
    lastname: row.lastname,
    employeeIdentifier: row.employee_identifier,
    manager: row.manager,
    unix_uid: row.unix_uid,
    unix_guid: row.unix_guid,
    ...PROFILE_DEFAULTS,
    mfa: { exclusion: false },
    ...row.profile,
    ssh_keys: row.ssh_keys.map(({ name, public_key }) => ({ name, public_key })),
  }
  return ordered(fields) as Record<string, unknown>
}

/** Most records that are imported again change nothing, and keep most values as they are. */
const isSame = (before: UserRow, after: UserRow): boolean =>
  (Object.keys(after) as (keyof UserRow)[]).every(
    (name) => before[name] === after[name] || isDeepStrictEqual(before[name], after[name]),
  )

/** The difference between two rows, with the state. */
export const userChanges = (before: UserRow, after: UserRow): Change[] =>
  isSame(before, after)
    ? []
    : [
        ...changesBetween(auditFields(before), auditFields(after)),
        ...changesBetween({ state: before.state }, { state: after.state }),
      ]

/**
 * Equal as long as nobody changes the user, their state or password; the manager does not count. Members of a profile
 * that are at their default are not stored.
 */
export function userFingerprint(row: UserRow): string {
  const fields = [
    row.username,
    row.email,
    row.firstname,
    row.lastname,
    row.employee_identifier,
    row.unix_uid,
    row.unix_guid,
    row.state,
    row.password_hash,
    row.totp_secret,
    row.ssh_keys.map(({ name, public_key }) => [name, public_key]),
    ordered(row.profile),
  ]
  return hash('sha256', JSON.stringify(fields), 'base64url')
}
