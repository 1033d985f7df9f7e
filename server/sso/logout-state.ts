import type { Binding } from './names.ts'
import type { ParticipantRow } from './store.ts'

/** The application that asked for the logout, and the request to answer. */
export interface Origin {
  applicationId: string
  requestId: string
  relayState?: string | undefined
  binding: Binding
}

/** A logout in progress: the browser visits the applications one after the other. */
export interface LogoutState {
  /** Absent: the user signed out in the portal. */
  origin?: Origin
  waiting: ParticipantRow[]
  /** The application whose response we are waiting for. */
  current?: { applicationId: string; requestId: string }
  /** Applications that reported a failure. */
  failed: string[]
  /** Applications without a logout URL. */
  unreached: string[]
}
