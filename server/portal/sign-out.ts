import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { type UserActor, type UserListener, userActor } from '../users/index.ts'
import type { Visit } from './authenticate.ts'
import type { PortalContext, UserSession } from './context.ts'
import { toSession } from './sessions.ts'
import { deleteSession, deleteSessionsOf, type SessionRow } from './store.ts'

// Every way in which a session ends before its time.

type EndContext = Pick<PortalContext, 'db' | 'sessionEnded'>

async function tellEnded(
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

/** False when it had ended already. */
export const endSession = (
  context: EndContext,
  actor: UserActor,
  { organizationId, userId, id }: Pick<UserSession, 'organizationId' | 'userId' | 'id'>,
): Promise<boolean> =>
  context.db.tx(organizationId, async (tx) => {
    const ended = await deleteSession(tx, organizationId, userId, id)
    await tellEnded(context, tx, actor, ended)
    return ended.length > 0
  })

/** Tells where the browser goes on, if anywhere. */
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
    await tellEnded(context, tx, actorOf(visit, client), ended)
    return next
  })
}

/** Everywhere but here. */
export const signOutElsewhere = (
  context: EndContext,
  client: Client,
  { session, user }: Pick<Visit, 'session' | 'user'>,
): Promise<void> =>
  context.db.tx(user.organization_id, async (tx) => {
    const ended = await deleteSessionsOf(tx, user.organization_id, user.id, session.id)
    await tellEnded(context, tx, actorOf({ session, user }, client), ended)
  })

/** Whoever is suspended, gone or has another password is signed out, but for the session that changed the password. */
export const endSessionsOfChanged =
  (context: Pick<EndContext, 'sessionEnded'>): UserListener =>
  async (tx, actor, { userId, before, after }) => {
    if (before === null) return
    const changed = after?.password_hash !== before.password_hash
    if (after?.state === 'ACTIVATED' && !changed) return
    const ended = await deleteSessionsOf(tx, actor.organizationId, userId, actor.sessionId)
    await tellEnded(context, tx, actor, ended)
  }
