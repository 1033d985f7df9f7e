import { stringifySetCookie } from 'cookie'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { notFound, unauthenticated } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { UserRow } from '../users/index.ts'
import type { Method, PortalContext, UserSession } from './context.ts'
import { nextSignInStep, type SignInStep } from './next-step.ts'
import type { PortalSettings } from './settings.ts'
import { advanceSession, insertSession, type SessionRow } from './store.ts'

const MINUTE = 60_000
/** Absolute lifetime of a session, unless the idle timeout is longer. */
const MAX_MINUTES = 12 * 60
/** Lifetime of an incomplete sign-in. */
const HALF_OPEN_MINUTES = 15

/** The prefix keeps other hosts of the domain, and pages without TLS, from setting it (RFC 6265bis §4.1.3.2). */
export const cookieName = ({ publicUrl }: Pick<PortalContext, 'publicUrl'>): string =>
  isSecure(publicUrl) ? '__Host-gatehouse_portal' : 'gatehouse_portal'

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')

export const sessionEnded = () =>
  unauthenticated('session_ended', 'Unauthorized: no session; sign in again')

export const userNotFound = () => notFound('user_not_found', 'user not found')

export interface SignedIn {
  session: SessionRow
  /** For the cookie; only its hash is stored. */
  token: string
  /** A persistent cookie, not a session cookie. */
  lasting: boolean
}

/** CSRF token: only pages that can read our responses know it. */
export const csrfOf = (token: string): string => sha256(`csrf ${token}`).toString('base64url')

/** Lax, not strict: a sign-in request that arrives from an application must carry the session. */
const cookieOf = (publicUrl: string) => ({
  name: cookieName({ publicUrl }),
  path: '/',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: isSecure(publicUrl),
})

export const sessionCookie = ({ publicUrl }: PortalContext, signedIn: SignedIn): string =>
  stringifySetCookie({
    ...cookieOf(publicUrl),
    value: `${signedIn.session.organization_id}.${signedIn.token}`,
    ...(signedIn.lasting && { expires: new Date(signedIn.session.expires_at) }),
  })

export const noCookie = ({ publicUrl }: PortalContext): string =>
  stringifySetCookie({ ...cookieOf(publicUrl), value: '', expires: new Date(0) })

/** The methods verified so far, with the user and client. */
interface Step {
  user: UserRow
  client: Client
  methods: Method[]
  settings: PortalSettings
}

/** Each step decides the next one again, and issues a new token. */
function nextState({ user, client, methods, settings }: Step) {
  const now = new Date()
  const { idleSessionDurationMinutes: idle, cookieExpirationType } = settings.userPortal
  const owed: SignInStep | null = nextSignInStep(user, methods, settings.passwordPolicy, now)
  const minutes = owed === null ? Math.max(MAX_MINUTES, idle) : HALF_OPEN_MINUTES
  const token = randomToken()
  const state = {
    hash: sha256(token),
    owed,
    methods,
    client_ip: client.ip,
    useragent: client.userAgent ?? null,
    idle_minutes: owed === null ? idle : HALF_OPEN_MINUTES,
    expires_at: new Date(now.getTime() + minutes * MINUTE).toISOString(),
  }
  return { state, token, lasting: cookieExpirationType === 'date' }
}

export async function openSession(tx: Tx, step: Step): Promise<SignedIn> {
  const { state, ...secret } = nextState(step)
  const { organization_id, id } = step.user
  const session = await insertSession(tx, {
    ...state,
    organization_id,
    id: newId(),
    user_id: id,
    authenticated_at: new Date().toISOString(),
  })
  return { session: session!, ...secret }
}

/** Advances the session, unless it has ended or changed since the step began. */
export async function continueSession(
  tx: Tx,
  step: Step,
  session: SessionRow,
  authenticatedAt?: Date,
): Promise<SignedIn | undefined> {
  const { state, ...secret } = nextState(step)
  const authenticated_at = authenticatedAt?.toISOString() ?? session.authenticated_at
  const next = await advanceSession(tx, session, { ...state, authenticated_at })
  return next && { session: next, ...secret }
}

/** The same for steps that cannot open a new session. */
export async function mustContinue(...step: Parameters<typeof continueSession>): Promise<SignedIn> {
  const signedIn = await continueSession(...step)
  if (!signedIn) throw sessionEnded()
  return signedIn
}

export const toSession = (row: SessionRow): UserSession => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  authenticatedAt: new Date(row.authenticated_at),
  methods: row.methods,
  index: `_${sha256(`session ${row.organization_id} ${row.id}`).toString('hex').slice(0, 32)}`,
})
