import { mayGiveSudo, type SudoGiver } from '../graph/index.ts'
import type { Actor } from '../insights/index.ts'
import type { KeptRights } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook, Listener } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { UserRow } from './store.ts'
import type { UnixUids } from './unix-uids.ts'

export type { Actor }

/** The actor of a change: the caller of the request, or the one who scheduled the job. */
export type UserActor = Actor &
  SudoGiver & {
    organizationId: string
    /** The session of a user who acts for themselves; a change that ends sessions spares it. */
    sessionId?: string
  }

/** A user was created or restored (before is null), changed, or deleted (after is null). */
export interface UserChange {
  organizationId: string
  userId: string
  before: UserRow | null
  after: UserRow | null
  /** The audit event of this change. */
  eventId: string
  /** Just created, so nothing can refer to the user yet. */
  isNew?: true
}

export type UserListener = Listener<UserActor, UserChange>

/** Dependencies of this slice's actions; built once by the composition root. */
export interface UserContext {
  db: Db
  limits: Limits
  sealer: Sealer
  postMail: PostMail
  send: SendJob
  publicUrl: string
  unixUids: UnixUids
  changed: Hook<UserActor, UserChange>
}

/** The part needed to change a user; higher slices use it too. */
export type UserChangeContext = Pick<UserContext, 'db' | 'postMail' | 'publicUrl' | 'changed'>

/** An actor as stored with a job; with its rights where they are checked again when the job runs. */
export type StoredActor = Actor & { mayGiveSudo?: boolean; rights?: KeptRights | null }

export const storedActor = (actor: UserActor): StoredActor => {
  const { initiator, authMethod, providerId, client, mfa } = actor
  return { initiator, authMethod, providerId, client, mfa, mayGiveSudo: mayGiveSudo(actor) }
}

/** As it acts when the job runs: with the scopes that are left of its rights, where these were stored. */
export const actorAgain = (
  { rights: _, mayGiveSudo, ...actor }: StoredActor,
  scopes: ReadonlySet<string> | undefined,
): Actor & SudoGiver => ({
  ...actor,
  ...(scopes ? { scopes } : mayGiveSudo !== undefined && { mayGiveSudo }),
})
