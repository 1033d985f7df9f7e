import { stringifySetCookie } from 'cookie'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { UserRow } from '../users/index.ts'
import type { Method, PortalContext, UserSession } from './context.ts'
import { type Owed, owedBy } from './owed.ts'
import type { PortalSettings } from './settings.ts'
import { deleteSession, type SessionRow, saveSession } from './store.ts'

const MINUTE = 60_000
/** However busy a session is, or for as long as it may rest where that is longer. */
const LONGEST_MINUTES = 12 * 60
/** Whoever has given only a part of what is needed gets minutes, not a working day. */
const HALF_OPEN_MINUTES = 15

export const SESSION_COOKIE = 'gatehouse_portal'

export interface SignedIn {
  session: SessionRow
  /** For the cookie; only its hash is stored. */
  token: string
  /** The cookie outlives the browser's window. */
  lasting: boolean
}

/** What a request must carry beside the cookie to change anything: known to whoever can read our answers. */
export const csrfOf = (token: string): string => sha256(`csrf ${token}`).toString('base64url')

/** Lax, not strict: a person who comes from an application with its request for sign-in brings the session along. */
const cookieOf = (publicUrl: string) => ({
  name: SESSION_COOKIE,
  path: '/',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: publicUrl.startsWith('https:'),
})

export const sessionCookie = ({ publicUrl }: PortalContext, signedIn: SignedIn): string =>
  stringifySetCookie({
    ...cookieOf(publicUrl),
    value: `${signedIn.session.organization_id}.${signedIn.token}`,
    ...(signedIn.lasting && { expires: new Date(signedIn.session.expires_at) }),
  })

export const noCookie = ({ publicUrl }: PortalContext): string =>
  stringifySetCookie({ ...cookieOf(publicUrl), value: '', expires: new Date(0) })

/** Given where a session goes on: what it keeps. */
type Kept = Partial<Pick<SessionRow, 'id' | 'authenticated_at'>>

/**
 * Opens a session, or takes one a step further under a new secret. Whatever the user still owes is decided anew at each
 * step.
 */
export async function openSession(
  tx: Tx,
  user: UserRow,
  client: Client,
  methods: Method[],
  settings: PortalSettings,
  { id = newId(), authenticated_at }: Kept = {},
): Promise<SignedIn> {
  const now = new Date()
  const { idleSessionDurationMinutes: idle, cookieExpirationType } = settings.userPortal
  const owed: Owed | null = owedBy(user, methods, settings.passwordPolicy, now)
  const minutes = owed === null ? Math.max(LONGEST_MINUTES, idle) : HALF_OPEN_MINUTES
  const token = randomToken()
  const session = await saveSession(tx, {
    organization_id: user.organization_id,
    id,
    user_id: user.id,
    hash: sha256(token),
    owed,
    methods,
    authenticated_at: authenticated_at ?? now.toISOString(),
    client_ip: client.ip,
    useragent: client.userAgent ?? null,
    idle_minutes: owed === null ? idle : HALF_OPEN_MINUTES,
    expires_at: new Date(now.getTime() + minutes * MINUTE).toISOString(),
  })
  return { session: session!, token, lasting: cookieExpirationType === 'date' }
}

export const toSession = (row: SessionRow): UserSession => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  authenticatedAt: new Date(row.authenticated_at),
  methods: row.methods,
  index: `_${sha256(`session ${row.organization_id} ${row.id}`).toString('hex').slice(0, 32)}`,
})

/** False when it had ended already. */
export const endSession = async (
  { db }: Pick<PortalContext, 'db'>,
  { organizationId, userId, id }: Pick<UserSession, 'organizationId' | 'userId' | 'id'>,
): Promise<boolean> =>
  (await deleteSession(db.tenant(organizationId), organizationId, userId, id)) > 0
