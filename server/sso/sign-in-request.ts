import type { AuthnRequest } from './inbound/authn-request.ts'
import type { LogoutRequest } from './inbound/logout-messages.ts'
import type { Binding } from './names.ts'

// The part of a request that determines its response, after all checks that do not need the user. Stored as JSON.

type Asked = Partial<Pick<AuthnRequest, 'nameIdPolicy' | 'requestedContext' | 'subject'>>

export interface SignInRequest extends Asked {
  kind: 'sign-in'
  /** Absent if IdP-initiated. */
  requestId?: string
  /** A registered ACS URL. */
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
