import type { Db, Tx } from '../platform/db/index.ts'
import type { UserSession } from '../portal/index.ts'
import type { Delivery, Outcome } from './outcome.ts'

// Logout of all applications of a session. SAML and OpenID Connect each supply a LogoutProtocol.

/** `sent`: the browser carried the message, and the protocol has no response to it. */
type PartyState = 'waiting' | 'sent' | 'done' | 'failed'

/** An application that is to be told. Stored as JSON. */
export interface Party {
  protocol: Protocol
  applicationId: string
  label: string
  /** By a frame in the browser, by a job, or not at all: the application has no logout URL. */
  channel: 'front' | 'back' | 'none'
  state: PartyState
  /** No page waits for the outcome: only a job can tell it. */
  unattended?: true
  /** What the protocol needs to tell it. */
  details: Record<string, string>
}

/** The application that asked for the logout and waits for a response. */
export interface Origin {
  protocol: Protocol
  applicationId: string
  details: Record<string, string | undefined>
}

export interface LogoutState {
  /** Absent: the user signed out in the portal. */
  origin?: Origin
  parties: Party[]
}

/** Names one party of a logout; the payload of a job. */
export interface PartyReference {
  organizationId: string
  /** The hash of the token, in hex. */
  logout: string
  at: number
}

export interface LogoutProtocol {
  /** Takes the applications that the session is known to, so that each is told once. Runs before the session is deleted. */
  parties: (tx: Tx, session: UserSession) => Promise<Party[]>
  /** The message that the browser carries; undefined if the application is gone. */
  message: (organizationId: string, party: Party, relay: string) => Promise<Delivery | undefined>
  /** Tells the application by a job, whether or not the browser stays. */
  tellLater: (tx: Tx, party: Party, reference: PartyReference) => Promise<void>
  /** The response to the application that asked; undefined: it gets none, the user sees a page. */
  respond: (
    organizationId: string,
    origin: Origin,
    complete: boolean,
  ) => Promise<Outcome | undefined>
}

type Protocol = 'saml' | 'oidc'

export interface LogoutContext {
  db: Db
  protocols: Record<Protocol, LogoutProtocol>
}
