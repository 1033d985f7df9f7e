import type { Tx } from '../platform/db.ts'
import type { UserContext } from '../users/index.ts'

export type Method = 'pwd' | 'otp'

/** Somebody who is signed in. */
export interface UserSession {
  id: string
  organizationId: string
  userId: string
  /** When they last proved who they are; a fresh sign-in moves it. */
  authenticatedAt: Date
  methods: Method[]
  /** What other services know the session by. It opens nothing. */
  index: string
}

/** What the actions of this slice work with; made once by the composition root. */
export interface PortalContext extends UserContext {
  /**
   * Set by a slice above: the address at which the browser of somebody who signs out goes on, to leave applications as
   * well. Called in the transaction that ends the session, before it does.
   */
  signOutAddress?: (tx: Tx, session: UserSession) => Promise<string | undefined>
}
