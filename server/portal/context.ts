import type { Db, Tx } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { SignInRules } from '../platform/sign-in-rules.ts'
import type { UserActor, UserChangeContext, UserRow } from '../users/index.ts'

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
export interface DeniedSignIn {
  user: Pick<UserRow, 'organization_id' | 'id' | 'username'>
  continueTo: string
  why: string
}

/** What the actions of this slice work with; made once by the composition root. */
export interface PortalContext {
  db: Db
  sealer: Sealer
  send: SendJob
  publicUrl: string
  rules: SignInRules
  /** Signing in changes users: failures are counted, passwords and second factors replaced. */
  users: UserChangeContext
  /**
   * A question to the slice above, and so no hook: at which address the browser of somebody who signs out goes on, to
   * leave applications as well. Asked in the transaction that ends the session, before it does.
   */
  signOutAddress: (tx: Tx, session: UserSession) => Promise<string | undefined>
  /**
   * A session ended before its time: by signing out, or because the user was changed. What hung on it has gone with it.
   * One that has run out is not told: it counts no more from that instant, and only the job that deletes it meets it.
   */
  sessionEnded: Hook<UserActor, UserSession>
  /** The attempt is one on what is theirs as well. Told with the event of the attempt. */
  signInDenied: Hook<UserActor, DeniedSignIn>
}
