import { parseCookie } from 'cookie'
import { isId } from '../platform/ids.ts'
import { sha256 } from '../platform/secrets.ts'
import { ifThereIsRoom } from '../platform/storage.ts'
import { findUser, type UserRow } from '../users/index.ts'
import type { PortalContext, UserSession } from './context.ts'
import { refusalOf } from './next-step.ts'
import { cookieName, toSession } from './sessions.ts'
import { portalSettings } from './settings.ts'
import {
  findSession,
  findSessionById,
  findUserOfSession,
  type SessionRow,
  touchSession,
} from './store.ts'

/** The part of a request that identifies its sender. */
interface WithCookie {
  headers: { cookie?: string | undefined }
}

/** A session, complete or not, with its user. */
export interface Visit {
  session: SessionRow
  user: UserRow
  token: string
}

async function maySignIn({ db }: Pick<PortalContext, 'db'>, user: UserRow): Promise<boolean> {
  // Only a lock needs the settings: it may have expired.
  if (user.state !== 'ACTIVATED' || !user.account_locked) return user.state === 'ACTIVATED'
  const { passwordPolicy } = await portalSettings(db, user.organization_id)
  return refusalOf(user, passwordPolicy, new Date()) === null
}

type VisitContext = Pick<PortalContext, 'db' | 'publicUrl'>

export async function findVisit(
  context: VisitContext,
  { headers }: WithCookie,
): Promise<Visit | undefined> {
  const cookie = headers.cookie && parseCookie(headers.cookie)[cookieName(context)]
  if (!cookie) return undefined
  const [organizationId = '', token = ''] = cookie.split('.')
  if (!isId(organizationId) || token === '') return undefined
  const tenant = context.db.tenant(organizationId)
  const hash = sha256(token)
  const [session, user] = await Promise.all([
    findSession(tenant, organizationId, hash),
    findUserOfSession<UserRow>(tenant, organizationId, hash),
  ])
  if (!session || !user || !(await maySignIn(context, user))) return undefined
  if (Date.now() - Date.parse(session.seen_at) > 60_000)
    await ifThereIsRoom(touchSession(tenant, organizationId, session.id))
  return { session, user, token }
}

/** The user of a complete session who may still sign in, as currently stored. */
export async function currentPerson(
  context: VisitContext,
  request: WithCookie,
): Promise<{ session: UserSession; user: UserRow } | undefined> {
  const visit = await findVisit(context, request)
  if (visit?.session.owed !== null) return undefined
  return { session: toSession(visit.session), user: visit.user }
}

/** The same by session id, for callers that hold something bound to the session. */
export async function personOfSession(
  context: Pick<PortalContext, 'db'>,
  organizationId: string,
  sessionId: string,
): Promise<{ session: UserSession; user: UserRow } | undefined> {
  const tenant = context.db.tenant(organizationId)
  const session = await findSessionById(tenant, organizationId, sessionId)
  if (session?.owed !== null) return undefined
  const user = await findUser(tenant, organizationId, session.user_id)
  if (!user || !(await maySignIn(context, user))) return undefined
  return { session: toSession(session), user }
}
