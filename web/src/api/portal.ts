import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import type {
  ApplicationTile,
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
  TotpEnrollment,
} from '../../../server/portal/schema.ts'
import { ApiError, call, rememberToken } from './http.ts'

// The calls of the portal, by what people do.

const PORTAL = '/auth/users'
const get = <T>(path: string) => call<T>('GET', `${PORTAL}${path}`)
const post = <T>(path: string, body?: object) => call<T>('POST', `${PORTAL}${path}`, body)

/** Ended elsewhere, or by itself: whoever shows the session learns it. */
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
      // An answer that says no says so again.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ApiError) || error.status === 0),
    },
  },
})

function remember(session: SessionAnswer): SessionAnswer {
  rememberToken(session.csrfToken)
  queries.setQueryData(sessionQuery.queryKey, session)
  return session
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<SessionAnswer | null> => {
    const session = await get<SessionAnswer | SignedOut>('/session')
    if (session.status === 'signed_out') return null
    rememberToken(session.csrfToken)
    return session
  },
})

export async function signIn(request: SignInRequest): Promise<SessionAnswer | OrganizationChoice> {
  const answer = await post<SessionAnswer | OrganizationChoice>('/sign-in', request)
  return answer.status === 'choose_organization' ? answer : remember(answer)
}

export const giveCode = async (code: string) =>
  remember(await post<SessionAnswer>('/sign-in/totp', { code }))

export const replaceExpired = async (password: string) =>
  remember(await post<SessionAnswer>('/sign-in/password', { password }))

export const startEnrollment = () => post<TotpEnrollment>('/totp')

/** The codes are shown before the session is known to be complete, or the page would go on without them. */
export async function finishEnrollment(
  code: string,
  show: (codes: string[]) => void,
): Promise<void> {
  const { recoveryCodes, ...session } = await post<EnrollmentAnswer>('/totp/confirm', { code })
  show(recoveryCodes)
  remember(session)
}

export const renewRecoveryCodes = async (code: string): Promise<string[]> =>
  (await post<RecoveryCodes>('/totp/recovery-codes', { code })).recoveryCodes

export async function signOut(): Promise<string | null> {
  const { continueTo } = await post<SignOutAnswer>('/sign-out')
  return continueTo
}

/** Where the page stays: with nothing left of whoever was there. */
export function forgetSession(): void {
  rememberToken(undefined)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  queries.setQueryData(sessionQuery.queryKey, null)
}

export const askForLink = (identifier: string, organization: string | undefined) =>
  post<unknown>('/password/forgot', { identifier, ...(organization && { organization }) })

export interface PasswordLink {
  organization: string
  token: string
}
export const linkQuery = (link: PasswordLink) =>
  queryOptions({
    queryKey: ['link', link],
    queryFn: () => post<LinkAnswer>('/password/link', link),
    staleTime: Number.POSITIVE_INFINITY,
  })
export const choosePassword = (link: PasswordLink, password: string) =>
  post<unknown>('/password', { ...link, password })

export const rulesQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: () => get<PasswordRules>('/password/rules'),
})
export const tilesQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: () => get<ApplicationTile[]>('/applications'),
})
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => get<Profile>('/profile'),
})
export const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: () => get<Security>('/security'),
})
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => get<Session[]>('/sessions'),
})

export const changePassword = async (currentPassword: string, password: string) =>
  remember(await post<SessionAnswer>('/password/change', { currentPassword, password }))

export const removeTotp = (code: string) => post<unknown>('/totp/remove', { code })

export const endSession = (id: string) => call<unknown>('DELETE', `${PORTAL}/sessions/${id}`)
export const endOtherSessions = () => call<unknown>('DELETE', `${PORTAL}/sessions`)
