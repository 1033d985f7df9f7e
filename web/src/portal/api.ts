import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import type {
  ApplicationTile,
  Destination,
  EnrollmentAnswer,
  LinkAnswer,
  OrganizationChoice,
  PasswordRules,
  Profile,
  RecoveryCodes,
  Security,
  Session,
  SessionAnswer,
  SignedOut,
  SignInRequest,
  SignOutAnswer,
  TileUse,
  TotpEnrollment,
} from '../../../server/portal/schema.ts'
import { ApiError, ApiSession, retryRead } from '../api/session.ts'

// The API calls of the portal, one per user action.

const portal = new ApiSession('/auth/users')

/** The session was ended elsewhere or has expired: update every page that shows it. */
const onError = (error: Error) => {
  if (error instanceof ApiError && error.status === 401)
    void queries.invalidateQueries(sessionQuery)
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: retryRead,
    },
  },
})

function remember(session: SessionAnswer): SessionAnswer {
  portal.remember(session.csrfToken)
  queries.setQueryData(sessionQuery.queryKey, session)
  return session
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<SessionAnswer | null> => {
    const session = await portal.get<SessionAnswer | SignedOut>('/session')
    if (session.status === 'signed_out') return null
    portal.remember(session.csrfToken)
    return session
  },
})

export async function signIn(request: SignInRequest): Promise<SessionAnswer | OrganizationChoice> {
  const answer = await portal.post<SessionAnswer | OrganizationChoice>('/sign-in', request)
  return answer.status === 'choose_organization' ? answer : remember(answer)
}

export const giveCode = async (code: string) =>
  remember(await portal.post<SessionAnswer>('/sign-in/totp', { code }))

export const replaceExpired = async (password: string) =>
  remember(await portal.post<SessionAnswer>('/sign-in/password', { password }))

export const startEnrollment = () => portal.post<TotpEnrollment>('/totp')

/** Show the codes before the session is marked complete, or the page would move on without them. */
export async function finishEnrollment(
  code: string,
  show: (codes: string[]) => void,
): Promise<void> {
  const { recoveryCodes, ...session } = await portal.post<EnrollmentAnswer>('/totp/confirm', {
    code,
  })
  show(recoveryCodes)
  remember(session)
}

export const renewRecoveryCodes = async (code: string): Promise<string[]> =>
  (await portal.post<RecoveryCodes>('/totp/recovery-codes', { code })).recoveryCodes

export async function signOut(): Promise<string | null> {
  const { continueTo } = await portal.post<SignOutAnswer>('/sign-out')
  return continueTo
}

/** Clears everything about the previous user, as the page stays loaded. */
export function forgetSession(): void {
  portal.remember(undefined)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  queries.setQueryData(sessionQuery.queryKey, null)
}

export const askForLink = (identifier: string, organization: string | undefined) =>
  portal.post<unknown>('/password/forgot', { identifier, ...(organization && { organization }) })

interface PasswordLink {
  organization: string
  token: string
}
export const linkQuery = (link: PasswordLink) =>
  queryOptions({
    queryKey: ['link', link],
    queryFn: () => portal.post<LinkAnswer>('/password/link', link),
    staleTime: Number.POSITIVE_INFINITY,
  })
export const choosePassword = (link: PasswordLink, password: string) =>
  portal.post<unknown>('/password', { ...link, password })

export const rulesQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: () => portal.get<PasswordRules>('/password/rules'),
})
export const destinationQuery = (continueTo: string | undefined) =>
  queryOptions({
    queryKey: ['destination', continueTo],
    queryFn: (): Promise<Destination> =>
      continueTo === undefined
        ? Promise.resolve({ application: null, organization: null })
        : portal.get<Destination>(
            `/sign-in/destination?${new URLSearchParams({ continue: continueTo })}`,
          ),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const tilesQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: () => portal.get<ApplicationTile[]>('/applications'),
})
const changeTile = (id: string, use: TileUse) => {
  queries.setQueryData(tilesQuery.queryKey, (tiles) =>
    tiles?.map((tile) =>
      tile.id === id
        ? {
            ...tile,
            ...(use.favourite !== undefined && { favourite: use.favourite }),
            ...(use.opened && { openedAt: new Date().toISOString() }),
          }
        : tile,
    ),
  )
  return portal.call<unknown>('PUT', `/applications/${id}`, use)
}
/** Shown at once; a failure is not worth an interruption. */
export const noteOpened = (id: string) => void changeTile(id, { opened: true }).catch(() => {})
export const setFavourite = (id: string, favourite: boolean) => changeTile(id, { favourite })

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => portal.get<Profile>('/profile'),
})
export const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: () => portal.get<Security>('/security'),
})
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => portal.get<Session[]>('/sessions'),
})

export const changePassword = async (currentPassword: string, password: string) =>
  remember(await portal.post<SessionAnswer>('/password/change', { currentPassword, password }))

export const removeTotp = (code: string) => portal.post<unknown>('/totp/remove', { code })

export const endSession = (id: string) => portal.delete<unknown>(`/sessions/${id}`)
export const endOtherSessions = () => portal.delete<unknown>('/sessions')
