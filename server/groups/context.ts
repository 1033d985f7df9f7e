import type { EdgeContext } from '../graph/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'
import type { Resource } from '../platform/list/conditions.ts'
import type { PostMail } from '../platform/mail.ts'
import type { MemberType } from './member-store.ts'
import type { GroupRow, GroupType } from './store.ts'

/**
 * A group was created or restored (before is null), changed in its name, attributes or rule, or was deleted (after is
 * null). Listeners see its edges: restored before, deleted after the hook. Membership changes fire `edgeChanged`.
 */
interface GroupChange {
  type: GroupType
  groupId: string
  before: GroupRow | null
  after: GroupRow | null
  /** The audit event of this change. */
  eventId: string
}

/** Dependencies of this slice's actions; built once by the composition root. */
export interface GroupContext extends EdgeContext {
  db: Db
  limits: Limits
  send: SendJob
  changed: Hook<Caller, GroupChange>
  publicUrl: string
  /** Null without a mail server; suggestions are then not mailed. */
  postMail: PostMail | null
  /** The member fields that rules may use. */
  resources: Record<MemberType, Resource>
}
