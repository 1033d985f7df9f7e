import type { Tx } from '../platform/db.ts'
import type { Sealer } from '../platform/secrets.ts'
import { verifyTotp } from '../platform/totp.ts'
import type { UserActor, UserContext } from './context.ts'
import { saveChange } from './save.ts'
import { findTotpCounter, saveBadLogins, saveTotpCounter } from './sign-in-store.ts'
import { lockUser, type UserRow } from './store.ts'

// What signing in means for the record of a user. Who may sign in, and how, is decided above.

const locked = (row: UserRow): UserRow => ({
  ...row,
  account_locked: true,
  account_locked_date: new Date().toISOString(),
})

/**
 * Counts an attempt before the password or code is judged: what is asked in parallel cannot be more than the limit.
 * The row must be locked, and one that is under a lock of the account which has run out: it begins anew.
 *
 * One attempt is let through beyond the limit, for an attempt that was counted and never judged because the process
 * ended; the next one locks the account. False then.
 */
export async function takeLogin(
  context: UserContext,
  tx: Tx,
  actor: UserActor,
  before: UserRow,
  limit: number | null,
): Promise<boolean> {
  if (before.account_locked) {
    const unlocked = { ...before, account_locked: false, account_locked_date: null }
    await saveChange(context, tx, actor, before, { ...unlocked, bad_login_attempts: 1 })
    return true
  }
  if (limit !== null && before.bad_login_attempts > limit) {
    await saveChange(context, tx, actor, before, locked(before))
    return false
  }
  await saveBadLogins(tx, before.organization_id, before.id, before.bad_login_attempts + 1)
  return true
}

/** The attempt that was taken was no failure, and is not yet a success. */
export const returnLogin = (tx: Tx, { organization_id, id, bad_login_attempts }: UserRow) =>
  saveBadLogins(tx, organization_id, id, Math.max(0, bad_login_attempts - 1))

/** A wrong password or code, counted when it was taken. At the limit, if there is one, the account is locked. */
export async function failLogin(
  context: UserContext,
  tx: Tx,
  actor: UserActor,
  userId: string,
  limit: number | null,
): Promise<void> {
  const before = await lockUser(tx, actor.organizationId, userId)
  // Further attempts on a locked account make the lock no longer.
  if (!before || before.account_locked) return
  if (limit === null || before.bad_login_attempts < limit) return
  await saveChange(context, tx, actor, before, locked(before))
}

/** Somebody proved who they are: nothing is held against them any more, a lock that has run out included. */
export async function forgiveBadLogins(
  context: UserContext,
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

/** `users.totp_secret` and the enrolment that leads to it are sealed alike. */
export const totpContext = (userId: string) => `user ${userId} totp`

/** True once for each code. The row must be locked, or two requests could use the same one. */
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
