import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { type UserActor, type UserListener, userActor } from '../users/index.ts'
import type { Visit } from './authenticate.ts'
import type { PortalContext, UserSession } from './context.ts'
import { toSession } from './sessions.ts'
import { deleteSession, deleteSessionsOf, type SessionRow } from './store.ts'

// All the ways a session ends before it expires.

type EndContext = Pick<PortalContext, 'db' | 'sessionEnded'>

async function fireEnded(
  { sessionEnded }: Pick<EndContext, 'sessionEnded'>,
  tx: Tx,
  actor: UserActor,
  ended: SessionRow[],
): Promise<void> {
  for (const row of ended) await sessionEnded.fire(tx, actor, toSession(row))
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
    const ended = await deleteSession(tx, organizationId, userId, id)
    await fireEnded(context, tx, actor, ended)
    return ended.length > 0
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
    const ended = await deleteSession(tx, user.organization_id, user.id, session.id)
    await fireEnded(context, tx, actorOf(visit, client), ended)
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
    const ended = await deleteSessionsOf(tx, user.organization_id, user.id, session.id)
    await fireEnded(context, tx, actorOf({ session, user }, client), ended)
  })

/** Signs out users who are suspended, deleted or got a new password, except the session that changed it. */
export const endSessionsOfChanged =
  (context: Pick<EndContext, 'sessionEnded'>): UserListener =>
  async (tx, actor, { userId, before, after }) => {
    if (before === null) return
    const changed = after?.password_hash !== before.password_hash
    if (after?.state === 'ACTIVATED' && !changed) return
    const ended = await deleteSessionsOf(tx, actor.organizationId, userId, actor.sessionId)
    await fireEnded(context, tx, actor, ended)
  }
