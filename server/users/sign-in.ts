import type { Tx } from '../platform/db/index.ts'
import type { Sealer } from '../platform/secrets.ts'
import { verifyTotp } from '../platform/totp.ts'
import type { UserActor, UserChangeContext } from './context.ts'
import { saveChange } from './save.ts'
import { findTotpCounter, saveBadLogins, saveTotpCounter } from './sign-in-store.ts'
import type { UserRow } from './store.ts'

// Effects of sign-in on the user record. Higher slices decide who may sign in, and how.

const locked = (row: UserRow): UserRow => ({
  ...row,
  account_locked: true,
  account_locked_date: new Date().toISOString(),
})

/**
 * Failures left before the account is locked; null means no limit. The count restarts after an expired lock. At least
 * one: a policy that became stricter locks at the next failure, not before.
 */
export function attemptsLeft(
  { account_locked, bad_login_attempts }: UserRow,
  limit: number | null,
): number | null {
  if (limit === null) return null
  return Math.max(1, limit - (account_locked ? 0 : bad_login_attempts))
}

/**
 * Counts a wrong password or code, and locks the account at the limit, if any. The row must be locked. If the account
 * is locked, that lock must have expired: the count then restarts.
 */
export async function failLogin(
  context: UserChangeContext,
  tx: Tx,
  actor: UserActor,
  before: UserRow,
  limit: number | null,
): Promise<void> {
  let row = before
  if (before.account_locked) {
    row = { ...before, account_locked: false, account_locked_date: null, bad_login_attempts: 0 }
    await saveChange(context, tx, actor, before, row)
  }
  const failed = { ...row, bad_login_attempts: row.bad_login_attempts + 1 }
  if (limit !== null && failed.bad_login_attempts >= limit)
    await saveChange(context, tx, actor, row, locked(failed))
  else await saveBadLogins(tx, row.organization_id, row.id, failed.bad_login_attempts)
}

/** After a successful sign-in: resets the count and clears an expired lock. */
export async function forgiveBadLogins(
  context: UserChangeContext,
  tx: Tx,
  actor: UserActor,
  before: UserRow,
): Promise<UserRow> {
  const after = { ...before, bad_login_attempts: 0 }
  if (before.account_locked) {
    const unlocked = { ...after, account_locked: false, account_locked_date: null }
    await saveChange(context, tx, actor, before, unlocked)
    return unlocked
  }
  if (before.bad_login_attempts > 0)
    await saveBadLogins(tx, before.organization_id, before.id, after.bad_login_attempts)
  return after
}

/** Sealing context of `users.totp_secret` and of its pending enrolment. */
export const totpContext = (userId: string) => `user ${userId} totp`

/** Whether a refused code is a replay of a valid one, and so not a guess. */
export async function isUsedTotp(
  { sealer }: { sealer: Sealer },
  { id, totp_secret }: UserRow,
  code: string,
): Promise<boolean> {
  if (totp_secret === null) return false
  return verifyTotp(await sealer.unseal(totp_secret, totpContext(id)), code, null) !== null
}

/** True once per code. The row must be locked, or two requests could use the same code. */
export async function spendTotp(
  { sealer }: { sealer: Sealer },
  tx: Tx,
  { organization_id, id, totp_secret }: UserRow,
  code: string,
): Promise<boolean> {
  if (totp_secret === null) return false
  const secret = await sealer.unseal(totp_secret, totpContext(id))
  const last = await findTotpCounter(tx, organization_id, id)
  const counter = verifyTotp(secret, code, last)
  if (counter === null) return false
  await saveTotpCounter(tx, organization_id, id, counter)
  return true
}
