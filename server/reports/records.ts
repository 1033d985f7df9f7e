import { type SystemRow, systemsAfter, toSystem } from '../systems/index.ts'
import { toUser, type UserRow, usersAfter } from '../users/index.ts'
import { type Content, PERSON, personOf, type Row, walkPages } from './content.ts'

// Reports with one row per user or system.

const issuesOf = (user: ReturnType<typeof toUser>): string[] =>
  Object.entries({
    suspended: user.state === 'SUSPENDED',
    staged: user.state === 'STAGED',
    locked: user.account_locked,
    no_password: !user.activated,
    password_expired: user.password_expired,
    password_never_expires: user.password_never_expires,
    no_mfa: !user.totp_enabled,
  }).flatMap(([issue, there]) => (there ? [issue] : []))

function healthOf(row: UserRow): Row {
  const user = toUser(row)
  return [
    ...personOf(row),
    issuesOf(user),
    user.activated,
    user.account_locked,
    user.account_locked_date,
    user.badLoginAttempts,
    user.password_date,
    user.password_expiration_date,
    user.password_expired,
    user.password_never_expires,
    user.mfaEnrollment?.overallStatus,
    user.totp_enabled,
    user.mfa?.exclusion,
    user.mfa?.exclusionUntil,
    user.creationSource,
    user.created,
  ]
}

export const accountHealth: Content = {
  columns: [
    ...PERSON,
    'issues',
    'activated',
    'account_locked',
    'account_locked_date',
    'bad_login_attempts',
    'password_date',
    'password_expiration_date',
    'password_expired',
    'password_never_expires',
    'mfa_enrollment',
    'totp_enabled',
    'mfa_exclusion',
    'mfa_exclusion_until',
    'creation_source',
    'created',
  ],
  walk: walkPages(usersAfter, (_, tx, page, take) => take(tx, page.map(healthOf))),
}

function versionOf(row: SystemRow): Row {
  const { active } = toSystem(row)
  return [
    row.id,
    row.hostname,
    row.display_name,
    row.os_family || row.os,
    row.os,
    row.version,
    row.arch,
    row.serial_number,
    row.agent_version,
    active,
    row.last_contact,
    row.created,
  ]
}

export const osVersion: Content = {
  columns: [
    'resource_object_id',
    'hostname',
    'display_name',
    'device_os',
    'os_name',
    'os_version',
    'arch',
    'serial_number',
    'agent_version',
    'active',
    'last_contact',
    'created',
  ],
  walk: walkPages(systemsAfter, (_, tx, page, take) => take(tx, page.map(versionOf))),
}
