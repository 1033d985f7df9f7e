import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toUser } from './records.ts'
import type { UserRow } from './store.ts'

const NOW = Date.UTC(2026, 10, 15)
const HOUR = 3_600_000
const at = (time: number) => new Date(time).toISOString()

const row: UserRow = {
  organization_id: '5ec0000000000000000000aa',
  id: '5ec0000000000000000000bb',
  username: 'ada',
  email: 'ada@example.com',
  firstname: 'Ada',
  lastname: 'Lovelace',
  employee_identifier: null,
  manager: null,
  state: 'ACTIVATED',
  unix_uid: 5001,
  unix_guid: 5001,
  profile: { mfa: { exclusion: true, exclusionUntil: at(NOW + HOUR) } },
  ssh_keys: [],
  creation_source: 'api',
  account_locked: false,
  account_locked_date: null,
  bad_login_attempts: 0,
  password_hash: 'hash',
  password_date: at(NOW - HOUR),
  password_expiration_date: at(NOW + 2 * HOUR),
  password_expired: false,
  totp_secret: null,
  totp_enrolled_at: null,
  created: at(NOW - HOUR),
  updated: at(NOW - HOUR),
  deleted_at: null,
}

test('the record of a row changes with time', () => {
  const first = toUser(row, NOW)
  assert.equal(first.mfaEnrollment?.overallStatus, 'IN_ENROLLMENT')
  assert.equal(first.password_expired, false)
  const second = toUser(row, NOW + HOUR)
  assert.equal(second.mfaEnrollment?.overallStatus, 'ENROLLMENT_EXPIRED')
  assert.equal(second.password_expired, false)
  assert.equal(toUser(row, NOW + 2 * HOUR).password_expired, true)
})
