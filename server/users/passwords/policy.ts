import { type AppError, invalid } from '../../platform/errors.ts'
import { CHECKS } from './checks.ts'
import { isCommonPassword } from './common-passwords.ts'

/** The members of the organization's `passwordPolicy` that apply to new passwords. */
export interface PasswordPolicy {
  allowUsernameSubstring?: boolean
  disallowCommonlyUsedPasswords?: boolean
  disallowSequentialOrRepetitiveChars?: boolean
  enableMaxHistory?: boolean
  maxHistory?: number
  enableMinLength?: boolean
  minLength?: number
  needsLowercase?: boolean
  needsNumeric?: boolean
  needsSymbolic?: boolean
  needsUppercase?: boolean
  enableDaysBeforeExpirationToForceReset?: boolean
  daysBeforeExpirationToForceReset?: number
  enablePasswordExpirationInDays?: boolean
  passwordExpirationInDays?: number
}

/** Password rules: the codes for clients and the messages for users. */
const RULES = {
  minLength: (policy: PasswordPolicy) => `must have at least ${policy.minLength} characters`,
  maxLength: () => 'must have at most 256 characters',
  lowercase: () => 'must have a lower-case letter',
  uppercase: () => 'must have an upper-case letter',
  number: () => 'must have a digit',
  specialCharacter: () => 'must have a special character',
  username: () => 'must not contain the username',
  commonPassword: () => 'must not be a commonly used password',
  sequentialOrRepetitive: () => 'must not contain sequences or repetitions such as 1234 or aaaa',
  passwordHistory: () => 'must not be one of the recent passwords',
}
type PasswordRule = keyof typeof RULES

/** All rules that the password breaks, except history, which needs the hashes. */
export function violations(
  policy: PasswordPolicy,
  password: string,
  username: string,
): PasswordRule[] {
  const broken: Record<Exclude<PasswordRule, 'passwordHistory'>, boolean | undefined> = {
    minLength: policy.enableMinLength && CHECKS.minLength(password, username, policy.minLength),
    maxLength: password.length > 256,
    lowercase: policy.needsLowercase && CHECKS.lowercase(password),
    uppercase: policy.needsUppercase && CHECKS.uppercase(password),
    number: policy.needsNumeric && CHECKS.number(password),
    specialCharacter: policy.needsSymbolic && CHECKS.specialCharacter(password),
    username: !policy.allowUsernameSubstring && CHECKS.username(password, username),
    commonPassword: policy.disallowCommonlyUsedPasswords && isCommonPassword(password),
    sequentialOrRepetitive:
      policy.disallowSequentialOrRepetitiveChars && CHECKS.sequentialOrRepetitive(password),
  }
  return (Object.keys(broken) as (keyof typeof broken)[]).filter((rule) => broken[rule])
}

/** The rules for a new password, shown to the user in advance. */
export function rulesOf(
  policy: PasswordPolicy,
): { rule: PasswordRule; message: string; minimum?: number }[] {
  const asked: Partial<Record<PasswordRule, boolean | undefined>> = {
    minLength: policy.enableMinLength,
    lowercase: policy.needsLowercase,
    uppercase: policy.needsUppercase,
    number: policy.needsNumeric,
    specialCharacter: policy.needsSymbolic,
    username: !policy.allowUsernameSubstring,
    commonPassword: policy.disallowCommonlyUsedPasswords,
    sequentialOrRepetitive: policy.disallowSequentialOrRepetitiveChars,
    passwordHistory: policy.enableMaxHistory,
  }
  return (Object.keys(asked) as PasswordRule[])
    .filter((rule) => asked[rule])
    .map((rule) => ({
      rule,
      message: RULES[rule](policy),
      ...(rule === 'minLength' && { minimum: policy.minLength ?? 0 }),
    }))
}

export function passwordRejected(policy: PasswordPolicy, rules: PasswordRule[]): AppError {
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolationsList: rules.map((rule) => ({ field: 'password', description: rule })),
    },
  ]
  return invalid(
    'password_rejected',
    `password: ${rules.map((rule) => RULES[rule](policy)).join('; ')}`,
    { details },
  )
}

/** When a password set at `set` expires; null for never. */
export function expirationOf(
  policy: PasswordPolicy,
  neverExpires: boolean,
  set: Date,
): string | null {
  if (neverExpires || !policy.enablePasswordExpirationInDays || !policy.passwordExpirationInDays)
    return null
  return new Date(set.getTime() + policy.passwordExpirationInDays * 86_400_000).toISOString()
}
