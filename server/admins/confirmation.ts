import type { Caller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import { attempt } from './attempts.ts'
import type { AdminContext } from './context.ts'
import { checkPassword } from './passwords.ts'
import { checkSecondFactor, spend, wrongCode } from './second-factor.ts'
import { confirmSession as stamp } from './session-store.ts'
import { findAdministratorById, lockAdministratorById } from './store.ts'

/** Re-authentication: the session counts as confirmed for a while (`confirmedMinutes`). */
export async function confirmSession(
  context: AdminContext,
  caller: Caller,
  password: string,
  code: string | undefined,
): Promise<void> {
  const found = (await findAdministratorById(context.db, caller.id))!
  if (found.totp_secret !== null && code === undefined)
    throw invalid('code_required', 'code: is required, because TOTP is enrolled')
  const find = async () => found
  return attempt(context, caller.client, found.email, find, async () => {
    if (!(await checkPassword(found.password_hash, password)))
      return { failed: 'invalid credentials', guessed: true }
    return context.db.tx(caller.homeId, async (tx) => {
      // Locked, so that two concurrent requests cannot use the same code.
      const row = (await lockAdministratorById(tx, caller.id))!
      if (row.totp_secret !== null) {
        const used = await checkSecondFactor(context, row, code ?? '')
        if (!used) return wrongCode(context, row, code ?? '')
        await spend(tx, row, used)
      }
      await stamp(tx, caller.sessionHash!)
      return { proven: undefined, done: false }
    })
  })
}
