import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserRow } from '../users/index.ts'
import type { Method } from './context.ts'
import {
  changeAllowedAt,
  isBeyondRecovery,
  isLocked,
  mustEnroll,
  nextSignInStep,
  refusalOf,
  type SignInPolicy,
  type SignInStep,
} from './next-step.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const days = (count: number) => new Date(NOW.getTime() + count * 86_400_000).toISOString()
const userWith = (changes: Partial<UserRow> = {}) =>
  ({
    state: 'ACTIVATED',
    profile: {},
    account_locked: false,
    account_locked_date: null,
    bad_login_attempts: 0,
    password_hash: 'hash',
    password_date: days(-5),
    password_expiration_date: null,
    password_expired: false,
    totp_secret: null,
    ...changes,
  }) as UserRow

const required = { enable_user_portal_multifactor: true }

test('the pending sign-in steps, in order', () => {
  const force: SignInPolicy = {
    enableDaysBeforeExpirationToForceReset: true,
    daysBeforeExpirationToForceReset: 3,
  }
  const enrolled = { totp_secret: 'sealed' }
  const expired = { password_expired: true }
  const cases: [Partial<UserRow>, Method[], SignInPolicy, SignInStep | null][] = [
    [{}, ['pwd'], {}, null],
    [enrolled, ['pwd'], {}, 'totp'],
    [enrolled, ['pwd', 'otp'], {}, null],
    [{ ...enrolled, ...expired }, ['pwd'], {}, 'totp'],
    [{ ...enrolled, ...expired }, ['pwd', 'otp'], {}, 'password'],
    [{ password_expiration_date: days(-1) }, ['pwd'], {}, 'password'],
    [{ password_expiration_date: days(2) }, ['pwd'], {}, null],
    [{ password_expiration_date: days(2) }, ['pwd'], force, 'password'],
    [{ password_expiration_date: days(4) }, ['pwd'], force, null],
    [{ ...expired, profile: required }, ['pwd'], {}, 'password'],
    [{ profile: required }, ['pwd'], {}, 'enrollment'],
    // Owned by another directory: it cannot be changed here.
    [{ ...expired, profile: { restrictedFields: [{ field: 'password' }] } }, ['pwd'], {}, null],
  ]
  for (const [at, [changes, methods, policy, owed]] of cases.entries())
    assert.equal(nextSignInStep(userWith(changes), methods, policy, NOW), owed, `case ${at}`)
})

test('a required second factor can wait while the user is excluded', () => {
  const excused = (exclusionUntil?: string) =>
    userWith({
      profile: { ...required, mfa: { exclusion: true, ...(exclusionUntil && { exclusionUntil }) } },
    })
  assert.equal(mustEnroll(excused(days(1)), NOW), false)
  assert.equal(mustEnroll(excused(days(-1)), NOW), true)
  assert.equal(mustEnroll(excused(), NOW), false, 'without an end')
  assert.equal(mustEnroll(userWith({ profile: required, totp_secret: 'sealed' }), NOW), false)
})

test('a lock expires only if failed attempts caused it and the policy has a lockout time', () => {
  const policy: SignInPolicy = {
    enableMaxLoginAttempts: true,
    maxLoginAttempts: 3,
    enableLockoutTimeInSeconds: true,
    lockoutTimeInSeconds: 600,
  }
  const locked = (bad_login_attempts: number, secondsAgo: number) =>
    userWith({
      account_locked: true,
      bad_login_attempts,
      account_locked_date: new Date(NOW.getTime() - secondsAgo * 1000).toISOString(),
    })
  assert.equal(isLocked(userWith(), policy, NOW), false)
  assert.equal(isLocked(locked(3, 599), policy, NOW), true)
  assert.equal(isLocked(locked(3, 600), policy, NOW), false)
  assert.equal(isLocked(locked(1, 600), policy, NOW), true, 'locked by an administrator')
  const forever = { ...policy, enableLockoutTimeInSeconds: false }
  assert.equal(isLocked(locked(3, 9000), forever, NOW), true)
  assert.equal(refusalOf(locked(3, 1), policy, NOW), 'account is locked')
  assert.equal(refusalOf(userWith({ state: 'SUSPENDED' }), policy, NOW), 'user is SUSPENDED')
})

test('how long after expiry a password can be replaced, and how soon after a change', () => {
  const recover: SignInPolicy = {
    enableDaysAfterExpirationToSelfRecover: true,
    daysAfterExpirationToSelfRecover: 10,
  }
  const expired = (ago: number) => userWith({ password_expiration_date: days(-ago) })
  assert.equal(isBeyondRecovery(expired(9), recover, NOW), false)
  assert.equal(isBeyondRecovery(expired(11), recover, NOW), true)
  assert.equal(isBeyondRecovery(expired(11), {}, NOW), false)
  assert.equal(isBeyondRecovery(userWith(), recover, NOW), false)
  const period = { enableMinChangePeriodInDays: true, minChangePeriodInDays: 7 }
  assert.equal(changeAllowedAt(userWith(), period, NOW)?.toISOString(), days(2))
  assert.equal(changeAllowedAt(userWith({ password_date: days(-8) }), period, NOW), null)
  assert.equal(changeAllowedAt(userWith(), {}, NOW), null)
})
