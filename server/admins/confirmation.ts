import type { Caller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import { fail, returnAttempt, takeAttempt } from './attempts.ts'
import { type AdminContext, change } from './context.ts'
import { checkPassword } from './passwords.ts'
import { checkSecondFactor, spend } from './second-factor.ts'
import { confirmSession as stamp } from './session-store.ts'
import { findAdministratorById, lockAdministratorById } from './store.ts'

/** Re-authentication: the session counts as confirmed for CONFIRMED_MINUTES. */
export async function confirmSession(
  context: AdminContext,
  caller: Caller,
  password: string,
  code: string | undefined,
): Promise<void> {
  const found = (await findAdministratorById(context.db, caller.id))!
  if (found.totp_secret !== null && code === undefined)
    throw invalid('code_required', 'code: is needed, for TOTP is enrolled')
  const attempt = await takeAttempt(context, caller.client, found.email)
  if (!(await checkPassword(found.password_hash, password)))
    return fail(context, attempt, found, 'invalid credentials')
  const failed = await change(context, caller.homeId, async (tx) => {
    // Locked, so that one code cannot be used by two requests at once.
    const row = (await lockAdministratorById(tx, caller.id))!
    if (row.totp_secret !== null) {
      const used = await checkSecondFactor(context, row, code ?? '')
      if (!used) return row
      await spend(tx, row, used)
    }
    await returnAttempt(tx, attempt)
    await stamp(tx, caller.sessionHash!)
    return null
  })
  if (failed) await fail(context, attempt, failed, 'invalid second factor')
}
