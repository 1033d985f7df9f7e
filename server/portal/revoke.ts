import type { UserListener } from '../users/index.ts'
import { deleteSessionsOf } from './store.ts'

/** Whoever is suspended, gone or has another password is signed out, but for the session that changed the password. */
export const endSessionsOfChanged: UserListener = async (tx, actor, { userId, before, after }) => {
  if (before === null) return
  const changed = after?.password_hash !== before.password_hash
  if (after?.state === 'ACTIVATED' && !changed) return
  await deleteSessionsOf(tx, actor.organizationId, userId, actor.sessionId)
}
