import type { AuthnRequest } from './inbound/authn-request.ts'
import type { LogoutRequest } from './inbound/logout-messages.ts'
import type { Binding } from './names.ts'

// What of a request decides about its answer, once all checks that need no person have passed. It can wait as JSON.

type Asked = Partial<Pick<AuthnRequest, 'nameIdPolicy' | 'requestedContext' | 'subject'>>

export interface SignInRequest extends Asked {
  kind: 'sign-in'
  /** Absent when the person started here. */
  requestId?: string
  /** One of the registered ones. */
  acsUrl: string
  relayState?: string | undefined
  forceAuthn: boolean
  isPassive: boolean
  receivedAt: number
  /** The message itself, for the debug view. */
  xml?: string
}

export interface PendingLogout extends Pick<LogoutRequest, 'nameId' | 'sessionIndexes'> {
  kind: 'logout'
  requestId: string
  relayState?: string | undefined
  binding: Binding
  xml: string
}

export type PendingRequest = SignInRequest | PendingLogout
