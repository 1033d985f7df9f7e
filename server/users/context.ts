import { mayGiveSudo, type SudoGiver } from '../graph/index.ts'
import type { Actor } from '../insights/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook, Listener } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { UserRow } from './store.ts'
import type { UnixUids } from './unix-uids.ts'

export type { Actor }

/** Who changes something: a request's caller, or whoever planned what a job does now. */
export type UserActor = Actor &
  SudoGiver & {
    organizationId: string
    /** Of users who act for themselves: the session that asks. Sessions that a change ends do not include it. */
    sessionId?: string
  }

/** A user came (before is null), changed, or went (after is null). */
export interface UserChange {
  organizationId: string
  userId: string
  before: UserRow | null
  after: UserRow | null
  /** The event that tells of it. */
  eventId: string
}

export type UserListener = Listener<UserActor, UserChange>

/** What the actions of this slice work with; made once by the composition root. */
export interface UserContext {
  db: Db
  sealer: Sealer
  postMail: PostMail
  send: SendJob
  publicUrl: string
  unixUids: UnixUids
  changed: Hook<UserActor, UserChange>
}

/** What it takes to change a user, for slices above as well. */
export type UserChangeContext = Pick<UserContext, 'db' | 'postMail' | 'publicUrl' | 'changed'>

/** An actor as a job keeps it. */
export type StoredActor = Actor & { mayGiveSudo?: boolean }

export const storedActor = (actor: UserActor): StoredActor => {
  const { initiator, authMethod, providerId, client, mfa } = actor
  return { initiator, authMethod, providerId, client, mfa, mayGiveSudo: mayGiveSudo(actor) }
}
