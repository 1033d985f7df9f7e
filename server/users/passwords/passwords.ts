import { checkPassword, hashPassword } from '../../admins/index.ts'
import type { Queryable } from '../../platform/db/index.ts'
import type { UserRow } from '../store.ts'
import { expirationOf, type PasswordPolicy, passwordRejected, violations } from './policy.ts'
import { formerPasswords } from './store.ts'

/**
 * The hash of a password that the policy accepts. Call it before the transaction, not in it: hashing is slow on
 * purpose.
 */
export async function acceptPassword(
  db: Queryable,
  policy: PasswordPolicy,
  user: Pick<UserRow, 'organization_id' | 'id' | 'username' | 'password_hash'>,
  password: string,
): Promise<string> {
  const rules = violations(policy, password, user.username)
  if (policy.enableMaxHistory && policy.maxHistory && user.password_hash !== null) {
    const former = await formerPasswords(db, user.organization_id, user.id, policy.maxHistory - 1)
    const hashes = [user.password_hash, ...former.map((row) => row.password_hash)]
    const same = await Promise.all(hashes.map((hash) => checkPassword(hash, password)))
    if (same.includes(true)) rules.push('passwordHistory')
  }
  if (rules.length > 0) throw passwordRejected(policy, rules)
  return hashPassword(password)
}

const neverExpires = ({ profile }: UserRow): boolean => profile.password_never_expires ?? false

/** The row with a new password; a lock from failed attempts stays. */
export const withPassword = (
  row: UserRow,
  hash: string,
  policy: PasswordPolicy,
  now: Date,
): UserRow => ({
  ...row,
  password_hash: hash,
  password_date: now.toISOString(),
  password_expiration_date: expirationOf(policy, neverExpires(row), now),
  password_expired: false,
})

/**
 * Setting `password_never_expires` clears the expiration date and, if it has passed, the expiry. Unsetting it restores
 * the date.
 */
export function withExpiration(
  before: UserRow,
  after: UserRow,
  policy: PasswordPolicy,
  now: Date,
): UserRow {
  const never = neverExpires(after)
  if (neverExpires(before) === never || after.password_date === null) return after
  const date = before.password_expiration_date
  const expired = never && date !== null && Date.parse(date) <= now.getTime()
  return {
    ...after,
    password_expiration_date: expirationOf(policy, never, new Date(after.password_date)),
    password_expired: after.password_expired && !expired,
  }
}
