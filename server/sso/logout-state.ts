import type { Binding } from './names.ts'
import type { ParticipantRow } from './store.ts'

/** The application that asked for the logout, and what it gets its answer to. */
export interface Origin {
  applicationId: string
  requestId: string
  relayState?: string | undefined
  binding: Binding
}

/** A logout on its way through the applications, one after the other, with the person's browser. */
export interface LogoutState {
  /** Absent: the person signed out here. */
  origin?: Origin
  waiting: ParticipantRow[]
  /** Whose answer we wait for. */
  current?: { applicationId: string; requestId: string }
  /** Applications that could not do it. */
  failed: string[]
  /** Applications that cannot be told. */
  unreached: string[]
}
