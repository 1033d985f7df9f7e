import type { Tx } from '../platform/db.ts'
import type { Sealer } from '../platform/secrets.ts'
import { verifyTotp } from '../platform/totp.ts'
import type { UserActor, UserContext } from './context.ts'
import { saveChange } from './save.ts'
import { findTotpCounter, saveBadLogins, saveTotpCounter } from './sign-in-store.ts'
import { lockUser, type UserRow } from './store.ts'

// What signing in means for the record of a user. Who may sign in, and how, is decided above.

/** A wrong password or code. At the limit, if there is one, the account is locked. */
export async function countBadLogin(
  context: UserContext,
  tx: Tx,
  actor: UserActor,
  userId: string,
  limit: number | null,
): Promise<void> {
  const { organizationId } = actor
  const before = await lockUser(tx, organizationId, userId)
  // Further attempts on a locked account make the lock no longer.
  if (!before || before.account_locked) return
  const attempts = before.bad_login_attempts + 1
  await saveBadLogins(tx, organizationId, userId, attempts)
  if (limit === null || attempts < limit) return
  await saveChange(context, tx, actor, before, {
    ...before,
    bad_login_attempts: attempts,
    account_locked: true,
    account_locked_date: new Date().toISOString(),
  })
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
