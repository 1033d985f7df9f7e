import { isPasswordExpired, isRestricted, type UserRow } from '../users/index.ts'
import type { Method } from './context.ts'

/** A pending sign-in step: a code, a replacement for an expired password, or enrolling a second factor. */
export type SignInStep = 'totp' | 'password' | 'enrollment'

/** The members of the organization's `passwordPolicy` that affect sign-in. */
export interface SignInPolicy {
  enableMaxLoginAttempts?: boolean
  maxLoginAttempts?: number
  enableLockoutTimeInSeconds?: boolean
  lockoutTimeInSeconds?: number
  enableDaysBeforeExpirationToForceReset?: boolean
  daysBeforeExpirationToForceReset?: number
  enableDaysAfterExpirationToSelfRecover?: boolean
  daysAfterExpirationToSelfRecover?: number
  enableMinChangePeriodInDays?: boolean
  minChangePeriodInDays?: number
  allowUnenrolledMFAPasswordReset?: boolean
}

const DAY = 86_400_000

/** Consecutive failures until the account is locked; null means no limit. */
export const attemptsAllowed = (policy: SignInPolicy): number | null =>
  policy.enableMaxLoginAttempts ? (policy.maxLoginAttempts ?? null) : null

/**
 * A lock caused by failed attempts expires if the policy has a lockout time. A lock set by an administrator does not.
 */
export function isLocked(user: UserRow, policy: SignInPolicy, now: Date): boolean {
  if (!user.account_locked) return false
  const limit = attemptsAllowed(policy)
  const byAttempts = limit !== null && user.bad_login_attempts >= limit
  if (!byAttempts || !policy.enableLockoutTimeInSeconds || user.account_locked_date === null)
    return true
  const ends = Date.parse(user.account_locked_date) + (policy.lockoutTimeInSeconds ?? 0) * 1000
  return ends > now.getTime()
}

/** Why the user cannot sign in, as recorded in events; null when they can. */
export function refusalOf(user: UserRow, policy: SignInPolicy, now: Date): string | null {
  if (user.state !== 'ACTIVATED') return `user is ${user.state}`
  return isLocked(user, policy, now) ? 'account is locked' : null
}

/** A second factor is required, and the user is not currently excluded. */
export function mustEnroll({ profile, totp_secret }: UserRow, now: Date): boolean {
  if (!profile.enable_user_portal_multifactor || totp_secret !== null) return false
  const { mfa } = profile
  if (!mfa?.exclusion) return true
  return mfa.exclusionUntil !== undefined && Date.parse(mfa.exclusionUntil) <= now.getTime()
}

/** Expired, or within the forced reset period. A password owned by another directory is changed there. */
function mustChangePassword(user: UserRow, policy: SignInPolicy, now: Date): boolean {
  if (isRestricted(user, 'password')) return false
  const days = policy.enableDaysBeforeExpirationToForceReset
    ? (policy.daysBeforeExpirationToForceReset ?? 0)
    : 0
  return isPasswordExpired(user, now.getTime() + days * DAY)
}

/** Expired for longer than the self-recovery period. */
export function isBeyondRecovery(user: UserRow, policy: SignInPolicy, now: Date): boolean {
  if (!policy.enableDaysAfterExpirationToSelfRecover || user.password_expiration_date === null)
    return false
  const last = Date.parse(user.password_expiration_date)
  return last + (policy.daysAfterExpirationToSelfRecover ?? 0) * DAY < now.getTime()
}

/** When the password can be changed again; null if it can be changed now. */
export function changeAllowedAt(user: UserRow, policy: SignInPolicy, now: Date): Date | null {
  const days = policy.enableMinChangePeriodInDays ? (policy.minChangePeriodInDays ?? 0) : 0
  if (user.password_date === null) return null
  const at = new Date(Date.parse(user.password_date) + days * DAY)
  return at > now ? at : null
}

/** The next step of a sign-in. The code comes first: nothing in the account can change without it. */
export function nextSignInStep(
  user: UserRow,
  methods: readonly Method[],
  policy: SignInPolicy,
  now: Date,
): SignInStep | null {
  if (user.totp_secret !== null && !methods.includes('otp')) return 'totp'
  if (mustChangePassword(user, policy, now)) return 'password'
  return mustEnroll(user, now) ? 'enrollment' : null
}
