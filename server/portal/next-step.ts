import { isPasswordExpired, isRestricted, type UserRow } from '../users/index.ts'
import type { Method } from './context.ts'

/** What a session still lacks: a code, a new password in place of an expired one, a second factor. */
export type SignInStep = 'totp' | 'password' | 'enrollment'

/** The members of the organization's `passwordPolicy` that decide about signing in. */
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

/** After how many failures in a row an account is locked; null: never. */
export const attemptsAllowed = (policy: SignInPolicy): number | null =>
  policy.enableMaxLoginAttempts ? (policy.maxLoginAttempts ?? null) : null

/**
 * A lock that failed attempts brought about ends by itself where the organization says so; one that an administrator
 * has put on does not.
 */
export function isLocked(user: UserRow, policy: SignInPolicy, now: Date): boolean {
  if (!user.account_locked) return false
  const most = attemptsAllowed(policy)
  const byAttempts = most !== null && user.bad_login_attempts >= most
  if (!byAttempts || !policy.enableLockoutTimeInSeconds || user.account_locked_date === null)
    return true
  const ends = Date.parse(user.account_locked_date) + (policy.lockoutTimeInSeconds ?? 0) * 1000
  return ends > now.getTime()
}

/** Why the user cannot sign in, as events tell it; null: nothing stands against it. */
export function refusalOf(user: UserRow, policy: SignInPolicy, now: Date): string | null {
  if (user.state !== 'ACTIVATED') return `user is ${user.state}`
  return isLocked(user, policy, now) ? 'account is locked' : null
}

/** Required, and not excused for the time being. */
export function mustEnroll({ profile, totp_secret }: UserRow, now: Date): boolean {
  if (!profile.enable_user_portal_multifactor || totp_secret !== null) return false
  const { mfa } = profile
  if (!mfa?.exclusion) return true
  return mfa.exclusionUntil !== undefined && Date.parse(mfa.exclusionUntil) <= now.getTime()
}

/** Expired, or so soon that the organization wants it changed at once. What another directory owns is changed there. */
function mustChangePassword(user: UserRow, policy: SignInPolicy, now: Date): boolean {
  if (isRestricted(user, 'password')) return false
  const days = policy.enableDaysBeforeExpirationToForceReset
    ? (policy.daysBeforeExpirationToForceReset ?? 0)
    : 0
  return isPasswordExpired(user, now.getTime() + days * DAY)
}

/** Expired for so long that the user cannot replace it alone any more. */
export function isBeyondRecovery(user: UserRow, policy: SignInPolicy, now: Date): boolean {
  if (!policy.enableDaysAfterExpirationToSelfRecover || user.password_expiration_date === null)
    return false
  const last = Date.parse(user.password_expiration_date)
  return last + (policy.daysAfterExpirationToSelfRecover ?? 0) * DAY < now.getTime()
}

/** Too soon after the last change; tells when it will be possible. */
export function changeAllowedAt(user: UserRow, policy: SignInPolicy, now: Date): Date | null {
  const days = policy.enableMinChangePeriodInDays ? (policy.minChangePeriodInDays ?? 0) : 0
  if (user.password_date === null) return null
  const at = new Date(Date.parse(user.password_date) + days * DAY)
  return at > now ? at : null
}

/** The next step of a sign-in. The code comes first: nothing of the account can be changed without it. */
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
