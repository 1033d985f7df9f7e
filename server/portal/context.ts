import type { Db, Tx } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { SignInRules } from '../platform/sign-in-rules.ts'
import type { UserActor, UserChangeContext, UserRow } from '../users/index.ts'

export type Method = 'pwd' | 'otp'

/** The session of a signed-in user. */
export interface UserSession {
  id: string
  organizationId: string
  userId: string
  /** The last authentication; a fresh sign-in updates it. */
  authenticatedAt: Date
  methods: Method[]
  /** The session index shown to other services. It is not a credential. */
  index: string
}

/** A user who may not sign in, and the path they were on the way to. */
export interface DeniedSignIn {
  user: Pick<UserRow, 'organization_id' | 'id' | 'username'>
  continueTo: string
  why: string
}

/** Dependencies of this slice's actions; built once by the composition root. */
export interface PortalContext {
  db: Db
  sealer: Sealer
  send: SendJob
  publicUrl: string
  rules: SignInRules
  /** Sign-in changes users: it counts failures, and replaces passwords and second factors. */
  users: UserChangeContext
  /**
   * Where the browser goes after sign-out, to sign out of applications too. It returns a value, so it is not a hook.
   * Called in the transaction that ends the session, before the session is deleted.
   */
  signOutAddress: (tx: Tx, session: UserSession) => Promise<string | undefined>
  /** The application that a path leads to, if any. */
  destinationOf: (continueTo: string) => Promise<{ organizationId: string; id: string } | undefined>
  /**
   * A session ends early, by sign-out or a change of the user; the rows that depend on it are deleted next. Does not fire
   * when a session expires: it is invalid from that instant, and only the cleanup job sees it.
   */
  sessionEnded: Hook<UserActor, UserSession>
  /** The attempt counts for the target application too. Fires with the event of the attempt. */
  signInDenied: Hook<UserActor, DeniedSignIn>
}
