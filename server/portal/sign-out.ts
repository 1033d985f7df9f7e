import { recordEvent } from '../insights/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import {
  findUser,
  resourceOf,
  type UserActor,
  type UserListener,
  userActor,
} from '../users/index.ts'
import type { Visit } from './authenticate.ts'
import type { PortalContext, UserSession } from './context.ts'
import { toSession, userNotFound } from './sessions.ts'
import { deleteSession, lockSession, lockSessionsOf, type SessionRow } from './store.ts'

// All the ways a session ends before it expires.

type EndContext = Pick<PortalContext, 'db' | 'sessionEnded'>

/** Listeners run first: they read rows that go with the session. */
async function end(
  { sessionEnded }: Pick<EndContext, 'sessionEnded'>,
  tx: Tx,
  actor: UserActor,
  locked: SessionRow[],
): Promise<void> {
  for (const row of locked) {
    await sessionEnded.fire(tx, actor, toSession(row))
    await deleteSession(tx, row)
  }
}

const actorOf = (
  { session, user }: Pick<Visit, 'session' | 'user'>,
  client: Client,
): UserActor => ({
  ...userActor(user, client),
  sessionId: session.id,
})

/** False when it had already ended. */
export const endSession = (
  context: EndContext,
  actor: UserActor,
  { organizationId, userId, id }: Pick<UserSession, 'organizationId' | 'userId' | 'id'>,
): Promise<boolean> =>
  context.db.tx(organizationId, async (tx) => {
    const locked = await lockSession(tx, organizationId, userId, id)
    await end(context, tx, actor, locked)
    return locked.length > 0
  })

/** Returns where the browser continues, if anywhere. */
export const signOut = (
  context: EndContext & Pick<PortalContext, 'signOutAddress'>,
  client: Client,
  visit: Pick<Visit, 'session' | 'user'>,
): Promise<string | undefined> => {
  const { session, user } = visit
  return context.db.tx(user.organization_id, async (tx) => {
    const next =
      session.owed === null ? await context.signOutAddress(tx, toSession(session)) : undefined
    const locked = await lockSession(tx, user.organization_id, user.id, session.id)
    await end(context, tx, actorOf(visit, client), locked)
    return next
  })
}

/** Ends all other sessions of the user. */
export const signOutElsewhere = (
  context: EndContext,
  client: Client,
  { session, user }: Pick<Visit, 'session' | 'user'>,
): Promise<void> =>
  context.db.tx(user.organization_id, async (tx) => {
    const locked = await lockSessionsOf(tx, user.organization_id, user.id, session.id)
    await end(context, tx, actorOf({ session, user }, client), locked)
  })

/** An administrator signs the user out everywhere, or of one session; the number of sessions that ended. */
export const endSessionsOf = (
  context: EndContext,
  caller: Caller,
  userId: string,
  id?: string,
): Promise<number> =>
  context.db.tx(caller.organizationId, async (tx) => {
    const { organizationId } = caller
    const user = await findUser(tx, organizationId, userId)
    if (!user) throw userNotFound()
    const locked =
      id === undefined
        ? await lockSessionsOf(tx, organizationId, userId)
        : await lockSession(tx, organizationId, userId, id)
    if (locked.length === 0) return 0
    await recordEvent(tx, caller, { event_type: 'user_session_end', resource: resourceOf(user) })
    await end(context, tx, caller, locked)
    return locked.length
  })

/** Signs out users who are suspended, deleted or got a new password, except the session that changed it. */
export const endSessionsOfChanged =
  (context: Pick<EndContext, 'sessionEnded'>): UserListener =>
  async (tx, actor, { userId, before, after }) => {
    if (before === null) return
    const changed = after?.password_hash !== before.password_hash
    if (after?.state === 'ACTIVATED' && !changed) return
    const locked = await lockSessionsOf(tx, actor.organizationId, userId, actor.sessionId)
    await end(context, tx, actor, locked)
  }
