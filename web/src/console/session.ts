import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError, ApiSession, retryRead } from '../api/session.ts'

// Sign-in of administrators, and the session that every call of the console uses.

const auth = new ApiSession('/auth')

export interface Session {
  id: string
  email: string
  roleNames: string[]
  scopes: string[]
  providerId: string | null
  organizationIds: string[]
  totpEnrolled: boolean
  csrfToken?: string
}

interface Step {
  status: 'signed_in' | 'totp_required' | 'totp_enrollment_required'
  csrfToken: string
}

/** The session was ended elsewhere or has expired: the frame sees it and leads to the sign-in. */
const onError = (error: Error) => {
  if (error instanceof ApiError && error.status === 401)
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: retryRead,
    },
  },
})

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    try {
      const session = await auth.get<Session>('/session')
      auth.remember(session.csrfToken)
      return session
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
})

export const csrfToken = (): string | undefined => auth.csrfToken

function remember(step: Step): Step['status'] {
  auth.remember(step.csrfToken)
  return step.status
}

export const signIn = async (email: string, password: string) =>
  remember(await auth.post<Step>('/sign-in', { email, password }))

export const giveCode = async (code: string) =>
  remember(await auth.post<Step>('/sign-in/totp', { code }))

export const startEnrollment = () => auth.post<{ secret: string; otpauthUrl: string }>('/totp')

export async function finishEnrollment(code: string): Promise<string[]> {
  const answer = await auth.post<Step & { recoveryCodes: string[] }>('/totp/confirm', { code })
  remember(answer)
  return answer.recoveryCodes
}

/** Whether no administrator has a password yet, as after the first start. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: () => auth.get<{ passwordNeeded: boolean }>('/setup'),
})

/** Sensitive changes need it; it counts for a while. */
export const confirmPassword = (password: string, code: string | undefined) =>
  auth.post<unknown>('/session/confirm', { password, ...(code && { code }) })

export const changePassword = (currentPassword: string, password: string) =>
  auth.post<unknown>('/password', { currentPassword, password })

export const removeSecondFactor = () => auth.post<unknown>('/totp/disable')

interface OwnSession {
  current: boolean
  seenAt: string
  clientIp: string | null
  browser: string
  system: string
}

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: () => auth.get<OwnSession[]>('/sessions'),
})

export const signOutEverywhere = () => auth.post<unknown>('/sign-out-everywhere')

export const signOut = () => auth.post<unknown>('/sign-out')

export const askForLink = (email: string) => auth.post<unknown>('/password/forgot', { email })

export const choosePassword = (token: string, password: string) =>
  auth.post<unknown>('/password/reset', { token, password })
