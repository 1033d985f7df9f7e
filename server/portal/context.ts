import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db.ts'
import type { SignInRules } from '../platform/sign-in-rules.ts'
import type { UserContext, UserRow } from '../users/index.ts'

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

/** Somebody who may not sign in, on the way to an address of this service. */
export interface KeptOut {
  client: Client
  user: Pick<UserRow, 'organization_id' | 'id' | 'username'>
  continueTo: string
  why: string
}

/** What the actions of this slice work with; made once by the composition root. */
export interface PortalContext extends UserContext {
  rules: SignInRules
  /**
   * Set by a slice above: the address at which the browser of somebody who signs out goes on, to leave applications as
   * well. Called in the transaction that ends the session, before it does.
   */
  signOutAddress?: (tx: Tx, session: UserSession) => Promise<string | undefined>
  /** Set by slices above: the attempt is one on what is theirs as well. */
  keptOut?: ((context: PortalContext, kept: KeptOut) => Promise<void>)[]
}
